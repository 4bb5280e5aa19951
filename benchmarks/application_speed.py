# SPDX-License-Identifier: GPL-2.0-only
"""How long the suite of applications takes over two kernels, and how fast one application executes with its counts.

usage: python -m benchmarks.application_speed DIR     DIR must not be there; kernels and packages are at hand

Runs `kassay compare --suite apps debian:6.12 debian:7.3` once: two runs of each kernel, two rounds, profiles with call
trees, snapshots (made anew where the cache has none). The unit is a bare boot of the second kernel before and after it
(benchmarks.time_to_answer), as hosts differ. A run executes its application three times: once before the region, and
two rounds in it; both kernels run side by side on two cores. Seconds are wall time; medians of the runs.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks._kassay import kassay
from benchmarks.time_to_answer import boots_alone, seconds_of
from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal

KERNELS = ("debian:6.12", "debian:7.3")
ROUNDS = 2
_WANTED = 2e9  # instructions; the time that these take is the target's measure


def main() -> None:
    """Prints one table, and the whole."""
    directory = Path(sys.argv[1])
    boot, _ = boots_alone(Path(tempfile.mkdtemp(prefix="speed-")))
    bare = [seconds_of(boot) for _ in range(3)]
    began = time.monotonic()
    asked = kassay("compare", "--suite", "apps", *KERNELS, "--rounds", str(ROUNDS), "--repeats", "2", "--perturb", "0",
                   "--boot", "snapshot", "--out", str(directory))  # fmt: skip
    took = time.monotonic() - began
    if asked.status != 0:
        raise SystemExit(f"status {asked.status}\n{asked.errors[-2000:]}")
    bare += [seconds_of(boot) for _ in range(3)]
    unit = median(bare)
    print(f"bare boot {unit:.2f} s (n = {len(bare)}: {min(bare):.2f}..{max(bare):.2f})")
    print(f"the suite: {took:.0f} s = {took / unit:.0f} boots")
    print("| application | 10⁹ instructions a run | s a run | 10⁹ instructions a s | s for 2 × 10⁹ | boots |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, executed, seconds in _rows(directory):
        pace = executed / seconds
        two = _WANTED / pace
        print(f"| {name} | {executed / 1e9:.2f} | {seconds:.1f} | {pace / 1e9:.3f} | {two:.1f} | {two / unit:.1f} |")


def _rows(directory: Path) -> Iterator[tuple[str, float, float]]:
    """Name, instructions of a run, wall seconds of its workload, all on the second kernel."""
    folder = open_directory(directory)
    records = read_journal(folder.journal, folder.plan_id)
    cell_of = {run.id: run.cell for run in folder.plan.runs}
    for cell in collect(folder, records):
        if cell.kernel.ref != KERNELS[1]:
            continue
        walls = [r.wall.workload_s for r in records if r.outcome == "ok" and cell_of[r.run] == cell.cell.id]
        regions = [sum(dict(m.region.counts).values()) for m in cell.measurements if m.region is not None]
        if walls and regions:
            yield cell.cell.workload, median(regions) * (ROUNDS + 1) / ROUNDS, median(walls)


if __name__ == "__main__":
    main()
