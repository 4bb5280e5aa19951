# SPDX-License-Identifier: GPL-2.0-only
"""Counters of a profile, round by round from 0; what precedes the first round is left out."""

from collections.abc import Iterable, Mapping, Sequence

from kassay.evidence.profile.counters import RawProfile


def by_round(raw: RawProfile, counter: int, slots: list[int]) -> list[int]:
    """One counter in each round, over these slots together."""
    counts = [0] * (raw.rounds + 1)
    end = raw.rounds + 1
    for since, flat in reversed(raw.changes[counter]):
        of_slot: Mapping[int, int] = dict(zip(flat[::2], flat[1::2], strict=True))
        counts[since:end] = [sum(of_slot.get(slot, 0) for slot in slots)] * (end - since)
        end = since
    return counts[1:]


def summed(raw: RawProfile, counters: Iterable[int], slots: list[int]) -> tuple[int, ...]:
    """Several counters together, in each round."""
    total = [0] * raw.rounds
    for number in counters:
        total = plus(total, by_round(raw, number, slots))
    return tuple(total)


def times_entered(raw: RawProfile, entry: int | None, slots: list[int]) -> tuple[int, ...]:
    """Times that a function was entered in each round; its first block may have been translated more than once."""
    return summed(raw, (number for number, block in raw.blocks.items() if block.address == entry), slots)


def plus(counts: Sequence[int], more: Sequence[int], weight: int = 1) -> list[int]:
    """Two lists of counts, added up round by round."""
    return [before + weight * count for before, count in zip(counts, more, strict=True)]
