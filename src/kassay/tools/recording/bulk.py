# SPDX-License-Identifier: GPL-2.0-only
"""Find the pages that were allocated in bulk. The kernel logs only their number, and later the free of each of them.

A page that came to a list (by a free or a refill) and is freed later without a logged allocation must have been
allocated in bulk in between. A list gives the page that came to it last.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kassay.errors import Defect
from kassay.tools.recording.pages import Array, Kind, Zone

UNKNOWN = 0xFFFFFFFF
"""The page frame of an allocation in bulk as long as it is not known."""
Index = npt.NDArray[np.int64]


def with_bulk_pages(events: Array, zones: Sequence[Zone]) -> Array:
    """The events with a page for each allocation in bulk: of the pages that fit, the one that came to a list of the
    same CPU last. An allocation that is never freed gets a page without any event."""
    filled = events.copy()
    unknown = np.flatnonzero(filled["pfn"] == UNKNOWN)
    came, freed = _gaps(filled)
    free = np.ones(len(came), bool)
    for at in unknown:
        fitting = free & (came < at) & (freed > at)
        on_this_cpu = fitting & (filled["cpu"][came] == filled["cpu"][at])
        chosen = np.flatnonzero(on_this_cpu if on_this_cpu.any() else fitting)
        if len(chosen):
            best = chosen[np.argmax(came[chosen])]
            free[best] = False
            filled["pfn"][at] = filled["pfn"][came[best]]
            filled["migratetype"][at] = filled["migratetype"][freed[best]]
    left = unknown[filled["pfn"][unknown] == UNKNOWN]
    filled["pfn"][left] = _untouched(filled, zones, len(left))
    return filled


def _gaps(events: Array) -> tuple[Index, Index]:
    """(when a page came to a list, when it was freed next), for pages of order 0 without an allocation in between."""
    kind, order = events["what"] >> 4, events["what"] & 15
    about = np.flatnonzero((kind <= Kind.DRAIN) & (order == 0) & (events["pfn"] != UNKNOWN))
    ordered = about[np.lexsort((about, events["pfn"][about]))]
    before, after = ordered[:-1], ordered[1:]
    same = events["pfn"][before] == events["pfn"][after]
    came = (kind[before] == Kind.FREE) | (kind[before] == Kind.REFILL)
    gap = same & came & (kind[after] == Kind.FREE)
    return before[gap], after[gap]


def _untouched(events: Array, zones: Sequence[Zone], count: int) -> npt.NDArray[np.uint32]:
    """Pages without any event, at the end of the largest zone."""
    if not count:
        return np.empty(0, np.uint32)
    zone = max(zones, key=lambda zone: zone.managed)
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
