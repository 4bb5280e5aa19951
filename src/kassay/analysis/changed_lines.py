# SPDX-License-Identifier: GPL-2.0-only
"""Changed source lines and the lines that both kernels executed -> which of the changes the workload executed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

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
    LinesRan,
    Reached,
    SourceChange,
    SourcePart,
)
from kassay.model.plan import Cell
from kassay.supply.clocks import clock_of


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


def changed_lines(change: SourceChange, base: LinesRan, head: LinesRan, reached: Mapping[str, Reached]) -> ChangedLines:
    """State of each line that differs between the two kernels: executed in the measured part, or not.

    Added and changed lines are looked up in head, removed ones in base. reached: by function, the workloads that are
    known to execute it.
    """
    if change.absent:
        return ChangedLines(absent=change.absent, hunks=change.hunks)
    parts = tuple(_part(part, base, head) for part in change.parts)
    functions = dict.fromkeys(part.function for part in parts if part.state == NOT_EXECUTED)
    elsewhere = tuple(reached[function] for function in functions if function in reached)
    return ChangedLines(state=state_of(parts), parts=parts, hunks=change.hunks, elsewhere=elsewhere)


def state_of(parts: Sequence[ChangedPart]) -> str:
    """The state of several parts: executed if one of them is; without code only if all of them are."""
    states = {part.state for part in parts}
    return next((state for state in (EXECUTED, NOT_EXECUTED) if state in states), NO_CODE)


def _part(part: SourcePart, base: LinesRan, head: LinesRan) -> ChangedPart:
    added = _Lines.of(part.lines, part.code, head, part.path)
    removed = _Lines.of(part.removed, part.removed_code, base, part.path)
    state = EXECUTED if added.executed or removed.executed else NOT_EXECUTED if any(added + removed) else NO_CODE
    return ChangedPart(
        path=part.path, function=part.function, line=min(part.lines or part.removed, default=0), state=state,
        executed=added.executed, not_executed=added.idle, outside=added.outside, removed_executed=removed.executed,
        removed_not_executed=removed.idle, removed_outside=removed.outside,
        without_code=len(part.lines) + len(part.removed) - sum(map(len, added + removed)),
        reason=part.reason if state == NO_CODE else "",
    )  # fmt: skip


class _Lines(NamedTuple):
    """Changed lines of one kernel that have code."""

    executed: tuple[int, ...]
    outside: tuple[int, ...]
    idle: tuple[int, ...]

    @classmethod
    def of(cls, lines: Sequence[int], code: Sequence[int], ran: LinesRan, path: str) -> Self:
        """A line that was executed has code, even if the line table of the image has no row of its own for it: the call
        of an inlined function may have none."""
        measured, anywhere = ran.measured.get(path, ()), ran.anywhere.get(path, ())
        return cls(
            tuple(line for line in lines if line in measured),
            tuple(line for line in lines if line in anywhere and line not in measured),
            tuple(line for line in code if line not in anywhere),
        )
