# SPDX-License-Identifier: GPL-2.0-only
"""Tries a QEMU machine for real: a stock kernel must come to the end of its boot.

Opening /dev/kvm proves nothing: on some hosts a VM can be created and yet no stock kernel
runs in it. So the probe boots a stored kernel until its console shows that it reached init.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from kassay.effects import process
from kassay.effects.files import cache_directory
from kassay.machines._argv import PACKAGES, PROGRAMS
from kassay.machines._backend import Ended, Job
from kassay.model.machine import Probe
from kassay.model.progress import Progress, Tell

_REMEDY = {"kvm": "use --clock icount (the default) or --clock tcg, or a host with working virtualisation"}
_TIMEOUT_S = 20

RunQemu = Callable[[Job, str, str], Ended]


def probe_by_boot(name: str, clock: str, arch: str, run: RunQemu, tell: Tell) -> Probe:
    """Usable or not, by booting a stored kernel until its console speaks."""
    program = PROGRAMS.get(arch, "")
    if not program or process.find(program) is None:
        package = PACKAGES.get(arch, "qemu-system")
        return Probe(name=name, usable=False, detail=f"{program or arch}: not found", remedy=f"apt install {package}")
    if clock == "kvm" and not Path("/dev/kvm").exists():
        return Probe(name=name, usable=False, detail="there is no /dev/kvm", remedy=_REMEDY["kvm"])
    kernel = _any_kernel(arch)
    if kernel is None:
        return Probe(name=name, usable=False, detail="not tried: no kernel in the store to try it with",
                     remedy=f"kassay kernels fetch {'' if arch == 'x86_64' else f'{arch}/'}debian:6.12")  # fmt: skip
    tell(Progress(stage="probe", subject=name, text=f"booting {kernel.parent.name[:12]}"))
    return _boot(name, clock, arch, kernel, run)


def _boot(name: str, clock: str, arch: str, kernel: Path, run: RunQemu) -> Probe:
    with tempfile.TemporaryDirectory(prefix="kassay-probe-") as directory:
        initramfs = Path(directory, "empty.cpio")
        initramfs.write_bytes(b"")
        job = Job(
            directory=directory, program=(), kernel=str(kernel), initramfs=str(initramfs),
            cmdline="console=ttyS0 console=ttyAMA0 panic=-1 reboot=t", cpus=1,
            memory_bytes=512 << 20, seed=1, timeout_s=_TIMEOUT_S,
        )  # fmt: skip
        ended = run(job, clock, arch)
    # With no init the kernel panics at the very end of its boot: that it got there is the proof.
    console = ended.console.decode("utf-8", "replace")
    if "Linux version" in console and "Kernel panic" in console and "init" in console:
        return Probe(name=name, usable=True, detail="booted a stock kernel to the start of init")
    last = console.strip().splitlines()[-1:] or ["no output"]
    why = "no end within 20 s" if ended.timed_out else f"QEMU ended with status {ended.status}"
    detail = f"a stock kernel does not run: {why}; {ended.detail or last[0]}"
    return Probe(name=name, usable=False, detail=detail, remedy=_REMEDY.get(clock, "see the QEMU installation"))


def _any_kernel(arch: str) -> Path | None:
    # A user's own image may not boot, and would speak against the machine: those of the archive first.
    found = (cache_directory() / "kernels").glob("*/kernel.json")
    for image in sorted(found, key=lambda path: (path.parent.suffix, path)):
        if f'"arch":"{arch}"' in image.read_text(errors="replace").replace(" ", ""):
            vmlinux = image.parent / "vmlinux"
            return vmlinux if vmlinux.exists() else image.parent / "image"
    return None
