# SPDX-License-Identifier: GPL-2.0-only
"""Tries a QEMU machine for real: a stock kernel must come to the end of its boot.

Opening /dev/kvm proves nothing: on some hosts a VM can be created and yet no stock kernel
runs in it. So the probe boots a stored kernel until its console shows that it reached init.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.files import cache_directory
from kassay.model.machine import MachineProbe
from kassay.model.progress import Progress, Tell
from kassay.supply.arches import arch_of, arches
from kassay.supply.machines._backend import Ended, Job

_TIMEOUT_S = 60  # a boot takes one second, on a busy host ten and more

RunQemu = Callable[[Job, str], Ended]


def probe_by_boot(name: str, device: str, remedy: str, arch: str, run: RunQemu, tell: Tell) -> MachineProbe:
    """Usable or not, by booting a stored kernel until its console speaks. device: that the host must have, "" for none.
    remedy: what to do where a kernel does not run."""
    qemu = arch_of(arch).qemu
    if process.find(qemu.program) is None:
        return MachineProbe(name=name, usable=False, detail=f"{qemu.program}: not found", remedy=install(qemu.package))
    if device and not Path(device).exists():
        return MachineProbe(name=name, usable=False, detail=f"there is no {device}", remedy=remedy)
    kernel = _any_kernel(arch)
    if kernel is None:
        prefix = "" if arch == next(iter(arches())) else f"{arch}/"
        return MachineProbe(name=name, usable=False, detail="not tried: no kernel in the store to try it with",
                     remedy=f"kassay kernels fetch {prefix}debian:6.12", tried=False)  # fmt: skip
    tell(Progress(stage="probe", subject=name, text=f"booting {kernel.parent.name[:12]}"))
    return _boot(name, remedy, arch, kernel, run)


def _boot(name: str, remedy: str, arch: str, kernel: Path, run: RunQemu) -> MachineProbe:
    with tempfile.TemporaryDirectory(prefix="kassay-probe-") as directory:
        initramfs = Path(directory, "empty.cpio")
        initramfs.write_bytes(b"")
        job = Job(
            directory=directory, program=(), kernel=str(kernel), initramfs=str(initramfs),
            cmdline=f"console={arch_of(arch).qemu.console} panic=-1 reboot=t", cpus=1,
            memory_bytes=512 << 20, seed=1, timeout_s=_TIMEOUT_S,
        )  # fmt: skip
        ended = run(job, arch)
    # With no init the kernel panics at the very end of its boot: that it got there is the proof.
    console = ended.console.decode("utf-8", "replace")
    if "Linux version" in console and "Kernel panic" in console and "init" in console:
        return MachineProbe(name=name, usable=True, detail="booted a stock kernel to the start of init")
    last = console.strip().splitlines()[-1:] or ["no output"]
    why = f"no end within {_TIMEOUT_S} s" if ended.timed_out else f"QEMU ended with status {ended.status}"
    detail = f"a stock kernel does not run: {why}; {ended.detail or last[0]}"
    return MachineProbe(name=name, usable=False, detail=detail, remedy=remedy)


def _any_kernel(arch: str) -> Path | None:
    # A user's own image may not boot although the machine works: kernels of the archive first.
    entries = (cache_directory() / "kernels").glob("*/kernel.json")
    for entry in sorted(entries, key=lambda path: (path.parent.suffix, path)):
        if f'"arch":"{arch}"' in entry.read_text(errors="replace").replace(" ", ""):
            vmlinux = entry.parent / "vmlinux"
            return vmlinux if vmlinux.exists() else entry.parent / "image"
    return None
