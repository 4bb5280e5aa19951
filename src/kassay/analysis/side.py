# SPDX-License-Identifier: GPL-2.0-only
"""One kernel's side of a comparison: the rounds of each run as one number, its runs as costs per operation."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Literal

from msgspec import UNSET

from kassay.analysis.gate import rules
from kassay.clocks import clock_of
from kassay.model.finding import Side
from kassay.model.guest import PhaseRounds
from kassay.model.reason import Reason, reason
from kassay.model.records import Record
from kassay.model.run import CellEvidence, Measurement

Method = Literal["mode", "mean", "median"]
"""How steady rounds become one number: their most frequent count, their mean, or their median."""

WARMUP_TOLERANCE = 0.01
"""A first round further than this from the later ones' median is warm-up."""

MODE_SHARE = 0.5
"""The most frequent count stands for the run when at least this share of steady rounds has it."""

KINDS_ROUNDS = 8
KINDS_TOLERANCE = 0.03
"""Rounds are of two kinds when the middle fifth of at least so many steady ones spreads by more than this share."""


class Summary(Record, frozen=True, kw_only=True):
    """One run, one phase, in ticks per round.

    warmup: how many first rounds are set apart. settled: the others are of one kind; False when half of all
    rounds would have to be set apart, which is no warm-up any more. chosen: the round whose count this is, from 0; two
    for a median between two, all steady ones for a mean.
    """

    ticks: float
    warmup: int
    settled: bool
    method: str
    chosen: tuple[int, ...]


def summarise(ticks: Sequence[int], by: Method) -> Summary:
    """One number for the steady rounds.

    Timer ticks and background work only ever add to a round of exact counts, so the count that most steady rounds
    share is the work's own. With several CPUs there may be no such count: a round includes what the other CPUs did
    meanwhile, which varies. On one CPU, too, every second round may free what two rounds have allocated. The mean
    includes all of them and is as exact. method_of() chooses one method for all runs of a comparison: a mode and a
    mean must not be compared.
    """
    first = warmup_rounds(ticks)
    if by == "mean" and first == len(ticks) // 2 and _halves_agree(ticks):
        first = 0  # single rounds differ, the means of both halves do not
    steady = ticks[first:]
    apart = f", {first} warm-up set apart" if first else ""
    settled = first < len(ticks) // 2 or first == 0
    if by == "mode":
        value, share = Counter(sorted(steady)).most_common(1)[0]
        method = f"mode: {share} of {len(steady)} rounds{apart}"
        return Summary(
            ticks=value, warmup=first, settled=settled, method=method, chosen=(first + list(steady).index(value),)
        )
    if by == "mean":
        why = "rounds are of two kinds" if two_kinds(ticks) else "counts vary with the turns of the CPUs"
        method = f"mean of {len(steady)} rounds{apart}: {why}"
        return Summary(
            ticks=sum(steady) / len(steady), warmup=first, settled=settled, method=method,
            chosen=tuple(range(first, len(ticks))),
        )  # fmt: skip
    method = f"median of {len(steady)} rounds{apart}"
    return Summary(
        ticks=median(steady), warmup=first, settled=settled, method=method,
        chosen=tuple(first + index for index in _middle(steady)),
    )  # fmt: skip


def _halves_agree(ticks: Sequence[int]) -> bool:
    """Whether the first half of the rounds costs what the second does, within the tolerance."""
    half = len(ticks) // 2
    later = fmean(ticks[half:])
    return abs(fmean(ticks[:half]) - later) <= WARMUP_TOLERANCE * later


def _middle(ticks: Sequence[int]) -> tuple[int, ...]:
    """The rounds that the median is made of: one, or two that differ."""
    order = sorted(range(len(ticks)), key=lambda index: ticks[index])
    low, high = order[(len(order) - 1) // 2], order[len(order) // 2]
    return (low,) if ticks[low] == ticks[high] else tuple(sorted((low, high)))


def has_mode(ticks: Sequence[int]) -> bool:
    """Whether enough of the steady rounds have the same count for it to stand for the run."""
    steady = ticks[warmup_rounds(ticks) :]
    return Counter(steady).most_common(1)[0][1] >= MODE_SHARE * len(steady)


def two_kinds(ticks: Sequence[int]) -> bool:
    """Whether about half of the steady rounds cost more than the other half. A mode would speak for one half only, and
    a single timer tick that falls elsewhere could move a median from one to the other."""
    steady = sorted(ticks[warmup_rounds(ticks) :])
    low, high = steady[len(steady) * 2 // 5], steady[-1 - len(steady) * 2 // 5]
    return len(steady) >= KINDS_ROUNDS and high - low > KINDS_TOLERANCE * low


def warmup_rounds(ticks: Sequence[int]) -> int:
    """How many first rounds differ from the later ones: at most half of them, each further from the
    median of the second half than the tolerance and than three robust standard deviations."""
    half = len(ticks) // 2
    later = median(ticks[half:])
    spread = 1.4826 * median(abs(value - later) for value in ticks[half:])
    allowed = max(WARMUP_TOLERANCE * later, 3 * spread)
    return next((index for index, value in enumerate(ticks[:half]) if abs(value - later) <= allowed), half)


def build_side(evidence: CellEvidence, phase: str, by: Method) -> Side:
    """Costs per operation of one phase, in the clock's unit. by: method_of() all sides of the comparison.

    value is the first plain run's where counts are exact (all plain runs must agree; see repeats_agree), else the
    median of the plain runs'; None without a plain run.
    """
    clock, plain = clock_of(evidence.cell.machine.clock), [m for m in evidence.measurements if m.plain]
    values = tuple(run_value(m, phase, by) for m in plain)
    first = phase_rounds(plain[0], phase) if plain else None
    summary = summarise(first.ticks, by) if first else None
    rounds = tuple(t * _scale(plain[0], first) for t in first.ticks) if first else ()
    return Side(
        kernel=evidence.label,
        value=(values[0] if clock.exact else median(values)) if values else None,
        method=summary.method if summary else "no run succeeded",
        runs=values,
        perturbed=tuple(run_value(m, phase, by) for m in evidence.measurements if m.perturbation),
        rounds=rounds,
        warmup=rounds[: summary.warmup] if summary else (),
        failed=evidence.lost,
        unmade=evidence.unmade,
        doubts=(*_doubts(plain, summary), *_doubts_of_rules(evidence)),
        chosen=summary.chosen if summary else (),
        contexts=_contexts(plain),
        blocks=() if clock.exact else tuple(m.block for m in plain),
        failed_tries=len(evidence.failures),
        hosts=UNSET if clock.exact or not any(m.host for m in plain) else tuple(m.host for m in plain),
    )


def _contexts(plain: list[Measurement]) -> tuple[tuple[str, float], ...]:
    """What ran in the measured region, as shares of its instructions; nothing without a usable profile."""
    counts = next((m.region.counts for m in plain if m.region is not None and not m.region.problem), ())
    total = sum(count for _, count in counts)
    return tuple((context, count / total) for context, count in counts) if total else ()


def _doubts(plain: list[Measurement], summary: Summary | None) -> tuple[Reason, ...]:
    """Why this side's evidence is weaker than the strongest, apart from the number of runs."""
    doubts = []
    if summary is not None and not summary.settled:
        doubts.append(reason("never-settles"))
    blind = [m for m in plain if m.region is None or m.region.problem]
    if any(m.foreign_ns is None or m.tasks_left_out for m in blind):
        doubts.append(reason("others-not-known"))
    return tuple(doubts)


def _doubts_of_rules(evidence: CellEvidence) -> tuple[Reason, ...]:
    """What the gate's rules find wrong although they do not refuse a comparison for it."""
    return tuple(doubt for rule in rules() if (doubt := rule.doubt(evidence)) is not None)


def method_of(group: Iterable[CellEvidence], phase: str) -> Method:
    """How the rounds of all kernels of a comparison become numbers: where counts are exact by their mode, if every run
    of every kernel has one in this phase; by their mean, if a run has rounds of two kinds, or on several CPUs."""
    sides = tuple(group)
    if not all(clock_of(item.cell.machine.clock).exact for item in sides):
        return "median"
    rounds = [phase_rounds(m, phase).ticks for item in sides for m in item.measurements]
    kinds = any(map(two_kinds, rounds))
    if all(map(has_mode, rounds)) and not kinds:
        return "mode"
    several = any((item.cell.machine.cpus or 1) > 1 for item in sides)
    return "mean" if several or kinds else "median"


def run_value(measurement: Measurement, phase: str, by: Method) -> float:
    """Cost per operation of one run."""
    rounds = phase_rounds(measurement, phase)
    return summarise(rounds.ticks, by).ticks * _scale(measurement, rounds)


def repeats_agree(evidence: CellEvidence) -> Reason | None:
    """None when every plain run has the same count in every round of every phase; else what differs.

    A difference is a defect of the instrument, not noise.
    """
    plain = [m for m in evidence.measurements if m.plain]
    for other in plain[1:]:
        for phase in plain[0].phases:
            ticks = phase_rounds(other, phase.phase).ticks
            for index, (a, b) in enumerate(zip(phase.ticks, ticks, strict=True), start=1):
                if a != b:
                    return reason(
                        "repeats-disagree", evidence.label, phase=phase.phase, round=index, count=a, run=plain[0].run,
                        other_count=b, other_run=other.run,
                    )  # fmt: skip
    return None


def phase_rounds(measurement: Measurement, phase: str) -> PhaseRounds:
    """The rounds of one phase; analyse() has checked that the run has it."""
    return next(p for p in measurement.phases if p.phase == phase)


def _scale(measurement: Measurement, rounds: PhaseRounds) -> float:
    # Of exact counts a nanosecond of guest time is one instruction, so this serves counts and times alike.
    return measurement.ns_per_tick / rounds.operations
