# SPDX-License-Identifier: GPL-2.0-only
"""Calls that an execution makes as often however many operations it prints: its start and its end. Values that are
divided by the printed number hold a part of them, which is no cost of an operation."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from kassay.analysis.work_done import Done, Key
from kassay.model.work import is_asked


class FixedPart(NamedTuple):
    """The part of two values that does not follow the printed number."""

    calls: tuple[str, ...]
    """Their names, those that carry most first."""
    share: float
    """Part of the value, on the kernel where it is larger."""
    rest: float
    """Change of the value without it, head / base - 1."""


def fixed_part(base: Sequence[Done], head: Sequence[Done]) -> FixedPart | None:
    """None without such calls. Both sides are divided, by numbers that are not all the same (pair_of())."""
    runs = (*base, *head)
    keys = [key for key in base[0].counts if is_asked(key) and _is_fixed(key, runs)]
    parts = [{key: side[0].counts.get(key, 0.0) for key in keys} for side in (base, head)]
    sums = [fsum(part.values()) for part in parts]
    rests = [side[0].ticks - each for side, each in zip((base, head), sums, strict=True)]
    if not any(sums) or min(rests) <= 0:
        return None
    most = sorted(keys, key=lambda key: -max(part[key] for part in parts))
    return FixedPart(
        calls=tuple(base[0].texts[key] for key in most),
        share=max(each / side[0].ticks for side, each in zip((base, head), sums, strict=True)),
        rest=rests[1] / rests[0] - 1,
    )


def _is_fixed(key: Key, runs: Sequence[Done]) -> bool:
    """True if all rounds of all runs did it as often, which is known of runs with call stacks."""
    return len(frozenset().union(*(run.in_rounds.get(key, frozenset({0})) for run in runs))) == 1
