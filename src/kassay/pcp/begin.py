# SPDX-License-Identifier: GPL-2.0-only
"""What each list of a recorded guest held at the begin: the kernel tells the pages of all lists of a CPU together.

An allocation takes a block from a list, so that a list held at least the most blocks by which allocations (and drains)
were ahead of frees and refills at any time. A list is refilled when it is empty: one that was ever refilled held no
more than that. What is left of the CPU's pages is on lists that were never refilled, in blocks of order 0.
"""

import numpy as np

from kassay.pcp.engine import PcpState
from kassay.pcp.observed import listed
from kassay.pcp.pages import BY_WORKER, Kind, ListState, PageTrace

_MOVABLE, _RECLAIMABLE = 1, 2
_TYPES = 3


def states_at_begin(trace: PageTrace, *, by_list: bool) -> tuple[PcpState, ...]:
    """For the simulator. by_list: of the main zone list by list; otherwise all pages are movable ones of order 0."""
    index = {zone.number: at for at, zone in enumerate(trace.zones)}
    made: list[PcpState] = []
    for state in trace.states:
        zone = index[state.zone]
        if by_list and state.zone == trace.main_zone.number:
            made += _lists(trace, state, zone)
        else:
            made.append(PcpState(state.cpu, zone, state.count, state.high))
    return tuple(made)


def _lists(trace: PageTrace, state: ListState, zone: int) -> list[PcpState]:
    chosen = listed(trace) & (trace.events["cpu"] == state.cpu)
    kinds, events = trace.kinds[chosen], trace.events[chosen]
    order = (events["what"] & 15).astype(np.int64)
    kind = np.minimum(events["migratetype"] & ~np.uint8(BY_WORKER), _TYPES)
    taken = np.array([1, -1, -1, 1])[kinds]
    left, found = state.count, []
    refilled = set()
    for key in np.unique(order * (_TYPES + 1) + kind):
        of, type_ = int(key) // (_TYPES + 1), int(key) % (_TYPES + 1)
        own = (order == of) & (kind == type_)
        blocks = min(max(0, int(np.cumsum(taken[own]).max())), left >> of)
        if type_ < _TYPES and blocks:
            found.append(PcpState(state.cpu, zone, blocks, state.high, of, type_))
            left -= blocks << of
        if of == 0 and (kinds[own] == Kind.REFILL).any():
            refilled.add(type_)
    rest = next((one for one in (_RECLAIMABLE, 0, _MOVABLE) if one not in refilled), _RECLAIMABLE)
    return [*found, PcpState(state.cpu, zone, left, state.high, 0, rest)]
