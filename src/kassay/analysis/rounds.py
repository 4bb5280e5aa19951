# SPDX-License-Identifier: GPL-2.0-only
"""The rounds of a run -> one number, and which rounds that number stands for."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Literal

from kassay.model.guest import PhaseRounds
from kassay.model.records import Record
from kassay.model.run import CellEvidence, Measurement
from kassay.supply.clocks import clock_of

Method = Literal["mode", "mean", "median"]
"""Method by which steady rounds become one number: their most frequent count, their mean, or their median."""
METHODS: tuple[Method, ...] = ("mode", "mean", "median")

WARMUP_TOLERANCE = 0.01
"""A first round further than this from the later ones' median is warm-up."""

MODE_SHARE = 0.5
"""The most frequent count stands for the run when at least this share of steady rounds has it."""

KINDS_ROUNDS = 4
KINDS_TOLERANCE = 0.03
"""Rounds are of two kinds when the middle fifth of at least so many spreads by more than this share."""


class Summary(Record, frozen=True, kw_only=True):
    """One run, one phase, in ticks per round."""

    ticks: float
    warmup: int
    """Number of first rounds that are set apart."""
    settled: bool
    """True if the other rounds are of one kind. False if half of all rounds would have to be set apart, which is no
    warm-up any more."""
    method: str
    chosen: tuple[int, ...]
    """Round whose count this is, from 0; two for a median between two, all steady ones for a mean."""


def summarise(ticks: Sequence[float], by: Method) -> Summary:
    """One number for the steady rounds.

    Timer ticks and background work only ever add to a round of exact counts, so the count that most steady rounds
    share is the work's own. With several CPUs there may be no such count: a round includes what the other CPUs did
    meanwhile, which varies. On one CPU, too, every second round may free what two rounds have allocated. The mean
    includes all of them and is as exact. method_of() chooses one method for all runs of a comparison: a mode and a
    mean must not be compared.
    """
    first, kinds = warmup_rounds(ticks), by == "mean" and two_kinds(ticks)
    if by == "mean" and first == len(ticks) // 2 and _halves_agree(ticks):
        first = 0  # single rounds differ, the means of both halves do not
    settled = first < len(ticks) // 2 or first == 0
    odd = int(kinds and (len(ticks) - first) % 2)  # left out: as many rounds of one kind as of the other
    steady = ticks[first + odd :]
    apart = (f", {first} warm-up set apart" if first else "") + (", 1 left out" if odd else "")
    if by == "mode":
        value, share = Counter(sorted(steady)).most_common(1)[0]
        method = f"mode: {share} of {len(steady)} rounds{apart}"
        return Summary(
            ticks=value, warmup=first, settled=settled, method=method, chosen=(first + list(steady).index(value),)
        )
    if by == "mean":
        why = "rounds are of two kinds" if kinds else "counts vary from round to round"
        method = f"mean of {len(steady)} rounds{apart}: {why}"
        return Summary(
            ticks=sum(steady) / len(steady), warmup=first, settled=settled, method=method,
            chosen=tuple(range(first + odd, len(ticks))),
        )  # fmt: skip
    method = f"median of {len(steady)} rounds{apart}"
    return Summary(
        ticks=median(steady), warmup=first, settled=settled, method=method,
        chosen=tuple(first + index for index in _middle(steady)),
    )  # fmt: skip


def _halves_agree(ticks: Sequence[float]) -> bool:
    """True if the first half of the rounds costs the same as the second, within the tolerance."""
    half = len(ticks) // 2
    later = fmean(ticks[half:])
    return abs(fmean(ticks[:half]) - later) <= WARMUP_TOLERANCE * later


def _middle(ticks: Sequence[float]) -> tuple[int, ...]:
    """The rounds that the median is made of: one, or two that differ."""
    order = sorted(range(len(ticks)), key=lambda index: ticks[index])
    low, high = order[(len(order) - 1) // 2], order[len(order) // 2]
    return (low,) if ticks[low] == ticks[high] else tuple(sorted((low, high)))


def has_mode(ticks: Sequence[float]) -> bool:
    """True if enough of the steady rounds have the same count for it to stand for the run."""
    steady = ticks[warmup_rounds(ticks) :]
    return Counter(steady).most_common(1)[0][1] >= MODE_SHARE * len(steady)


def two_kinds(ticks: Sequence[float]) -> bool:
    """True if about half of the steady rounds cost more than the other half.

    A mode would then stand for one half only. A single timer tick could move a median from one half to the other. Where
    too few rounds are steady, they are looked at together with the first ones.
    """
    steady = ticks[warmup_rounds(ticks) :]
    rounds = sorted(steady if len(steady) >= KINDS_ROUNDS else ticks)
    if len(rounds) < KINDS_ROUNDS:
        return False
    outside = min(len(rounds) * 2 // 5, len(rounds) // 2 - 1)  # the middle fifth is two rounds or more
    low, high = rounds[outside], rounds[-1 - outside]
    return high - low > KINDS_TOLERANCE * low


def warmup_rounds(ticks: Sequence[float]) -> int:
    """Number of first rounds that differ from the later ones, at most half of them.

    Each is further from the median of the second half than the tolerance and than three robust standard deviations.
    """
    half = len(ticks) // 2
    later = median(ticks[half:])
    spread = 1.4826 * median(abs(value - later) for value in ticks[half:])
    allowed = max(WARMUP_TOLERANCE * later, 3 * spread)
    return next((index for index, value in enumerate(ticks[:half]) if abs(value - later) <= allowed), half)


def method_of(group: Iterable[CellEvidence], phase: str) -> Method:
    """Method by which the rounds of all kernels of a comparison become numbers.

    Exact counts: the mode, if every run of every kernel has one in this phase; the mean, if a run has rounds of two
    kinds, or on several CPUs. Otherwise the median.
    """
    sides = tuple(group)
    if not all(clock_of(item.cell.machine.clock).counts_work for item in sides):
        return "median"
    rounds = [costs(phase_rounds(m, phase)) for item in sides for m in item.measurements]
    kinds = any(map(two_kinds, rounds))
    if all(map(has_mode, rounds)) and not kinds:
        return "mode"
    several = any((item.cell.machine.cpus or 1) > 1 for item in sides)
    return "mean" if several or kinds else "median"


def run_value(measurement: Measurement, phase: str, by: Method) -> float:
    """Cost per operation of one run."""
    rounds = phase_rounds(measurement, phase)
    return summarise(costs(rounds), by).ticks * scale(measurement, rounds)


def phase_rounds(measurement: Measurement, phase: str) -> PhaseRounds:
    """The rounds of one phase; analyse() has checked that the run has it."""
    return next(p for p in measurement.phases if p.phase == phase)


def costs(rounds: PhaseRounds) -> Sequence[float]:
    """Cost of each round in ticks; ticks per operation if the program prints how many operations it did, as that may
    vary."""
    if not rounds.printed:
        return rounds.ticks
    return [ticks / done for ticks, done in zip(rounds.ticks, rounds.printed, strict=True)]


def scale(measurement: Measurement, rounds: PhaseRounds) -> float:
    """Factor from costs() to the clock's unit per operation."""
    # Of exact counts a nanosecond of guest time is one instruction, so this serves counts and times alike.
    return measurement.ns_per_tick / (1 if rounds.printed else rounds.operations)
