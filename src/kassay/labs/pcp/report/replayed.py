# SPDX-License-Identifier: GPL-2.0-only
"""The document of a replay: sentences, tables and charts."""

from collections.abc import Iterable

from kassay.labs.pcp.model.replayed import HighRange, ListSample, PcpReplay, Replayed, ReplayedTrace, Totals
from kassay.labs.pcp.report.lab import ListGroup, PagePart, lab_document
from kassay.labs.pcp.report.lists import MOST_CPUS, ListPoint, ListSource
from kassay.model.texts import Table, cells, counted, cpus_text, figures, memory_text, table
from kassay.model.units import format_change, format_number
from kassay.report.answers import Kind
from kassay.report.document import Document

NOTES = (
    "The guest's own: its refills and drains are events of the trace, and no policy is given them; its high and count "
    "are from /proc/zoneinfo.",
    "all moved: pages refilled and drained, against the guest's. over time: mean distance of the pages moved up to "
    "each sample, relative to all that the guest moved. high, count: mean distance of a CPU's at each sample, relative "
    "to the guest's mean.",
)
BEGIN = (
    "Of what each list held at the begin the guest tells the sum alone: it is what the trace shows of each list until "
    "its first refill.",
    "All pages of the lists were taken for movable ones of order 0 at the begin, which the guest's were not.",
)

_MOST_TRACES = 6
"""Traces that have charts; the tables have all."""
_BARS = "Pages refilled and drained under the zone lock: by the guest, and by each policy."


def document(answer: PcpReplay) -> Document:
    """Charts of the guest's lists and the model's over time on one axis, then every table."""
    return lab_document(
        kicker="kassay: per-CPU page lists, replayed", title="recorded page events", verdict=verdict(answer),
        parts=[_part(trace) for trace in answer.traces[:_MOST_TRACES]], tables=tables(answer), notes=notes(answer),
        cpus=MOST_CPUS, more=max(0, len(answer.traces) - _MOST_TRACES), clock="guest time",
        kassay_version=answer.kassay_version,
    )  # fmt: skip


def verdict(answer: PcpReplay) -> str:
    """The largest error of the policies that the traced kernels have themselves."""
    errors = [policy.errors for trace in answer.traces for policy in trace.policies if policy.policy == trace.own]
    known = [(abs(each.moved), each.high) for each in errors if each.moved is not None and each.high is not None]
    if not known:
        traces = counted(len(answer.traces), "trace")
        return f"{traces} replayed; none by the policy of its own kernel with pages that moved"
    moved, high = (max(values) for values in zip(*known, strict=True))
    return (
        f"{counted(len(known), 'trace')} by the policy of its own kernel: the pages that pass the zone lock are "
        f"predicted to within {_share(moved)}, PCP high over time to within {_share(high)}"
    )


def title(trace: ReplayedTrace) -> str:
    """Kernel, workload and machine."""
    guest = trace.guest
    return f"{guest.release}: {guest.workload}; {cpus_text(guest.cpus)}, {memory_text(guest.memory_bytes)}"


def tables(answer: PcpReplay) -> Iterable[Table]:
    """For each trace the guest and every policy; then the errors of all."""
    for trace in answer.traces:
        rows = [cells("the guest", *_totals(trace.guest.totals), _range(trace.guest.high), str(trace.guest.reclaims))]
        rows += [cells(p.policy, *_totals(p.totals), _range(p.high), "-") for p in trace.policies]
        numbers = ("refills", "pages refilled", "pages drained", "by decay", "of order 1-3", "high", "kswapd woken")
        columns = ("", *figures(*numbers))
        yield table(title(trace), columns, rows)
    rows = [
        cells(trace.guest.release.partition("+")[0], trace.guest.workload, policy.policy, *_errors(policy))
        for trace in answer.traces
        for policy in trace.policies
    ]
    columns = ("kernel", "workload", "policy", *figures("all moved", "over time", "high", "count"))
    yield table("Against the guest", columns, rows)


def notes(answer: PcpReplay) -> tuple[str, ...]:
    """Notes that explain the tables."""
    texts = [*NOTES, BEGIN[0 if answer.by_list else 1]]
    for trace in answer.traces:
        guest = trace.guest
        if guest.unexplained_pages:
            texts.append(
                f"{guest.release}, {guest.workload}: at the end {guest.unexplained_pages} pages of a CPU's lists are "
                "not explained by the recorded events."
            )
        if not guest.bulk_seen:
            texts.append(f"{guest.release}: allocations in bulk were not recorded.")
    return tuple(texts)


def _totals(totals: Totals) -> tuple[str, ...]:
    numbers = (totals.refills, totals.refilled_pages, totals.drained_pages, totals.decay_pages,
               totals.high_order_drained)  # fmt: skip
    return tuple(format_number(number) for number in numbers)


def _errors(policy: Replayed) -> tuple[str, ...]:
    errors = policy.errors
    return format_change(errors.moved), *(_share(value) for value in (errors.path, errors.high, errors.count))


def _range(high: HighRange | None) -> str:
    if high is None:
        return "-"
    return " to ".join(dict.fromkeys((format_number(high.least), format_number(high.most))))


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f} %"


def _part(trace: ReplayedTrace) -> PagePart:
    sides = [("the guest", trace.guest.totals), *((policy.policy, policy.totals) for policy in trace.policies)]
    pages_moved = [(name, totals.refilled_pages + totals.drained_pages) for name, totals in sides]
    bars = [(name, float(pages), f"{format_number(pages)} pages") for name, pages in pages_moved]
    guest = ListSource("guest", _points(trace.guest.samples))
    groups = [
        ListGroup(policy.policy, (guest, ListSource(policy.policy, _points(policy.samples), modelled=True)))
        for policy in trace.policies
    ]
    return PagePart(title(trace), bars, _BARS, groups)


def _points(samples: Iterable[ListSample]) -> list[ListPoint]:
    return [ListPoint(sample.time_ns / 1e9, sample.cpu, sample.count, sample.high) for sample in samples]


REPLAYED = Kind(document=document)
