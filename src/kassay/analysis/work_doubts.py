# SPDX-License-Identifier: GPL-2.0-only
"""Doubts about a comparison of programs that is not refused: work that is not compared, or not wholly known."""

from collections.abc import Callable, Iterator, Sequence
from math import fsum

from msgspec import structs

from kassay.analysis.exact import Judgement
from kassay.analysis.work import LIMIT, faults_left_out, work_differences
from kassay.analysis.work_done import Done, Key, clones, pair_of
from kassay.analysis.work_results import argued_otherwise
from kassay.model.finding import CHANGES
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence
from kassay.model.work import DECIDING, PAGE_FAULTS, is_asked, is_call

RESIDENT, RESIDENT_KB = 0.05, 64
"""Part and kB by which the memory that is resident at the end of a program may differ."""

NAMED = 3
"""Calls that a doubt names."""

WATCHED = 4000
"""System calls of a program's first process whose results are noted (CALLS in guest/results.c)."""


def work_doubts(base: CellEvidence, head: CellEvidence) -> tuple[Reason, ...]:
    """Every reason for which counts of two programs are no exact evidence, though no work is known to differ."""
    pair = pair_of(base, head)
    return tuple(_doubts(*pair)) if pair is not None else ()


def weakened(judged: Judgement, doubts: Sequence[Reason]) -> Judgement:
    """Exact counts that are no exact evidence. A change that is not larger than the work in doubt is no verdict. Calls
    with other arguments may also make others cost more, such as the end of the program: it must be twice theirs."""
    change = judged.change or 0.0
    of_larger = abs(change) / max(1.0, 1.0 + change)
    limits = {"work-not-proportional": abs(change), "arguments-differ": of_larger / 2}
    shares = [(why["share"], limits[why.code]) for why in doubts if why.code in limits]
    hidden = any(isinstance(share, float) and share >= limit for share, limit in shares)
    verdict = "inconclusive" if judged.verdict in CHANGES and hidden else judged.verdict
    return structs.replace(judged, verdict=verdict, evidence="partial", reasons=(*judged.reasons, *doubts))


def _doubts(base: Sequence[Done], head: Sequence[Done]) -> Iterator[Reason]:
    if base[0].divided:
        share = fsum(difference.share for difference in work_differences(base, head))
        if share > LIMIT:
            yield reason("work-not-proportional", share=share)
    faults = faults_left_out(base, head)
    if faults is not None and faults.share > LIMIT:
        where = "in calls" if faults.what != PAGE_FAULTS[1] else ""
        yield reason(
            "faults-left-out", where=where, base_value=faults.base, head_value=faults.head, share=min(faults.share, 1.0)
        )
    kinds = (("", base[0].resident_kb, head[0].resident_kb), ("anonymous", base[0].anonymous_kb, head[0].anonymous_kb))
    for kind, before, after in kinds:
        if before and after and abs(after - before) > max(RESIDENT_KB, RESIDENT * min(before, after)):
            yield reason("resident-differs", kind=kind, base_value=round(before), head_value=round(after))
            break
    otherwise = argued_otherwise(base, head)
    share = fsum(share for _, share in otherwise)
    if any(name in DECIDING for name, _ in otherwise):
        share = max(_share_of(side[0], is_asked) for side in (base, head))
    if share > LIMIT:
        yield reason("arguments-differ", calls=", ".join(f"{name}()" for name, _ in otherwise[:NAMED]), share=share)
    if max(_share_of(side[0], is_call) for side in (base, head)) <= LIMIT:
        return
    if any(side[0].watched >= WATCHED for side in (base, head)):
        yield reason("calls-not-watched", count=WATCHED)
    if any(clones(side[0]) and side[0].other_results is None for side in (base, head)):
        yield reason("others-not-watched")


def _share_of(done: Done, counts: Callable[[Key], bool]) -> float:
    return fsum(count for key, count in done.counts.items() if counts(key)) / done.ticks
