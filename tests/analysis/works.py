# SPDX-License-Identifier: GPL-2.0-only
"""Runs of a program that did this or that work."""

from collections.abc import Mapping, Sequence

from msgspec import structs

from kassay.analysis.analyse import compare
from kassay.model.finding import Finding
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import CallResult, Found, Work, WorkItem
from kassay.model.workload import Phase
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement

CALL, PAGE_FAULT, INNER, USER = "system call", "fault", "fault in a call", "user code"
CLOCK, LOOKUP = "clock", "vDSO lookup"
Items = Mapping[tuple[str, str], tuple[int, int]]
"""Kind and name -> how often in a round, and what that cost."""

ADAPTIVE: Items = {(CALL, "madvise"): (5, 500_000), (PAGE_FAULT, "page fault"): (1300, 4_000_000),
                   (USER, ""): (20_000, 0), (CLOCK, ""): (6, 0)}  # fmt: skip
FEWER: Items = {(CALL, "madvise"): (4, 480_000), (PAGE_FAULT, "page fault"): (1044, 3_500_000),
                (USER, ""): (18_900, 0), (CLOCK, ""): (5, 0)}  # fmt: skip


def did(items: Items, ticks: int = 0, *, perturbation: int = 0, repeat: int = 0,
        results: Sequence[CallResult] | None = None, rounds: int = 3, resident_kb: int = 0,
        peak_kb: int = 0,
        anonymous_kb: int = 0, region: bool = False, others: Sequence[CallResult] | None = (),
        executions: int = 0, arguments: Mapping[str, str] | None = None,
        found: Sequence[Found] | None = None) -> Measurement:  # fmt: skip
    """A run in whose rounds this was done."""
    total = ticks or sum(count for _, count in items.values()) + items.get((USER, ""), (0, 0))[0]
    made = tuple(
        WorkItem(kind=kind, name=name, times=(times,) * rounds, counts=(count,) * rounds if count else ())
        for (kind, name), (times, count) in items.items()
    )
    work = Work(phase="iteration", items=made, results=None if results is None else tuple(results),
                other_results=None if others is None else tuple(others), region=region, executions=executions,
                arguments=None if arguments is None else tuple(arguments.items()),
                found=None if found is None else tuple(found))  # fmt: skip
    run = measurement([total] * rounds, perturbation=perturbation, repeat=repeat)
    kb = {"program.Rss": resident_kb, "program.Anonymous": anonymous_kb, "program.peak": peak_kb}
    after = (*run.after, *((name, str(amount)) for name, amount in kb.items() if amount))
    return structs.replace(run, work=work, after=after)


def two(base: CellEvidence, head: CellEvidence) -> Finding:
    phase = Phase(name="iteration", operation="execution", definition="x", primary=True)
    return compare(plan_of(2), base, head, phase, "mode", None)


def kernels(base: Items, head: Items) -> tuple[CellEvidence, CellEvidence]:
    """Two plain and one perturbed run each."""
    runs = [[did(items), did(items, repeat=1), did(items, repeat=2, perturbation=1)] for items in (base, head)]
    return evidence("6.12", *runs[0]), evidence("7.3", *runs[1], index=1)


def changed(items: Items, **changes: tuple[int, int]) -> Items:
    """The same with other system calls, or "fault" and "user"."""
    keys = {"fault": (PAGE_FAULT, "page fault"), "user": (USER, "")}
    return {**items, **{keys.get(name, (CALL, name)): value for name, value in changes.items()}}
