# SPDX-License-Identifier: GPL-2.0-only
"""From a command to its answer, kernels cached: stock boots, short boots, snapshots, in seconds and in bare boots.

usage: python -m benchmarks.time_to_answer [rounds]

The unit is a bare boot of the second kernel at the same time, as hosts differ: QEMU with the archive's image, an init
that does nothing but switch the machine off, and no option or kernel parameter that shortens anything, so that the unit
does not shrink with kassay's own boots. Beside it stands the same boot on the machine of a short boot, without the
plugin's profile: the floor for an answer from short boots. Interleaved; medians of wall seconds. In the table: until
the answer's first byte, until the page is written after that, and where the seconds go:
stages of one run (both kernels run side by side), and the rest, which is kassay's own.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks._kassay import Answer, kassay
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.guest import cpio
from kassay.supply.kernels import fetch
from kassay.supply.machines import Job, machine_for

KERNELS = ("debian:6.12", "debian:6.17")
BOOTS = ("stock", "short", "snapshot")
COMPARE = ("compare", "mprotect_toggle", *KERNELS, "--repeats", "1", "--perturb", "0")
STAGES = ("boot_s", "quiescence_s", "workload_s", "shutdown_s")
_OFF = "#include <sys/reboot.h>\nint main(void) { return reboot(RB_AUTOBOOT); }\n"


def main() -> None:
    """Prints one table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    directory = Path(tempfile.mkdtemp(prefix="time-"))
    _answered("--boot", "snapshot", "--out", str(directory / "made"))  # snapshots are made once
    bare_boot, floor_boot = boots_alone(directory)
    bare: list[float] = []
    floor: list[float] = []
    seen: dict[str, list[Answer]] = {boot: [] for boot in BOOTS}
    for number in range(rounds):
        bare.append(seconds_of(bare_boot))
        floor.append(seconds_of(floor_boot))
        for boot in BOOTS:
            out = str(directory / f"{boot}-{number}")
            seen[boot].append(_answered("--boot", boot, "--out", out, "--format", "json"))
    unit = median(bare)
    print(f"n = {rounds}; bare boot {unit:.2f} s ({min(bare):.2f}..{max(bare):.2f}), on the machine of a short boot "
          f"{median(floor):.2f} s ({min(floor):.2f}..{max(floor):.2f}); two kernels, one run each:")  # fmt: skip
    for boot, answers in seen.items():
        answered = median(answer.answered_s for answer in answers)
        page = median(answer.ended_s - answer.answered_s for answer in answers)
        wall = [answer.json()["wall"] for answer in answers]
        stages = {stage.removesuffix("_s"): median(one[stage] for one in wall) for stage in STAGES}
        stages["rest"] = answered - sum(stages.values())
        where = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in stages.items())
        print(f"{boot:9} answer {answered:5.2f} s {answered / unit:5.2f} boots   page {page:5.2f} s {page / unit:5.2f}"
              f"   ({where})")  # fmt: skip


def _answered(*options: str) -> Answer:
    answer = kassay(*COMPARE, *options)
    if answer.status != 0:
        raise SystemExit(f"kassay {' '.join((*COMPARE, *options))}: status {answer.status}\n{answer.errors}")
    return answer


def boots_alone(directory: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    """Two ways to boot the second kernel with an init that ends at once, and to wait: bare, and as a short boot."""
    source, init, archive = (directory / name for name in ("init.c", "init", "initramfs"))
    source.write_text(_OFF)
    subprocess.run(("gcc", "-static", "-O2", "-o", init, source), check=True)
    archive.write_bytes(cpio.archive([cpio.file("init", init.read_bytes(), executable=True)]))
    machine, kernel = machine_for("icount"), fetch([parse_ref(KERNELS[-1])], "cloud", silent)[0]
    assert kernel.image is not None
    bare = ("qemu-system-x86_64", "-m", "1G", "-nographic", "-no-reboot", "-kernel", kernel.image, "-initrd", archive,
            "-append", "console=ttyS0 quiet panic=-1")  # fmt: skip
    job = Job(
        directory=str(directory), program=(), kernel=kernel.vmlinux if kernel.pvh else kernel.image,
        initramfs=str(archive), cmdline=machine.cmdline("x86_64", 1, "short"), cpus=1, memory_bytes=1 << 30, seed=1,
        timeout_s=600,
    )  # fmt: skip

    def boot_bare() -> None:
        subprocess.run(bare, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)

    def boot_short() -> None:
        ended = machine.run(job, "x86_64")
        if ended.status != 0 or ended.timed_out:
            raise SystemExit(f"the boot failed: {ended.detail}")

    return boot_bare, boot_short


def seconds_of(boot: Callable[[], None]) -> float:
    started = time.monotonic()
    boot()
    return time.monotonic() - started


if __name__ == "__main__":
    main()
