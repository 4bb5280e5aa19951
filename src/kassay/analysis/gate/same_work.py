# SPDX-License-Identifier: GPL-2.0-only
"""A user's program did the same work on both kernels: system calls with their results, faults, its own instructions.

kassay's own workloads do a fixed amount of work. A program may adapt to the clock, retry, or take other turns.
"""

from collections.abc import Sequence
from math import fsum

from kassay.analysis.gate import GateRule, Refusal
from kassay.analysis.own_work import UNSTEADY, Spread, clock_reads, own_spreads, timers, varying_share
from kassay.analysis.work import LIMIT, limit_of, number_text, work_differences
from kassay.analysis.work_done import Done, of_larger, pair_of
from kassay.analysis.work_results import longer_files
from kassay.model.finding import StateDifference
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence
from kassay.supply.clocks import clock_of


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    pair = pair_of(base, head)
    if pair is None:
        return ()
    found = work_differences(*pair)
    share = fsum(difference.share for difference in found)
    if share <= limit_of(pair[0]):
        return _unsteady(base, head, pair)
    # A system call is what the program asked for; the faults may follow from it.
    first = next((d for d in found if d.what.endswith("()") and d.share > limit_of(pair[0])), found[0])
    reads = max(clock_reads(base), clock_reads(head))
    why = reason(
        "different-work", what=first.what, base_value=first.base, base=base.label, head_value=first.head,
        head=head.label, unit=_unit(pair), share=min(share, 1.0), more=len(found) - 1 or None,
        files=", ".join(longer_files(pair[0][0], pair[1][0])) or None, reads=round(reads) or None,
        timers=timers((base, head)),
    )  # fmt: skip
    differences = tuple(StateDifference(moment="during", field=d.what, base=d.base, head=d.head) for d in found)
    return (Refusal(verdict="different-work", reason=why, differences=differences),)


def _unit(pair: tuple[tuple[Done, ...], tuple[Done, ...]]) -> str:
    return "operation" if pair[0][0].divided else "round"


def _unsteady(
    base: CellEvidence, head: CellEvidence, pair: tuple[tuple[Done, ...], tuple[Done, ...]]
) -> tuple[Refusal, ...]:
    """The runs of one kernel differ in work that carries more of the value than the kernels differ by: which of these
    amounts of work a kernel did is then chance. Half of it is enough where the watched executions show it alone."""
    spreads = {side.label: own_spreads(side) for side in (base, head)}
    label = max(spreads, key=lambda label: varying_share(spreads[label]))
    share, change = varying_share(spreads[label]), pair[1][0].ticks / pair[0][0].ticks - 1
    watched = varying_share([spread for spread in spreads[label] if spread.in_watched])
    if share <= max(UNSTEADY, abs(change)) and watched <= max(UNSTEADY, of_larger(change) / 2):
        return ()
    most = spreads[label][0]
    why = reason(
        "work-by-chance", label, what=most.what, low=number_text(most.low), high=number_text(most.high),
        unit="call" if most.in_watched else _unit(pair), more=len(spreads[label]) - 1 or None, share=min(share, 1.0),
        change=change,
        reads=round(max(clock_reads(base), clock_reads(head))) or None, timers=timers((base, head)),
    )  # fmt: skip
    return (
        Refusal(verdict="different-work", reason=why, differences=_ranges(spreads[base.label], spreads[head.label])),
    )


def _ranges(base: Sequence[Spread], head: Sequence[Spread]) -> tuple[StateDifference, ...]:
    """The work of all runs of each side, as ranges."""
    sides = [{spread.what: f"{number_text(spread.low)} to {number_text(spread.high)}" for spread in side}
             for side in (base, head)]  # fmt: skip
    names = dict.fromkeys((*sides[0], *sides[1]))
    return tuple(
        StateDifference(moment="during", field=name, base=sides[0].get(name, "-"), head=sides[1].get(name, "-"))
        for name in names
    )


def _doubt(side: CellEvidence) -> Reason | None:
    """The work of a program that is not known, or that the runs of one kernel did not do alike."""
    plain = [m for m in side.measurements if m.plain and m.work is not None]
    if not plain or not clock_of(side.cell.machine.clock).counts_work:
        return None
    if not any(m.work is not None and m.work.items for m in plain):
        return reason("work-not-known")
    spreads = own_spreads(side)
    if varying_share(spreads) <= LIMIT:
        return None
    return reason("work-varies", what=spreads[0].what, share=min(varying_share(spreads), 1.0))


RULE = GateRule(
    name="same_work", summary="a program did the same work on both kernels", order=50, check=_check, doubt=_doubt
)
