# SPDX-License-Identifier: GPL-2.0-only
"""Doubts about a comparison of programs that is not refused: work that is not compared, or not wholly known."""

from collections.abc import Iterator, Sequence
from math import fsum

from msgspec import structs

from kassay.analysis.exact import Judgement
from kassay.analysis.odd_rounds import hides_change
from kassay.analysis.own_work import own_spreads, timers, varying_share
from kassay.analysis.work import LIMIT, apart, faults_left_out, work_differences
from kassay.analysis.work_done import WATCHED, Done, clones, more_where_dearer, of_larger, pair_of
from kassay.analysis.work_faults import faults_otherwise
from kassay.analysis.work_fixed import fixed_part
from kassay.analysis.work_found import found_otherwise
from kassay.analysis.work_outside import outside_otherwise
from kassay.analysis.work_results import argued_otherwise, arguments_unread, share_of_kinds
from kassay.model.finding import CHANGES
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import COMMON_CODE, DECIDING, PAGE_FAULTS, TURNS, USER_CODE, WAKING, is_asked, is_call

RESIDENT, RESIDENT_KB = 0.05, 64
"""Part and kB by which the memory that is resident at the end of a program may differ."""

NAMED = 3
"""Calls that a doubt names."""

ELSEWHERE = 0.01
"""Part of the value by which instructions may differ that belong to no kind of work."""

MOST = 0.5
"""Part of the value that belongs to no kind of work from which it can hide what the rest costs."""

MOSTLY = 0.75
"""Part of a change from which it is nearly all elsewhere."""

TURN_WEIGHT = 5
"""Times that a turn more costs as much as its call of __schedule(): wake-ups, interrupts, slow paths of locks. Found
with threads that map memory, and are alike under SCHED_FIFO: 147 turns more were 1.2 % of the value, and cost 5.8 %."""

SEVERAL = 4
"""Fewest page faults per round that are not by chance."""

FEW_TURNS = 4
"""Turns that an execution may have more or less on one kernel."""


def work_doubts(base: CellEvidence, head: CellEvidence, margin: float) -> tuple[Reason, ...]:
    """Every reason for which counts of two programs are no exact evidence, though no work is known to differ."""
    pair = pair_of(base, head)
    if pair is None:
        return tuple(_of_own_workload(base, head))
    waits = timers((base, head))
    timed = (reason("timer-may-end", timers=waits),) if waits else ()
    return (*_of_numbers(*pair), *timed, *_of_what_was_before(base.label, head.label, *pair), *_of_watching(*pair),
            *_of_chance(base, head, pair[1][0].ticks / pair[0][0].ticks - 1, margin))  # fmt: skip


def weakened(judged: Judgement, doubts: Sequence[Reason], margin: float) -> Judgement:
    """Exact counts that are no exact evidence. A change that is not larger than the work in doubt is no verdict. Calls
    with other arguments may also make others cost more, such as the end of the program: it must be twice theirs. Nor is
    an equivalence if as much as the margin is in doubt."""
    change = judged.change or 0.0
    half = of_larger(change) / 2
    limits = {
        "work-not-proportional": abs(change),
        "turns-differ": abs(change) / TURN_WEIGHT,
        "arguments-differ": half,
        "arguments-unread": half,
        "found-otherwise": half,
    }
    if judged.verdict not in CHANGES:
        limits = {**dict.fromkeys(limits, margin), "turns-differ": margin / TURN_WEIGHT}
    decisive = [
        why for why in doubts
        if why.code in ("outside-differs", "change-by-chance", "faults-otherwise", "more-operations")
        or (why.code == "faults-on-one-side" and judged.verdict == "improvement")
        or (why.code == "mostly-elsewhere" and judged.verdict not in CHANGES)
        or (why.code == "change-elsewhere" and _is_elsewhere(why, change, margin))
        or (why.code == "rounds-otherwise" and hides_change(why, judged, margin))
        or (why.code == "fixed-in-value" and not _rest_agrees(why, judged, margin))
        or (why.code in limits and isinstance(share := why["share"], float) and share >= limits[why.code])
    ]  # fmt: skip
    evidence = "partial" if judged.evidence == "exact" else judged.evidence
    if not decisive or judged.verdict not in (*CHANGES, "equivalent"):
        return structs.replace(judged, evidence=evidence, reasons=(*judged.reasons, *doubts))
    others = (why for why in (*judged.reasons, *doubts) if why not in decisive)
    return structs.replace(judged, verdict="inconclusive", evidence=evidence, reasons=(*decisive, *others))


def _is_elsewhere(why: Reason, change: float, margin: float) -> bool:
    """True if the rest of the value changes by no more than the margin, or the other way, or by little of the
    change."""
    elsewhere, rest = why["elsewhere"], why["rest"]
    if not isinstance(elsewhere, float) or not isinstance(rest, float):
        return True
    return abs(rest) <= margin or abs(elsewhere) >= MOSTLY * abs(change) or rest * change < 0


def _rest_agrees(why: Reason, judged: Judgement, margin: float) -> bool:
    """True if the value without what each execution does once has the same verdict."""
    rest = why["rest"]
    if not isinstance(rest, float) or judged.verdict not in CHANGES:
        return isinstance(rest, float) and abs(rest) <= margin
    return abs(rest) > margin and rest * (judged.change or 0.0) > 0


def _of_own_workload(base: CellEvidence, head: CellEvidence) -> Iterator[Reason]:
    """Page faults on one kernel alone. A workload of kassay's makes the same calls on any kernel: one of them left its
    work out there, or the change is about avoiding these faults."""
    sides = [[fault for m in side.measurements if (fault := _faults_per_round(m)) is not None] for side in (base, head)]
    if all(sides) and min(map(max, sides)) < 1 and max(map(min, sides)) >= SEVERAL:
        counts = [round(min(faults)) for faults in sides]
        yield reason("faults-on-one-side", base_value=counts[0], base=base.label, head_value=counts[1], head=head.label)


def _faults_per_round(measurement: Measurement) -> float | None:
    """None for a program, or if the counter is not known."""
    faults = dict(measurement.counters).get("pgfault")
    if measurement.work is not None or faults is None:
        return None
    return int(faults) / len(measurement.phases[0].ticks)


def _of_numbers(base: Sequence[Done], head: Sequence[Done]) -> Iterator[Reason]:
    if base[0].divided:
        share = fsum(difference.share for difference in work_differences(base, head))
        if share > LIMIT:
            yield reason("work-not-proportional", share=share)
        operations = [side[0].operations for side in (base, head)]
        if more_where_dearer(operations, head[0].ticks / base[0].ticks - 1):
            yield reason("more-operations", base_value=round(operations[0]), head_value=round(operations[1]))
        fixed = fixed_part(base, head)
        if fixed is not None and fixed.share > LIMIT:
            yield reason("fixed-in-value", share=fixed.share, calls=", ".join(fixed.calls[:NAMED]),
                         more=max(len(fixed.calls) - NAMED, 0) or None, rest=fixed.rest)  # fmt: skip
    faults = faults_left_out(base, head)
    if faults is not None and faults.share > LIMIT:
        where = "in calls" if faults.what != PAGE_FAULTS[1] else ""
        yield reason(
            "faults-left-out", where=where, base_value=faults.base, head_value=faults.head, share=min(faults.share, 1.0)
        )
    apart_in = faults_otherwise(base, head)
    if apart_in is not None and apart_in.share > LIMIT:
        yield reason("faults-otherwise", what=apart_in.what, base_value=round(apart_in.base),
                     head_value=round(apart_in.head), share=min(apart_in.share, 1.0))  # fmt: skip
    kinds = (("", base[0].resident_kb, head[0].resident_kb), ("anonymous", base[0].anonymous_kb, head[0].anonymous_kb))
    for kind, before, after in kinds:
        if before and after and abs(after - before) > max(RESIDENT_KB, RESIDENT * min(before, after)):
            yield reason("resident-differs", kind=kind, base_value=round(before), head_value=round(after))
            break
    yield from _of_arguments(base, head)


def _of_arguments(base: Sequence[Done], head: Sequence[Done]) -> Iterator[Reason]:
    kinds = (("arguments-differ", argued_otherwise(base, head)), ("arguments-unread", arguments_unread(base, head)))
    for code, calls in kinds:
        share = fsum(share for _, share in calls)
        if any(name in DECIDING for name, _ in calls):
            share = max(share_of_kinds(is_asked, side[0]) for side in (base, head))
        if share > LIMIT:
            yield reason(code, calls=", ".join(f"{name}()" for name, _ in calls[:NAMED]), share=share)


def _of_what_was_before(
    base_label: str, head_label: str, base: Sequence[Done], head: Sequence[Done]
) -> Iterator[Reason]:
    found = found_otherwise(base, head)
    share = fsum(row.share for row in found)
    if share > LIMIT:
        most = found[0]
        yield reason("found-otherwise", what=most.call, noun=most.noun, base_value=round(most.base), base=base_label,
                     head_value=round(most.head), head=head_label, more=len(found) - 1 or None,
                     share=min(share, 1.0))  # fmt: skip
    outside = outside_otherwise(base, head)
    if outside:
        yield reason("outside-differs", calls=", ".join(outside[:NAMED]),
                     more=max(len(outside) - NAMED, 0) or None)  # fmt: skip


def _of_watching(base: Sequence[Done], head: Sequence[Done]) -> Iterator[Reason]:
    ticks, others = zip(*((side[0].ticks, _elsewhere(side[0])) for side in (base, head)), strict=True)
    change, elsewhere = ticks[1] - ticks[0], others[1] - others[0]
    is_elsewhere = abs(elsewhere) > max(ELSEWHERE * min(ticks), abs(change) / 2)
    if is_elsewhere:
        yield reason(
            "change-elsewhere", share=None, elsewhere=elsewhere / ticks[0], rest=(change - elsewhere) / ticks[0]
        )
    idle = min(other / all_ for all_, other in zip(ticks, others, strict=True))
    rest = [all_ - other for all_, other in zip(ticks, others, strict=True)]
    if not is_elsewhere and idle >= MOST and rest[0] and abs(of_rest := rest[1] / rest[0] - 1) > ELSEWHERE:
        yield reason("mostly-elsewhere", share=idle, change=of_rest)
    yield from _of_turns(base, head)
    if max(share_of_kinds(is_call, side[0]) for side in (base, head)) <= LIMIT:
        return
    if any(side[0].watched >= WATCHED for side in (base, head)):
        yield reason("calls-not-watched", count=WATCHED)
    if any(clones(side[0]) and side[0].other_results is None for side in (base, head)):
        yield reason("others-not-watched")


def _of_turns(base: Sequence[Done], head: Sequence[Done]) -> Iterator[Reason]:
    """Turns of several tasks: kassay's runner starts a program of one, and waits for it."""
    carried = {key: apart(key, base, head) for key in TURNS}
    most = max(TURNS, key=lambda key: carried[key])
    made = [round(side[0].times.get(most, 0.0)) for side in (base, head)]
    share = fsum(carried.values()) / min(base[0].ticks, head[0].ticks)
    if share > LIMIT and abs(made[1] - made[0]) > FEW_TURNS and max(clones(base[0]), clones(head[0])):
        what = "wake-ups" if most[0] == WAKING else "calls of __schedule()"
        yield reason("turns-differ", what=what, base_value=made[0], head_value=made[1], share=share)


def _of_chance(base: CellEvidence, head: CellEvidence, change: float, margin: float) -> Iterator[Reason]:
    """A change is larger than the margin whatever the work is in which the runs of one kernel differ."""
    if abs(change) <= margin:
        return
    spreads = {side.label: own_spreads(side) for side in (base, head)}
    label = max(spreads, key=lambda label: varying_share(spreads[label]))
    share = varying_share(spreads[label])
    if share > LIMIT and abs(change) < share + margin:
        yield reason("change-by-chance", label, what=spreads[label][0].what, share=min(share, 1.0), margin=margin)


def _elsewhere(done: Done) -> float:
    """Instructions outside of the kinds of work that are compared."""
    known = done.times.get(USER_CODE, 0.0) + done.times.get(COMMON_CODE, 0.0)
    return done.ticks - known - fsum(count for key, count in done.counts.items() if is_asked(key))
