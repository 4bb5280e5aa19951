# SPDX-License-Identifier: GPL-2.0-only
"""Which pages were allocated in bulk: the kernel tells their number alone, and later that each of them is freed.

A page that comes to a list (freed or refilled) and is freed later without having been allocated must have been
allocated in between. A list gives the page that came to it last.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kassay.errors import Defect
from kassay.pcp.pages import Array, Kind, Zone

UNKNOWN = 0xFFFFFFFF
"""The page frame of an allocation in bulk before it is found out."""
Index = npt.NDArray[np.int64]


def with_bulk_pages(events: Array, zones: Sequence[Zone]) -> Array:
    """The events with a page for each allocation in bulk: of those that fit the one that came to a list of the same CPU
    last. One that is never freed gets a page that no event is about."""
    made = events.copy()
    unknown = np.flatnonzero(made["pfn"] == UNKNOWN)
    came, freed = _gaps(made)
    free = np.ones(len(came), bool)
    for at in unknown:
        fitting = free & (came < at) & (freed > at)
        own = fitting & (made["cpu"][came] == made["cpu"][at])
        chosen = np.flatnonzero(own if own.any() else fitting)
        if len(chosen):
            best = chosen[np.argmax(came[chosen])]
            free[best] = False
            made["pfn"][at] = made["pfn"][came[best]]
            made["migratetype"][at] = made["migratetype"][freed[best]]
    left = unknown[made["pfn"][unknown] == UNKNOWN]
    made["pfn"][left] = _untouched(made, zones, len(left))
    return made


def _gaps(events: Array) -> tuple[Index, Index]:
    """(when a page came to a list, when it was freed next), for pages of order 0 without an allocation in between."""
    kind, order = events["what"] >> 4, events["what"] & 15
    about = np.flatnonzero((kind <= Kind.DRAIN) & (order == 0) & (events["pfn"] != UNKNOWN))
    ordered = about[np.lexsort((about, events["pfn"][about]))]
    before, after = ordered[:-1], ordered[1:]
    same = events["pfn"][before] == events["pfn"][after]
    came = (kind[before] == Kind.FREE) | (kind[before] == Kind.REFILL)
    found = same & came & (kind[after] == Kind.FREE)
    return before[found], after[found]


def _untouched(events: Array, zones: Sequence[Zone], count: int) -> npt.NDArray[np.uint32]:
    """Pages at the end of the largest zone that no event is about."""
    if not count:
        return np.empty(0, np.uint32)
    zone = max(zones, key=lambda one: one.managed)
    first = events["pfn"].astype(np.int64) - zone.start_pfn
    touched = np.zeros(zone.spanned, bool)
    for order in range(int((events["what"] & 15).max()) + 1):
        begins = first[(events["what"] & 15 == order) & (first >= 0) & (first < zone.spanned)]
        for page in range(1 << order):
            touched[np.minimum(begins + page, zone.spanned - 1)] = True
    free = np.flatnonzero(~touched)[-count:]
    if len(free) < count:
        raise Defect(f"of {zone.spanned} pages {count} should be without an event, and {len(free)} are")
    return (free + zone.start_pfn).astype(np.uint32)
