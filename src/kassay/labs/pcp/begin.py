# SPDX-License-Identifier: GPL-2.0-only
"""The page lists of a recorded guest at its begin: the limits of their high, and the blocks that were on each.

The kernel gives only the number of pages on all lists of a CPU together, so the blocks of each list are derived. An
allocation or a drain takes a block from a list, a free or a refill adds one. So a list had at least as many blocks as
were taken more than added at any time. A list is refilled when it is empty: one that was ever refilled had no more than
that. The remaining pages of the CPU were on lists that were never refilled; they are taken for blocks of order 0.
"""

import numpy as np
from msgspec import structs

from kassay.labs.pcp.engine import PcpState
from kassay.labs.pcp.observed import listed
from kassay.tools.recording.pages import BY_WORKER, Kind, ListState, PageTrace, Zone
from kassay.tools.recording.zoneinfo import tuned_limits

_MOVABLE, _RECLAIMABLE = 1, 2
_TYPES = 3
_LATER_PAGES = 0.06
"""The largest part of a zone that is added to it late in the boot: the kernel's own initial data, in 256 MiB."""


def limits(trace: PageTrace, zone: Zone, policy: str) -> tuple[int, int]:
    """high_min and high_max of a zone. A policy that tunes high, on a trace of a kernel that does not, gets those that
    a tuning kernel would set. Where the kernel does not report high_max, it is the highest high of any sample, if that
    is little below the formula's value: the kernel applies the formula early in the boot, when the zone has fewer
    pages."""
    states = [state for state in trace.states if state.zone == zone.number]
    if not states:
        return 0, 0
    least, most = states[0].high_min, states[0].high_max
    if least == most:
        return (least, most) if is_fixed(policy) or trace.origin.high_fraction else _tuned(trace, zone, states[0])
    highest = max((int(sample["high"]) for sample in trace.samples if sample["zone"] == zone.number), default=0)
    return least, highest if not states[0].told and (1 - _LATER_PAGES) * most <= highest <= most else most


def is_fixed(policy: str) -> bool:
    """True for a policy whose high is high_min at all times; it reads no high_max and does not decay."""
    return policy.startswith("fixed")


def _tuned(trace: PageTrace, zone: Zone, state: ListState) -> tuple[int, int]:
    if state.high < state.batch:  # a zone too small for lists
        return state.high_min, state.high_max
    return tuned_limits(zone, state.batch, trace.origin.cpus)


def states_at_begin(trace: PageTrace, policy: str, *, by_list: bool, least: int | None = None) -> tuple[PcpState, ...]:
    """For the simulator. by_list: of the main zone list by list; otherwise all pages are movable ones of order 0.
    A policy without tuning begins with the high that it always has. least: that of the main zone; None: the guest's."""
    index = {zone.number: at for at, zone in enumerate(trace.zones)}
    states: list[PcpState] = []
    for recorded in trace.states:
        is_main = recorded.zone == trace.main_zone.number
        fixed = recorded.high_min if least is None or not is_main else least
        state = structs.replace(recorded, high=fixed) if is_fixed(policy) else recorded
        zone = index[state.zone]
        if by_list and is_main:
            states += _lists(trace, state, zone)
        else:
            states.append(PcpState(state.cpu, zone, state.count, state.high))
    return tuple(states)


def _lists(trace: PageTrace, state: ListState, zone: int) -> list[PcpState]:
    chosen = listed(trace) & (trace.events["cpu"] == state.cpu)
    kinds, events = trace.kinds[chosen], trace.events[chosen]
    order = (events["what"] & 15).astype(np.int64)
    kind = np.minimum(events["migratetype"] & ~np.uint8(BY_WORKER), _TYPES)
    taken = np.array([1, -1, -1, 1])[kinds]
    left, states = state.count, []
    refilled = set()
    for key in np.unique(order * (_TYPES + 1) + kind):
        of, type_ = int(key) // (_TYPES + 1), int(key) % (_TYPES + 1)
        members = (order == of) & (kind == type_)
        blocks = min(max(0, int(np.cumsum(taken[members]).max())), left >> of)
        if type_ < _TYPES and blocks:
            states.append(PcpState(state.cpu, zone, blocks, state.high, of, type_))
            left -= blocks << of
        if of == 0 and (kinds[members] == Kind.REFILL).any():
            refilled.add(type_)
    rest = next((candidate for candidate in (_RECLAIMABLE, 0, _MOVABLE) if candidate not in refilled), _RECLAIMABLE)
    return [*states, PcpState(state.cpu, zone, left, state.high, 0, rest)]
