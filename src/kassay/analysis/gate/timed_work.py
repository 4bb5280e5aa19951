# SPDX-License-Identifier: GPL-2.0-only
"""A user's program whose time is measured made the same system calls on both kernels, as far as kassay watched it.

Before it takes the time of a program, kassay executes it once and watches its calls. Nothing else is known of the work:
the program's own code is not counted.
"""

from collections import Counter
from collections.abc import Sequence

from kassay.analysis.gate import GateRule, Refusal
from kassay.analysis.own_work import UNSTEADY
from kassay.analysis.work import number_text
from kassay.model.finding import StateDifference
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence
from kassay.supply.clocks import clock_of

Calls = Counter[str]
"""Number of calls of each name; those that failed have a name of their own."""


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    sides = _watched(base), _watched(head)
    if not all(sides):
        return ()
    found = [apart for name in sorted({*sides[0][0], *sides[1][0]}) if (apart := _apart(name, *sides)) is not None]
    total = max(calls.total() for side in sides for calls in side)
    if sum(abs(head - base) for _, base, head in found) <= UNSTEADY * total:
        return ()
    what, base_value, head_value = max(found, key=lambda one: abs(one[2] - one[1]))
    why = reason(
        "watched-work", what=what, base_value=number_text(base_value), base=base.label,
        head_value=number_text(head_value), head=head.label, more=len(found) - 1 or None,
    )  # fmt: skip
    differences = tuple(
        StateDifference(moment="during", field=name, base=number_text(first), head=number_text(second))
        for name, first, second in found
    )
    return (Refusal(verdict="different-work", reason=why, differences=differences),)


def _watched(side: CellEvidence) -> list[Calls]:
    """The calls of each run that was watched. None is compared where the program prints how many operations it did: the
    time is then one of them, and their number may differ."""
    runs = [m for m in side.measurements if not m.control and m.work is not None]
    if not _is_timed(side) or any(phase.printed for m in runs for phase in m.phases):
        return []
    known = [m.work for m in runs if m.work is not None and m.work.results is not None]
    found = []
    for work in known:
        calls = Calls()
        for one in (*(work.results or ()), *(work.other_results or ())):
            calls[f"{one.name}() that failed with {one.error}" if one.error else f"{one.name}()"] += one.times
        found.append(calls)
    return found


def _apart(name: str, base: Sequence[Calls], head: Sequence[Calls]) -> tuple[str, float, float] | None:
    """The nearest numbers of two sides whose runs all differ; None where the ranges meet."""
    low, high = ([calls[name] for calls in side] for side in (base, head))
    if max(low) < min(high):
        return name, max(low), min(high)
    if max(high) < min(low):
        return name, min(low), max(high)
    return None


def _is_timed(side: CellEvidence) -> bool:
    return not clock_of(side.cell.machine.clock).counts_work


def _doubt(side: CellEvidence) -> Reason | None:
    is_program = any(m.work is not None for m in side.measurements)
    return reason("work-not-counted") if is_program and _is_timed(side) else None


RULE = GateRule(
    name="timed_work", summary="a timed program made the same calls on both kernels", order=51, check=_check,
    doubt=_doubt,
)  # fmt: skip
