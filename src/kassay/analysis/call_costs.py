# SPDX-License-Identifier: GPL-2.0-only
"""Cost of one system call, of one fault and of one printed operation of a user's program, whatever their number."""

from collections.abc import Sequence
from math import fsum
from statistics import fmean
from typing import NamedTuple

from msgspec import structs

from kassay.analysis.exact import judge_counts
from kassay.analysis.rounds import Method, costs, method_of, phase_rounds, summarise
from kassay.analysis.work import PER_OPERATION_LIMIT, Mix, mix_of, work_differences
from kassay.analysis.work_done import Done, Key, cost_of_one, more_where_dearer, of_one_call, pair_of
from kassay.analysis.work_faults import FAULTS, faults_otherwise
from kassay.analysis.work_found import finding_otherwise
from kassay.analysis.work_results import arguments_apart
from kassay.model.finding import Side
from kassay.model.reason import Reason
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import ASKED, OPERATION, RATE, CallCost, Work

LARGE = 0.02
"""Share of the value that a kind of call must carry, on both kernels, for its cost to be shown."""

NS_PER_S = 1e9

_OF_STATE = {"clone", "clone3", "execve", "execveat", "exit", "exit_group", "fork", "futex", "vfork", "wait4", "waitid"}
"""System calls whose cost is that of what a process has by then, or of whom they wait for."""


def call_costs(
    base: CellEvidence, head: CellEvidence, sides: tuple[Side, Side], margin: float, disagreement: Reason | None,
    *, refused: bool = False,
) -> tuple[CallCost, ...]:  # fmt: skip
    """Cost of one call of each kind, for the kinds that carry much of the value on both kernels, the largest first.

    sides: those of the finding. margin: as in the experiment. disagreement: as for judge_counts(). refused: the work
    differs. Then a cost is no more than `partial`, calls that were made with other amounts, errors or kinds have none,
    and those whose cost follows from other work have no verdict; see _follows(). Nor have calls with other arguments,
    or that found other memory.
    """
    pair = pair_of(base, head)
    if pair is None or any(side.value is None for side in sides):
        return ()
    found = []
    for key in pair[0][0].counts.keys() & pair[1][0].counts.keys():
        shares = [done[0].counts[key] / done[0].ticks for done in pair]
        if key[0] in ASKED and min(shares) >= LARGE and all(key in run.times for done in pair for run in done):
            found.append(_call_cost(key, pair, sides, margin, disagreement, min(shares)))
    if refused:
        mix = mix_of(*pair)
        found = [
            _weakened(cost, "after-other-work" if _follows(cost, mix) else "")
            for cost in found if cost.name not in mix.otherwise
        ]  # fmt: skip
    doubted = {*arguments_apart(*pair), *finding_otherwise(*pair)}
    if faults_otherwise(*pair) is not None:
        doubted |= {name for _, name in FAULTS}
    found = [_weakened(cost, "of-other-things") if cost.name in doubted else cost for cost in found]
    return tuple(sorted(found, key=lambda cost: (-cost.share, cost.text)))


def _weakened(cost: CallCost, why: str) -> CallCost:
    """No more than partial. why: a word of NO_VERDICT, with which there is no verdict; or "", which changes none."""
    verdict = "inconclusive" if why else cost.verdict
    return structs.replace(cost, verdict=verdict, evidence="partial", why=why or cost.why)


def _follows(cost: CallCost, mix: Mix) -> bool:
    """True if the cost of one may have changed since other work was done: after calls of other kinds or amounts or
    faults of other pages, or at the end or the copy of a process with other memory."""
    return not mix.alike or cost.name in _OF_STATE


def _call_cost(
    key: Key, pair: tuple[tuple[Done, ...], tuple[Done, ...]], sides: tuple[Side, Side], margin: float,
    disagreement: Reason | None, share: float,
) -> CallCost:  # fmt: skip
    """Plain runs agree to the digit, or there is a disagreement: the one whose calls are known stands for all."""
    counted = [
        structs.replace(
            side, value=cost_of_one(key, done[0]), runs=(cost_of_one(key, done[0]),) * len(side.runs),
            perturbed=tuple(cost_of_one(key, run) for run in done if not run.plain), doubts=(),
        )
        for side, done in zip(sides, pair, strict=True)
    ]  # fmt: skip
    times = [done[0].times[key] for done in pair]
    cost = structs.replace(_judged(counted, times, margin, disagreement), kind=key[0], name=key[1], share=share)
    return _weakened(cost, "of-more") if more_where_dearer(times, cost.change) else cost


def _judged(sides: Sequence[Side], times: list[float], margin: float, disagreement: Reason | None) -> CallCost:
    """The costs of one on two sides, judged as values are. times: how often it was done."""
    base, head = sides
    judged = judge_counts(base, head, margin, disagreement)
    return CallCost(
        kind="", name="", base=base.value or 0.0, head=head.value or 0.0, base_times=times[0], head_times=times[1],
        change=judged.change or 0.0, interval=judged.interval or (0.0, 0.0), floor=judged.floor, verdict=judged.verdict,
        evidence=judged.evidence, n_base=len(base.runs) + len(base.perturbed),
        n_head=len(head.runs) + len(head.perturbed), share=0.0,
    )  # fmt: skip


def operation_cost(
    base: CellEvidence, head: CellEvidence, sides: tuple[Side, Side], margin: float, disagreement: Reason | None
) -> CallCost | None:
    """Cost of one of the operations that a program prints; None unless their numbers differ and explain why the work
    does. The start and the end of the program are part of it, so the evidence is partial."""
    pair = pair_of(base, head)
    if pair is None or pair[0][0].divided or any(side.value is None for side in sides):
        return None
    known = [_known(item) for item in (base, head)]
    printed = {(work.operations.name, work.operations.rate) if work.operations else None
               for runs in known for _, work in runs}  # fmt: skip
    named = printed.pop() if len(printed) == 1 else None
    if named is None:
        return None
    by = method_of((base, head), known[0][0][1].phase)
    numbers = [[_operations(m, work, by) for m, work in runs] for runs in known]
    times = [[number.in_round for number in side] for side in numbers]
    each = [
        [_divided(done, number) for done, number in zip(*side, strict=True)] for side in zip(pair, times, strict=True)
    ]
    differ = fsum(difference.share for difference in work_differences(*each))
    if times[0][0] == times[1][0] or differ > PER_OPERATION_LIMIT:
        return None
    ended = [
        structs.replace(
            side, value=done[0].ticks, runs=tuple(run.ticks for run in done if run.plain),
            perturbed=tuple(run.ticks for run in done if not run.plain), doubts=(),
        )
        for side, done in zip(sides, each, strict=True)
    ]  # fmt: skip
    cost = _judged(ended, [side[0].printed for side in numbers], margin, disagreement)
    cost = structs.replace(cost, kind=RATE if named[1] else OPERATION, name=named[0], share=1.0, evidence="partial")
    return _weakened(cost, "of-more") if more_where_dearer([side[0] for side in times], cost.change) else cost


def _known(side: CellEvidence) -> list[tuple[Measurement, Work]]:
    """The runs of which the work is known, in the order of pair_of()."""
    runs = [(m, m.work) for m in side.measurements if not m.control and m.work is not None and m.work.items]
    return sorted(runs, key=lambda run: not run[0].plain)


class _Number(NamedTuple):
    """Operations, as a program prints them, and in one round."""

    printed: float
    in_round: float


def _operations(measurement: Measurement, work: Work, by: Method) -> _Number:
    """The number of one run. A printed rate is one of guest time, in which an instruction takes 1 ns."""
    assert work.operations is not None  # the caller has looked
    phase = phase_rounds(measurement, work.phase)
    rounds = summarise(costs(phase), by).chosen
    printed = fmean(work.operations.values[number] for number in rounds)
    if not work.operations.rate:
        return _Number(printed, printed)
    return _Number(printed, printed * fmean(phase.ticks[number] for number in rounds) / NS_PER_S)


def _divided(done: Done, operations: float) -> Done:
    """The work of one operation."""
    return done._replace(
        times={key: times / operations for key, times in done.times.items()},
        counts={key: count / operations for key, count in done.counts.items()},
        ticks=done.ticks / operations, results=of_one_call(done.results),
        other_results=of_one_call(done.other_results), divided=True, operations=operations,
    )  # fmt: skip
