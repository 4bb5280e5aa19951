# SPDX-License-Identifier: GPL-2.0-only
"""Make the table of the kernel's functions that each workload of the catalogue executes, inlined ones included.

usage: python -m benchmarks.reached [kernel]     About 3 minutes on 2 idle cores, and the build of the kernel.
Runs every workload and setting of the suite mm once, and writes the table that reports name workloads from.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks._kassay import kassay
from kassay.evidence import reached
from kassay.evidence.profile.costs import times
from kassay.evidence.profiles import lines_of_run, raw_of
from kassay.journal.directory import open_directory
from kassay.model.lines import ReachedRow, ReachedTable
from kassay.model.plan import Cell
from kassay.model.records import to_json
from kassay.model.run import RunRecord
from kassay.spec import suites
from kassay.supply.guest import catalog

_HEAD = """\
schema = "kassay-experiment/1"
name = "reached"
question = "value"
clock = "icount"
boot = "snapshot"
repeats = 1
perturb = 0
rounds = 4
profile = "counts"

[[kernels]]
ref = "{kernel}"

"""
_SIZES = ("size",)
"""Parameters that say how much is done, not what."""


def main() -> None:
    """Measures, writes the table, and prints how large it is and what did not run."""
    kernel = sys.argv[1] if len(sys.argv) > 1 else "build:debian-source:7.3"
    place = Path(tempfile.mkdtemp(prefix="reached-"))
    suite = (Path(suites.__file__).parent / "suites" / "mm.toml").read_text("utf-8")
    (place / "reached.toml").write_text(_HEAD.format(kernel=kernel) + suite[suite.index("[[workloads]]") :])
    ended = kassay("run", str(place / "reached.toml"), "--out", str(place / "runs"))
    if ended.status:
        print(ended.errors[-2000:])
    folder = open_directory(place / "runs")
    cells = {cell.id: cell for cell in folder.plan.cells}
    runs = {run.id: cells[run.cell] for run in folder.plan.runs}
    executed = {
        named(runs[record.run]): functions_of(place / "runs", record)
        for record in folder.records()
        if record.outcome == "ok" and record.lines_sha256
    }
    table = table_of(executed, folder.plan.kernels[0].release)
    reached.TABLE.write_bytes(to_json(table) + b"\n")
    lacking = sorted({cell.workload for cell in cells.values()} - {name.partition(" ")[0] for name in executed})
    size = reached.TABLE.stat().st_size
    print(f"{len(table.functions)} functions, {len(executed)} workloads and settings, {size} bytes")
    print(f"not run: {', '.join(lacking) or 'none'}")


def named(cell: Cell) -> str:
    """The workload with the settings that say what it does, unless they are the defaults."""
    defaults = {p.name: str(p.default) for p in catalog.workloads()[cell.workload].parameters}
    own = [s for s in cell.settings if s.name not in _SIZES and s.value != defaults.get(s.name)]
    return " ".join((cell.workload, *(f"{s.name}={s.value}" for s in own)))


def functions_of(directory: Path, record: RunRecord) -> Counter[str]:
    """Instructions of each function that the workload's own tasks executed in the kernel, its inlined functions
    included."""
    raw, table = raw_of(directory, record), lines_of_run(directory, record)
    assert raw is not None and table is not None
    chains = dict(table.places)
    counts: Counter[str] = Counter()
    own = raw.sums(range(raw.rounds + 1), range(raw.intervals))[0]
    for number, ran in times(raw, own).items():
        address, lengths, _ = raw.blocks[number]
        for at, length in enumerate(lengths):
            count = ran if isinstance(ran, int) else ran[at]
            if count and address in chains:
                for function in {frame.function for frame in table.chains[chains[address]]}:
                    counts[function] += count
            address += length
    return counts


def table_of(executed: dict[str, Counter[str]], release: str) -> ReachedTable:
    """The table of all functions, in order of their names."""
    workloads = sorted(executed)
    rows = []
    for function in sorted({name for counts in executed.values() for name in counts if name != "??"}):
        by_share = sorted(
            (name for name in workloads if executed[name][function]),
            key=lambda name: (-executed[name][function] / executed[name].total(), name),
        )
        first = tuple(workloads.index(name) for name in by_share[: reached.MOST])
        rows.append(ReachedRow(function=function, workloads=first, count=len(by_share)))
    return ReachedTable(version=1, kernel=f"Linux {release}, lab configuration", workloads=tuple(workloads),
                        functions=tuple(rows))  # fmt: skip


if __name__ == "__main__":
    main()
