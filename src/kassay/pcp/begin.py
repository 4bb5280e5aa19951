# SPDX-License-Identifier: GPL-2.0-only
"""The lists of a recorded guest at the begin: between which limits their high is, and what each of them held.

Of the latter the kernel tells the pages of all lists of a CPU together.

An allocation takes a block from a list, so that a list held at least the most blocks by which allocations (and drains)
were ahead of frees and refills at any time. A list is refilled when it is empty: one that was ever refilled held no
more than that. What is left of the CPU's pages is on lists that were never refilled, in blocks of order 0.
"""

import numpy as np
from msgspec import structs

from kassay.pcp.engine import PcpState
from kassay.pcp.observed import listed
from kassay.pcp.pages import BY_WORKER, Kind, ListState, PageTrace, Zone
from kassay.pcp.zoneinfo import tuned_limits

_MOVABLE, _RECLAIMABLE = 1, 2
_TYPES = 3
_LATER_PAGES = 0.03
"""Most of a zone that is added to it late in the boot: the kernel's own initial data."""


def limits(trace: PageTrace, zone: Zone, policy: str) -> tuple[int, int]:
    """high_min and high_max of a zone. A policy that tunes high, on a trace of a kernel that does not, has those that a
    tuning kernel would set. Where the kernel does not tell high_max, it is the highest high of any sample when that is
    little below the formula's: the kernel applies it early in the boot, when the zone has fewer pages."""
    states = [state for state in trace.states if state.zone == zone.number]
    if not states:
        return 0, 0
    least, most = states[0].high_min, states[0].high_max
    if least == most:
        return (least, most) if _is_fixed(policy) or trace.origin.high_fraction else _tuned(trace, zone, states[0])
    seen = max((int(sample["high"]) for sample in trace.samples if sample["zone"] == zone.number), default=0)
    return least, seen if not states[0].told and (1 - _LATER_PAGES) * most <= seen <= most else most


def _is_fixed(policy: str) -> bool:
    return policy.startswith("fixed")


def _tuned(trace: PageTrace, zone: Zone, state: ListState) -> tuple[int, int]:
    if state.high < state.batch:  # a zone too small for lists
        return state.high_min, state.high_max
    return tuned_limits(zone, state.batch, trace.origin.cpus)


def states_at_begin(trace: PageTrace, policy: str, *, by_list: bool) -> tuple[PcpState, ...]:
    """For the simulator. by_list: of the main zone list by list; otherwise all pages are movable ones of order 0.
    A policy without tuning begins with the high that it always has."""
    index = {zone.number: at for at, zone in enumerate(trace.zones)}
    made: list[PcpState] = []
    for told in trace.states:
        state = structs.replace(told, high=told.high_min) if _is_fixed(policy) else told
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
