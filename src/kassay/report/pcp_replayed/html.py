# SPDX-License-Identifier: GPL-2.0-only
"""A replay as one page that needs no network: the guest's lists and the model's over time on one axis, every table."""

from collections.abc import Iterable

from kassay.model.pcp_replay import ListSample, PcpReplay, ReplayedTrace
from kassay.model.units import format_number
from kassay.report.pcp._lists import MOST_CPUS, ListPoint, ListSource
from kassay.report.pcp._page import ListGroup, PagePart, page
from kassay.report.pcp_replayed import ReplayedFormat
from kassay.report.pcp_replayed._tables import notes, tables, title, verdict

_MOST_TRACES = 6
"""Traces that have charts; the tables have all."""
_BARS = "Pages refilled and drained under the zone lock: by the guest, and by each policy."


def render(answer: PcpReplay) -> str:
    """The page."""
    return page(
        kicker="kassay: per-CPU page lists, replayed", title="recorded page events", verdict=verdict(answer),
        parts=[_part(trace) for trace in answer.traces[:_MOST_TRACES]], tables=tables(answer), notes=notes(answer),
        cpus=MOST_CPUS, more=max(0, len(answer.traces) - _MOST_TRACES), clock="guest time",
    )  # fmt: skip


def _part(trace: ReplayedTrace) -> PagePart:
    sides = [("the guest", trace.guest.totals), *((policy.policy, policy.totals) for policy in trace.policies)]
    moved = [(name, totals.refilled_pages + totals.drained_pages) for name, totals in sides]
    bars = [(name, float(pages), f"{format_number(pages)} pages") for name, pages in moved]
    guest = ListSource("guest", _points(trace.guest.samples))
    groups = [
        ListGroup(policy.policy, (guest, ListSource(policy.policy, _points(policy.samples), modelled=True)))
        for policy in trace.policies
    ]
    return PagePart(title(trace), bars, _BARS, groups)


def _points(samples: Iterable[ListSample]) -> list[ListPoint]:
    return [ListPoint(sample.time_ns / 1e9, sample.cpu, sample.count, sample.high) for sample in samples]


FORMAT = ReplayedFormat(
    name="html", suffix=".html", summary="one page that needs no network, with charts", render=render
)
