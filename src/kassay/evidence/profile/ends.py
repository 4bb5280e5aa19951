# SPDX-License-Identifier: GPL-2.0-only
"""Blocks of the kernel by the instruction that they end with, and how often each instruction ran."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kassay.evidence.profile.costs import completed, times
from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.place import Code, decode
from kassay.evidence.profile.symbols import is_kernel


class End(NamedTuple):
    """Blocks that end with the same instruction, as one: it ran as often as all of them together."""

    address: int
    """Address of the last instruction."""
    start: int
    """Address of the longest of the blocks."""
    lengths: bytes
    """Bytes of each of its instructions."""
    code: bytes
    ran: int
    """Number of times that the last instruction was executed."""

    @property
    def behind(self) -> int:
        """Address of the next instruction."""
        return self.start + len(self.code)

    def decoded(self, target: str) -> Code:
        """target: as QEMU calls the architecture."""
        return decode(target, self.start, self.lengths, self.code)


class Ran(NamedTuple):
    """Instructions of the kernel that ran in the chosen part of a run."""

    counts: Counter[int]
    """Executions of each instruction, by address."""
    starts: Counter[int]
    """The part of `counts` in which the instruction began a block."""
    ends: tuple[End, ...]
    """Ends of the blocks that ran to their end."""


def kernel_ran(raw: RawProfile, sums: Sequence[Mapping[int, int]]) -> Ran:
    """sums: counts by counter for each context of the file, as RawProfile.sums() gives them."""
    counts: Counter[int] = Counter()
    starts: Counter[int] = Counter()
    ends: dict[int, End] = {}
    for by_counter in sums:
        for number, ran in times(raw, by_counter).items():
            address, lengths, code = raw.blocks[number]
            if not is_kernel(address):
                continue
            each = (ran,) * len(lengths) if isinstance(ran, int) else ran
            starts[address] += each[0]
            at = address
            for length, count in zip(lengths, each, strict=True):
                counts[at] += count
                at += length
            if whole := completed(ran):
                last = at - lengths[-1]
                end = End(last, address, lengths, code, whole)
                before = ends.get(last, end._replace(ran=0))
                ends[last] = min(before, end)._replace(ran=before.ran + whole)
    return Ran(counts, starts, tuple(ends.values()))
