# SPDX-License-Identifier: GPL-2.0-only
"""Changed source lines and the lines that both kernels executed -> which of the changes the workload executed."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import structs

from kassay.analysis.itemised import Profiles, cell_of
from kassay.errors import BadInput
from kassay.model.finding import Finding
from kassay.model.lines import (
    EXECUTED,
    NO_CODE,
    NOT_EXECUTED,
    ChangedLines,
    ChangedPart,
    Reached,
    SourceChange,
    SourcePart,
)
from kassay.model.plan import Cell
from kassay.supply.clocks import clock_of

Executed = Mapping[str, Collection[int]]
"""Lines by file."""


def with_changed_lines(
    findings: Iterable[Finding], cells: Sequence[Cell], changes: Sequence[SourceChange], profiles: Profiles,
    reached: Mapping[str, Reached],
) -> tuple[Finding, ...]:  # fmt: skip
    """The findings on kernels whose sources differ, with what was executed of the differing lines; others as they are.

    Times have no such lines: they carry no profile.
    """
    by_pair = {(change.base, change.head): change for change in changes}
    return tuple(
        structs.replace(finding, changed=_of_finding(finding, cells, change, profiles, reached))
        if (change := by_pair.get(finding.kernels)) is not None and clock_of(finding.machine.clock).counts_work
        else finding
        for finding in findings
    )


def _of_finding(
    finding: Finding, cells: Sequence[Cell], change: SourceChange, profiles: Profiles, reached: Mapping[str, Reached]
) -> ChangedLines:
    cell = cell_of(finding, cells)
    try:
        base, head = (profiles.lines(cell, side, finding.metric) for side in finding.sides)
    except BadInput:
        base = head = None
    if base is None or head is None:
        return ChangedLines(absent=change.absent or "no-profile", hunks=change.hunks)
    return changed_lines(change, base, head, reached)


def changed_lines(change: SourceChange, base: Executed, head: Executed, reached: Mapping[str, Reached]) -> ChangedLines:
    """State of each line that differs between the two kernels: executed or not.

    Added and changed lines are looked up in head, removed ones in base. reached: by function, the workloads that are
    known to execute it.
    """
    if change.absent:
        return ChangedLines(absent=change.absent, hunks=change.hunks)
    parts = tuple(_part(part, base.get(part.path, ()), head.get(part.path, ())) for part in change.parts)
    functions = dict.fromkeys(part.function for part in parts if part.state == NOT_EXECUTED)
    elsewhere = tuple(reached[function] for function in functions if function in reached)
    return ChangedLines(state=state_of(parts), parts=parts, hunks=change.hunks, elsewhere=elsewhere)


def state_of(parts: Sequence[ChangedPart]) -> str:
    """The state of several parts: executed if one of them is; without code only if all of them are."""
    states = {part.state for part in parts}
    return next((state for state in (EXECUTED, NOT_EXECUTED) if state in states), NO_CODE)


def _part(part: SourcePart, base: Collection[int], head: Collection[int]) -> ChangedPart:
    """A line that was executed has code, even if the line table of the image has no row of its own for it: the call of
    an inlined function may have none."""
    executed = tuple(line for line in part.lines if line in head)
    gone = tuple(line for line in part.removed if line in base)
    idle = tuple(line for line in part.code if line not in head)
    gone_idle = tuple(line for line in part.removed_code if line not in base)
    state = EXECUTED if executed or gone else NOT_EXECUTED if idle or gone_idle else NO_CODE
    with_code = len(executed) + len(gone) + len(idle) + len(gone_idle)
    return ChangedPart(
        path=part.path, function=part.function, line=min(part.lines or part.removed, default=0), state=state,
        executed=executed, not_executed=idle, removed_executed=gone,
        removed_not_executed=gone_idle, without_code=len(part.lines) + len(part.removed) - with_code,
        reason=part.reason if state == NO_CODE else "",
    )  # fmt: skip
