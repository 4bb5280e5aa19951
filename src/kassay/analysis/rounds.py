# SPDX-License-Identifier: GPL-2.0-only
"""The rounds of one run -> one number, without averaging away what differs."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from kassay.model.records import Record

WARMUP_TOLERANCE = 0.01
"""A first round further than this from the later ones' median is warm-up."""

MODE_SHARE = 0.5
"""The most frequent count stands for the run when at least this share of steady rounds has it."""


class Summary(Record, frozen=True, kw_only=True):
    """One run, one phase, in ticks per round. warmup: how many first rounds are set apart."""

    ticks: float
    warmup: int
    method: str


def summarise(ticks: Sequence[int], *, counts: bool) -> Summary:
    """One number for the steady rounds.

    counts: the ticks are exact counts. Then timer ticks and background work only ever add to a round,
    so the count that most steady rounds share is the work's own (mode); where no count
    is shared by half of them, the median. Timed rounds always give the median.
    """
    first = warmup_rounds(ticks)
    steady = ticks[first:]
    apart = f", {first} warm-up set apart" if first else ""
    value, share = Counter(sorted(steady)).most_common(1)[0]
    if counts and share >= MODE_SHARE * len(steady):
        return Summary(ticks=value, warmup=first, method=f"mode: {share} of {len(steady)} rounds{apart}")
    return Summary(ticks=median(steady), warmup=first, method=f"median of {len(steady)} rounds{apart}")


def warmup_rounds(ticks: Sequence[int]) -> int:
    """How many first rounds differ from the later ones: at most half of them, each further from the
    median of the second half than the tolerance and than three robust standard deviations."""
    half = len(ticks) // 2
    later = median(ticks[half:])
    spread = 1.4826 * median(abs(value - later) for value in ticks[half:])
    allowed = max(WARMUP_TOLERANCE * later, 3 * spread)
    return next((index for index, value in enumerate(ticks[:half]) if abs(value - later) <= allowed), half)
