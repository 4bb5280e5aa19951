# SPDX-License-Identifier: GPL-2.0-only
"""A user's program whose time is measured made the same system calls on both kernels, as far as kassay watched it.

Before it takes the time of a program, kassay executes it once and watches its calls. Nothing else is known of the work:
the program's own code is not counted.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from kassay.analysis.gate import GateRule, Refusal
from kassay.analysis.own_work import UNSTEADY
from kassay.analysis.work import number_text
from kassay.model.finding import StateDifference
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence
from kassay.model.work import CLONES, FUTEX, Work
from kassay.supply.clocks import clock_of

Calls = Counter[str]
"""Number of calls of each name; those that failed have a name of their own."""


class _Apart(NamedTuple):
    """Calls of one name, and the nearest numbers of them on the two kernels."""

    name: str
    base: float
    head: float


_FEW = 4
"""Calls that one kernel may see more or less: a C library that starts, or a file of the kernel that is longer."""


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    works = [_watched(side) for side in (base, head)]
    if not all(works):
        return ()
    with_others = all(_is_whole(work) for side in works for work in side)
    first, second = ([_calls(work, with_others=with_others) for work in side] for side in works)
    names = sorted({name for calls in (*first, *second) for name in calls})
    found = [apart for name in names if (apart := _apart(name, first, second)) is not None]
    found = [one for one in found if not _is_turn(one, first, second)]
    total = max(calls.total() for calls in (*first, *second))
    if sum(abs(one.head - one.base) for one in found) <= max(UNSTEADY * total, _FEW):
        return ()
    most = max(found, key=lambda one: abs(one.head - one.base))
    why = reason(
        "watched-work", what=most.name, base_value=number_text(most.base), base=base.label,
        head_value=number_text(most.head), head=head.label, more=len(found) - 1 or None,
    )  # fmt: skip
    differences = tuple(
        StateDifference(moment="during", field=one.name, base=number_text(one.base), head=number_text(one.head))
        for one in found
    )
    return (Refusal(verdict="different-work", reason=why, differences=differences),)


def _watched(side: CellEvidence) -> list[Work]:
    """The work of each run whose calls were watched. None is compared where the program prints how many operations it
    did: the time is then that of one, and their number may differ."""
    runs = [m for m in side.measurements if not m.control and m.work is not None]
    if not _is_timed(side) or any(phase.printed for m in runs for phase in m.phases):
        return []
    return [m.work for m in runs if m.work is not None and m.work.results is not None]


def _is_whole(work: Work) -> bool:
    """True if the calls of children and threads were all seen, too."""
    return work.results is not None and work.other_results is not None


def _calls(work: Work, *, with_others: bool) -> Calls:
    calls = Calls()
    for one in (*(work.results or ()), *((work.other_results or ()) if with_others else ())):
        calls[f"{one.name}() that failed with {one.error}" if one.error else f"{one.name}()"] += one.times
    return calls


def _apart(name: str, base: Sequence[Calls], head: Sequence[Calls]) -> _Apart | None:
    """The nearest numbers of two sides whose runs all differ; None where the ranges meet."""
    low, high = ([calls[name] for calls in side] for side in (base, head))
    if max(low) < min(high):
        return _Apart(name, max(low), min(high))
    if max(high) < min(low):
        return _Apart(name, min(low), max(high))
    return None


def _is_turn(one: _Apart, base: Sequence[Calls], head: Sequence[Calls]) -> bool:
    """True for calls of futex() that are a matter of the scheduler's turns: pthread_join() makes one only if the thread
    has not ended yet."""
    threads = max(sum(calls[f"{name}()"] for _, name in CLONES) for calls in (*base, *head))
    return one.name.startswith(f"{FUTEX[1]}()") and abs(one.head - one.base) <= threads


def _is_timed(side: CellEvidence) -> bool:
    return not clock_of(side.cell.machine.clock).counts_work


def _doubt(side: CellEvidence) -> Reason | None:
    """The work of a program whose calls were not all watched, or are not compared."""
    runs = [m for m in side.measurements if not m.control and m.work is not None]
    if not runs or not _is_timed(side):
        return None
    known = _watched(side)
    return None if len(known) == len(runs) and all(map(_is_whole, known)) else reason("work-not-watched")


RULE = GateRule(
    name="timed_work", summary="a timed program made the same calls on both kernels", order=51, check=_check,
    doubt=_doubt,
)  # fmt: skip
