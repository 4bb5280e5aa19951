# SPDX-License-Identifier: GPL-2.0-only
"""Does every workload of the catalogue react to a change of code on its own path?

usage: python -m benchmarks.planted_catalogue [PAGE]     two boots and a run of every workload on both; some minutes.
For each workload the function is chosen that its primary metric calls and that the fewest other workloads call; K
instructions are planted at its entry, all of them in one kernel. Then every workload must differ from the stock kernel
in the planted functions that it calls, by K for each call, and in no other. Writes the table to PAGE as well, such as
docs/results/planted.md. Workloads that need modules are left out: a planted kernel has no package.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks._kassay import kassay
from benchmarks._plant import plant
from benchmarks.planted import KERNEL, Stock, own_cache, stock_kernel
from kassay.evidence.profile.functions import profile_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.journal import artifacts
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from kassay.model.workload import Workload
from kassay.supply.guest import catalog, protocol
from kassay.supply.guest.audit import sections

K = 10
_EXPERIMENT = """\
schema = "kassay-experiment/1"
question = "value"
boot = "snapshot"
profile = "counts"
repeats = 1
perturb = 0
retries = 0
rounds = 6
kernels = [{{ ref = "image:{image}" }}]
"""


class Counted(NamedTuple):
    """One workload on one kernel, over the rounds of its primary phase: kernel functions for the workload itself.

    elsewhere: functions that interrupts and other tasks call too.
    """

    operations: int
    ticks: int
    instructions: Mapping[str, int]
    calls: Mapping[str, int]
    elsewhere: frozenset[str]
    problem: str


class Reaction(NamedTuple):
    """One workload. shared: other workloads that call its function. expected, found: of the primary metric's rows."""

    workload: str
    function: str
    shared: int
    calls: float
    expected: float
    found: float
    exact: bool


def measured(image: Path, names: Sequence[str], out: Path) -> dict[str, Counted]:
    """Every workload on one kernel; those that could not run are missing."""
    spec = out.with_suffix(".toml")
    spec.write_text(_EXPERIMENT.format(image=image) + "".join(f'[[workloads]]\nname = "{name}"\n' for name in names))
    answer = kassay("run", str(spec), "--out", str(out), "--format", "json")
    assert (out / "plan.json").exists(), answer.errors
    folder = open_directory(out)
    records = {record.run.rpartition("-")[0]: record for record in read_journal(out / "journal.jsonl")}
    cells = {cell.id: catalog.workloads()[cell.workload] for cell in folder.plan.cells}
    found = {}
    for cell, record in records.items():
        if record.outcome == "ok" and record.stream_sha256 and record.profile_sha256:
            streams = (record.stream_sha256, record.profile_sha256)
            found[cells[cell].name] = _counted(out, *streams, record.symbols, cells[cell])
    return found


def _counted(out: Path, stream: str, counts: str, tables: Sequence[str], workload: Workload) -> Counted:
    report = protocol.parse(artifacts.get(out, stream))
    symbols = Symbols.load([artifacts.get(out, table) for table in tables], dict(sections(report)))
    phase = next(phase.name for phase in workload.phases if phase.primary)
    rounds = range(len(report.phases[0].ticks))
    made = profile_of(
        parse(artifacts.get(out, counts)), symbols, report, phase=phase, rounds=rounds, kernel="", run=""
    )  # fmt: skip
    own = [row for row in made.functions if row.context == "kernel" and row.place == "kernel"]
    return Counted(
        made.operations, made.ticks or 0, {row.function: row.instructions for row in own},
        {row.function: row.calls for row in own if row.calls},
        frozenset(row.function for row in made.functions if row.context not in ("kernel", "user")), made.problem,
    )  # fmt: skip


def chosen(stock: Stock, found: Mapping[str, Counted]) -> dict[str, str]:
    """Workload -> the function of its own: called by the fewest workloads, of these most often."""
    callers = Counter(function for counted in found.values() for function in counted.calls)
    elsewhere = frozenset[str]().union(*(counted.elsewhere for counted in found.values()))
    return {
        name: min(own, key=lambda function: (callers[function], -counted.calls[function], function))
        for name, counted in found.items()
        if (own := [function for function in counted.calls if function in stock.sites and function not in elsewhere])
    }


def reactions(
    before: Mapping[str, Counted], after: Mapping[str, Counted], functions: Mapping[str, str]
) -> list[Reaction]:
    """Reaction of each workload to a kernel in which all these functions were planted."""
    callers = Counter(function for counted in before.values() for function in counted.calls)
    planted, made = set(functions.values()), []
    for name, function in functions.items():
        if name not in after:
            continue
        base, head = before[name], after[name]
        names = base.instructions.keys() | head.instructions.keys()
        rows = {n: head.instructions.get(n, 0) - base.instructions.get(n, 0) for n in names}
        wanted = {n: K * base.calls[n] for n in planted & base.calls.keys()}
        made.append(
            Reaction(
                workload=name,
                function=function,
                shared=callers[function] - 1,
                calls=base.calls[function] / base.operations,
                expected=wanted[function] / base.operations,
                found=rows[function] / base.operations,
                exact={n: d for n, d in rows.items() if d} == wanted,
            )
        )
    return made


def table(found: Sequence[Reaction]) -> str:
    """The reactions as a table of a page."""
    titles = ("workload", "its function", "others that call it", "calls", "planted", "found", "elsewhere")
    lines = [f"| {' | '.join(titles)} |", "| --- | --- | ---: | ---: | ---: | ---: | --- |"]
    for row in found:
        numbers = f"{row.shared} | {row.calls:.4g} | {row.expected:.4g} | {row.found:.4g}"
        lines.append(f"| {row.workload} | `{row.function}` | {numbers} | {'nothing' if row.exact else 'differs'} |")
    return "\n".join(lines) + "\n"


def _page(found: Sequence[Reaction], left_out: Sequence[str]) -> str:
    right = sum(abs(row.found - row.expected) < 1e-9 for row in found)
    only = sum(row.exact for row in found)
    return f"""\
# Each workload reacts to code on its own path

`python -m benchmarks.planted_catalogue docs/results/planted.md`, {KERNEL}, every workload with its defaults. {K}
instructions were planted at the entry of one function for each workload, all in one kernel: the function that its
primary metric calls and that the fewest other workloads call, of those that begin with `endbr64` (an instruction
without effect that gives way to them) and that no interrupt and no other task calls. {right} of {len(found)} workloads
show {K} instructions for each call of that function, exactly. In {only} of them nothing else differs but what other
planted functions add that they call too; in the rest a tick of the timer came at another moment, or a list was longer.
Calls and instructions are per operation.

{table(found)}
Left out, as they need kernel modules, another machine, or call no function that can be planted:
{", ".join(left_out) or "none"}.
"""


def main() -> None:
    """Prints the table, and asserts that every workload finds what was planted in its function."""
    names = [workload.name for workload in catalog.workloads().values() if not workload.modules]
    with tempfile.TemporaryDirectory(prefix="planted-") as directory:
        place = Path(directory)
        stock = stock_kernel(place)
        os.environ.update(own_cache(place))
        before = measured(stock.path, names, place / "stock-runs")
        functions = chosen(stock, before)
        kernel = stock.vmlinux
        for function in sorted(set(functions.values())):
            kernel = plant(kernel, stock.sites[function], K)
        planted = place / "planted"
        planted.write_bytes(kernel)
        found = reactions(before, measured(planted, list(functions), place / "planted-runs"), functions)
    for name, counted in before.items():
        if counted.problem or name not in functions:
            print(f"{name}: {counted.problem or 'no function of its can be planted'}")
    print(table(found))
    if len(sys.argv) > 1:
        left_out = [name for name in catalog.workloads() if name not in functions]
        Path(sys.argv[1]).write_text(_page(found, left_out))
    assert all(abs(row.found - row.expected) < 1e-9 for row in found)


if __name__ == "__main__":
    main()
