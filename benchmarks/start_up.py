# SPDX-License-Identifier: GPL-2.0-only
"""Time of a command before it does anything: help, version, workloads and errors, against a bare interpreter.

usage: python -m benchmarks.start_up [rounds]
Interleaved. Prints processor time (user and system) and wall time, least of all rounds, and both as multiples of
`python -c pass` of the same rounds, as hosts differ.
"""

import resource
import subprocess
import sys
import time
from typing import NamedTuple

PROGRAM = "from kassay.cli import main; main()"
KERNELS = ("image:/nowhere", "image:/nowhere")
COMMANDS = {
    "help": ("--help",),
    "help of compare": ("compare", "--help"),
    "help of report": ("report", "--help"),
    "version": ("--version",),
    "workloads": ("workloads",),
    "one workload": ("workloads", "mprotect_toggle"),
    "unknown command": ("compar",),
    "unknown option": ("compare", "--clok", "tcg"),
    "unknown workload": ("compare", "mprotect_togle", *KERNELS),
    "unknown kernel": ("compare", "mprotect_toggle", "linux-6.12", "debian:6.17"),
    "bad value": ("compare", "mprotect_toggle", *KERNELS, "--order", "up"),
}


class Taken(NamedTuple):
    """Seconds."""

    cpu_s: float
    wall_s: float


def main() -> None:
    """Prints one table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    argvs: dict[str, tuple[str, ...]] = {"bare": (sys.executable, "-c", "pass")}
    argvs |= {name: (sys.executable, "-c", PROGRAM, *words) for name, words in COMMANDS.items()}
    seen: dict[str, list[Taken]] = {name: [] for name in argvs}
    for _ in range(rounds):
        for name, argv in argvs.items():
            seen[name].append(taken(argv))
    cpu = {name: min(one.cpu_s for one in found) for name, found in seen.items()}
    wall = {name: min(one.wall_s for one in found) for name, found in seen.items()}
    print(f"n = {rounds}, least; x: multiples of a bare interpreter")
    for name in argvs:
        print(f"{name:18} cpu {cpu[name]:6.3f} s {cpu[name] / cpu['bare']:5.1f} x"
              f"   wall {wall[name]:6.3f} s {wall[name] / wall['bare']:5.1f} x")  # fmt: skip


def taken(argv: tuple[str, ...]) -> Taken:
    """One process from start to end; its output is dropped."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - start)


if __name__ == "__main__":
    main()
