# SPDX-License-Identifier: GPL-2.0-only
"""Page lists of a recorded guest's main zone: the reference for a model of them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kassay.labs.pcp.model.replayed import Totals
from kassay.tools.recording.pages import BY_WORKER, Kind, PageTrace

COSTLY_ORDER, HUGE_ORDER = 3, 9
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Observed:
    """Samples of the main zone: time, CPU, count and high of each, and the pages that this CPU had refilled and drained
    since the start."""

    totals: Totals
    time_ns: Numbers
    cpu: Numbers
    count: Numbers
    high: Numbers
    refilled: Numbers
    drained: Numbers
    unexplained_pages: int
    """Largest difference on any CPU between its last count and its first count plus the events. A refill may be half
    done in between."""


def listed(trace: PageTrace) -> npt.NDArray[np.bool_]:
    """The events of blocks of the main zone of which page lists are kept."""
    zone, events = trace.main_zone, trace.events
    order = events["what"] & 15
    inside = (events["pfn"] >= zone.start_pfn) & (events["pfn"] < zone.start_pfn + zone.spanned)
    mask: npt.NDArray[np.bool_] = (
        inside & ((order <= COSTLY_ORDER) | (order == HUGE_ORDER)) & (trace.kinds <= Kind.DRAIN)
    )
    return mask


def observed(trace: PageTrace) -> Observed:
    """Everything about the main zone."""
    chosen = listed(trace)
    events, kinds = trace.events[chosen], trace.kinds[chosen]
    order = (events["what"] & 15).astype(np.int64)
    pages = np.left_shift(1, order)
    drains = kinds == Kind.DRAIN
    totals = Totals(
        refills=_bursts(trace, chosen),
        refilled_pages=int(pages[kinds == Kind.REFILL].sum()),
        drained_pages=int(pages[drains].sum()),
        decay_pages=int(pages[drains & (events["migratetype"] & BY_WORKER > 0)].sum()),
        high_order_drained=int(pages[drains & (order > 0) & (order <= COSTLY_ORDER)].sum()),
    )
    samples = trace.samples[trace.samples["zone"] == trace.main_zone.number]
    shape = len(samples)
    refilled, drained, balance = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    signs = np.array([-1, 1, 1, -1])[kinds] * pages
    unexplained = 0
    for cpu in range(trace.origin.cpus):
        own_events, own_samples = events["cpu"] == cpu, samples["cpu"] == cpu
        at = np.searchsorted(events["time_ns"][own_events], samples["time_ns"][own_samples])
        refilled[own_samples] = _up_to(pages[own_events] * (kinds[own_events] == Kind.REFILL), at)
        drained[own_samples] = _up_to(pages[own_events] * (kinds[own_events] == Kind.DRAIN), at)
        balance[own_samples] = _up_to(signs[own_events], at)
        if own_samples.any():
            change = samples["count"][own_samples][-1] - samples["count"][own_samples][0]
            unexplained = max(unexplained, abs(int(change - balance[own_samples][-1])))
    return Observed(
        totals=totals, time_ns=samples["time_ns"].astype(np.int64), cpu=samples["cpu"].astype(np.int64),
        count=samples["count"].astype(np.int64), high=samples["high"].astype(np.int64), refilled=refilled,
        drained=drained, unexplained_pages=unexplained,
    )  # fmt: skip


def _up_to(values: Numbers, at: Numbers) -> Numbers:
    """The sum of the first at[i] values."""
    return np.concatenate([[0], np.cumsum(values)])[at]


def _bursts(trace: PageTrace, chosen: npt.NDArray[np.bool_]) -> int:
    """Number of refills of a list. Consecutive refilled blocks of one CPU count as one refill."""
    bursts = 0
    for cpu in range(trace.origin.cpus):
        kinds = trace.kinds[chosen & (trace.events["cpu"] == cpu)]
        refill = kinds == Kind.REFILL
        bursts += int((refill & ~np.concatenate([[False], refill[:-1]])).sum())
    return bursts
