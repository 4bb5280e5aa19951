# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that may be compared although nobody compared them: admitted comparisons lead from one to the other."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def linked(pairs: Iterable[tuple[K, K]]) -> Mapping[K, int]:
    """Number of the group of each kernel. Kernels of one group did the same work on the same state, as far as the
    comparisons between them tell.

    pairs: two kernels whose comparison was admitted.
    """
    groups: dict[K, list[K]] = {}
    for one, other in pairs:
        first, second = groups.setdefault(one, [one]), groups.setdefault(other, [other])
        if first is not second:
            first += second
            groups.update(dict.fromkeys(second, first))
    numbers = {
        id(group): number for number, group in enumerate({id(group): group for group in groups.values()}.values())
    }
    return {kernel: numbers[id(group)] for kernel, group in groups.items()}
