# SPDX-License-Identifier: GPL-2.0-only
"""Seconds from a command to its answer, kernels cached: stock boots, short boots, snapshots, in one session.

usage: python -m benchmarks.time_to_answer [pairs]
Interleaved; prints medians, their ratio to the stock boot, and where the time of a run goes.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks._kassay import Answer, kassay

BOOTS = ("stock", "short", "snapshot")
COMPARE = ("compare", "mprotect_toggle", "debian:6.12", "debian:6.17", "--repeats", "1", "--perturb", "0")
STAGES = ("boot_s", "quiescence_s", "workload_s", "shutdown_s")


def main() -> None:
    """Prints one table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    place = Path(tempfile.mkdtemp(prefix="time-"))
    kassay(*COMPARE, "--boot", "snapshot", "--out", str(place / "made"))  # snapshots are made once
    seen: dict[str, list[Answer]] = {boot: [] for boot in BOOTS}
    for number in range(rounds):
        for boot in BOOTS:
            out = str(place / f"{boot}-{number}")
            seen[boot].append(kassay(*COMPARE, "--boot", boot, "--out", out, "--format", "json"))
    base = median(answer.answered_s for answer in seen["stock"])
    print(f"two kernels, one run each, n = {rounds}: median (min..max) wall seconds to the answer")
    for boot in BOOTS:
        times = [answer.answered_s for answer in seen[boot]]
        wall = seen[boot][-1].json()["wall"]
        where = ", ".join(f"{stage.removesuffix('_s')} {wall[stage]:.2f}" for stage in STAGES)
        print(f"{boot:9} {median(times):5.2f} ({min(times):.2f}..{max(times):.2f})  {median(times) / base:4.2f}x"
              f"  a run: {where}; page written after {median(a.ended_s for a in seen[boot]):.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
