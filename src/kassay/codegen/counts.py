# SPDX-License-Identifier: GPL-2.0-only
"""Executions of a kernel's addresses -> executions of a function's instructions, per operation."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from kassay.codegen.code import Function
from kassay.codegen.normalise import Listing
from kassay.model.codegen import Instruction


class Counted(NamedTuple):
    """executed: all that ran inside the function, no-ops included. counts: per instruction of the listing."""

    executed: float
    counts: tuple[float, ...]


def counted(function: Function, listing: Listing, places: Mapping[int, int], operations: int) -> Counted:
    """places: address -> executions. What is patched in at boot counts for the instruction it replaced."""
    addresses = sorted(places)

    def between(start: int, end: int) -> int:
        return sum(places[at] for at in addresses[bisect_left(addresses, start) : bisect_left(addresses, end)])

    total = sum(between(part.spot[1], part.spot[1] + len(part.code)) for part in function.parts)
    each = (between(spot[1], spot[1] + one.size) for spot, one in zip(listing.spots, listing.instructions, strict=True))
    return Counted(total / operations, tuple(count / operations for count in each))


def with_counts(instructions: Sequence[Instruction], counts: Sequence[float]) -> tuple[Instruction, ...]:
    """One count for each."""
    return tuple(msgspec.structs.replace(one, count=count) for one, count in zip(instructions, counts, strict=True))


def same_shape(one: Sequence[Instruction], other: Sequence[Instruction]) -> bool:
    """Whether two listings have the same instructions but for names: the object's and the linked kernel's."""
    if len(one) != len(other):
        return False
    return all(a.text.split(" ")[0] == b.text.split(" ")[0] for a, b in zip(one, other, strict=True))
