# SPDX-License-Identifier: GPL-2.0-only
"""Replays a recorded guest's page events with policies of the simulator, and compares each with the guest."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kassay import __version__
from kassay.effects.files import sha256_file
from kassay.errors import BadInput
from kassay.labs.pcp import engine
from kassay.labs.pcp.begin import limits, states_at_begin
from kassay.labs.pcp.engine import RUN, Config, Outcome
from kassay.labs.pcp.model.replayed import (
    Errors,
    Guest,
    HighRange,
    ListSample,
    PcpReplay,
    Replayed,
    ReplayedTrace,
    Totals,
)
from kassay.labs.pcp.observed import Numbers, Observed, observed
from kassay.model.progress import Progress, Tell
from kassay.tools.recording.pages import SCHEMA, Kind, PageTrace, read_pages
from kassay.tools.recording.zoneinfo import series, tunes_high

_SAMPLE_NS = 1_000_000
_MOST_SAMPLES = 20_000
_UNEXPLAINED, _LEAST_UNEXPLAINED = 0.01, 64
"""Share of all freed pages, and pages: a trace with more pages that its events do not explain is not replayed."""
_GIVEN = (Kind.ALLOC, Kind.FREE, Kind.WORKER, Kind.RECLAIM)
_OWN = (((6, 16), "auto"), ((6, 19), "auto_6_18"))
"""(first release that no longer has it, policy), of releases that tune high; later releases have _NEWEST."""
_NEWEST = "auto_7_3"
Floats = npt.NDArray[np.float64]


class Asked(NamedTuple):
    """Policies and options with which traces are replayed."""

    policies: tuple[str, ...] = ()
    """Policies to replay; empty for the policy of the trace's own kernel."""
    run: Mapping[str, int] = {}
    """Parameters of the simulator in place of its defaults."""
    main_zone: Mapping[str, int] = {}
    """Parameters of the trace's main zone (pcp/params.def) in place of the guest's."""
    by_list: bool = True
    """True if lists begin with what the trace shows of each. Otherwise all pages begin as movable ones of order 0."""


def own_policy(release: str) -> str:
    """The policy that a kernel has, by its release."""
    if not tunes_high(release):
        return "fixed"
    return next((policy for before, policy in _OWN if series(release) < before), _NEWEST)


def replay(paths: Sequence[Path], asked: Asked, tell: Tell) -> PcpReplay:
    """Raises BadInput for a file that is no page trace, one that lost events, and an unknown policy."""
    traces = []
    for number, path in enumerate(paths):
        tell(Progress(stage="replay", subject=f"{number + 1}/{len(paths)}", text=path.name, done=number / len(paths)))
        traces.append(_replay_trace(path, asked, tell))
    return PcpReplay(kassay_version=__version__, by_list=asked.by_list, traces=tuple(traces))


def _replay_trace(path: Path, asked: Asked, tell: Tell) -> ReplayedTrace:
    trace, guest = read_guest(path)
    default = own_policy(trace.origin.release)
    replays = []
    with tempfile.TemporaryDirectory(prefix="kassay-pcp-") as scratch:
        events = Path(scratch) / "events"
        events.write_bytes(driving(trace))
        for name in asked.policies or (default,):
            replays.append(_replayed(trace, guest, engine.run(config(trace, name, asked), events, tell)))
    return ReplayedTrace(
        path=str(path), sha256=sha256_file(path), own=default, guest=_guest(trace, guest), policies=tuple(replays)
    )


def read_guest(path: Path) -> tuple[PageTrace, Observed]:
    """A trace, and the guest's own lists in it. Raises BadInput for a trace from which nothing may be concluded."""
    trace = read_pages(path)
    refuse(path, trace)
    guest = observed(trace)
    refuse_unexplained(path, trace, guest)
    return trace, guest


def refuse(path: Path, trace: PageTrace) -> None:
    """Raises BadInput for a trace from which nothing may be concluded."""
    if trace.origin.lost:
        raise BadInput(f"{path}: the guest had no room for {trace.origin.lost} events",
                       "record again with a larger --buffer, or fewer rounds")  # fmt: skip
    if not len(trace.events):
        raise BadInput(f"{path}: a page trace without events", "record again with more rounds")


def refuse_unexplained(path: Path, trace: PageTrace, guest: Observed) -> None:
    """Raises BadInput where the events are not those of the lists: since 7.3 at the latest vfree() frees pages of large
    blocks to the zone directly, but logs each of them as a single free (free_prepared_contig_range())."""
    freed = trace.events[trace.kinds == Kind.FREE]["what"] & 15
    pages = int((1 << freed.astype(np.int64)).sum())
    if guest.unexplained_pages > max(_LEAST_UNEXPLAINED, _UNEXPLAINED * pages):
        raise BadInput(f"{path}: at the end a CPU's lists have {guest.unexplained_pages} pages more or fewer than the "
                       "recorded events leave there",
                       "this kernel moves pages without telling: record one without large vmalloc areas")  # fmt: skip


def driving(trace: PageTrace) -> bytes:
    """The events that the model gets: those that the guest's own lists did not cause."""
    events = trace.events[np.isin(trace.kinds, _GIVEN)]
    inside = np.isin(trace.kinds[np.isin(trace.kinds, _GIVEN)], (Kind.WORKER,))
    for zone in trace.zones:
        inside |= (events["pfn"] >= zone.start_pfn) & (events["pfn"] < zone.start_pfn + zone.spanned)
    return f"{SCHEMA}\n\n".encode() + events[inside].tobytes()


def config(trace: PageTrace, policy: str, asked: Asked) -> Config:
    """The simulator's input: the trace's zones, and the lists as they were at its begin.

    In the model all pages of a zone are free, except for those that the trace frees before it allocates them. The
    guest's zone had fewer free pages; the watermarks of the model are higher by this difference.
    """
    if unknown := [name for name in asked.run if name not in RUN]:
        raise BadInput(f"{unknown[0]}: no parameter of the simulator", f"known: {', '.join(RUN)}")
    span = trace.origin.span_ns
    zones = []
    for zone in trace.zones:
        states = [state for state in trace.states if state.zone == zone.number]
        least, most = limits(trace, zone, policy)
        more = zone.spanned - sum(state.count for state in states) - _first_freed(trace, zone.number) - zone.free
        zones.append({
            "start": zone.start_pfn, "pages": zone.spanned, "used": 0, "cpu_first": 0, "cpu_count": trace.origin.cpus,
            "batch": max((state.batch for state in states), default=1), "high_min": least,
            "high_max": most,
            "low_watermark": max(0, zone.low + more), "high_watermark": max(0, zone.high + more),
            **(asked.main_zone if zone is trace.main_zone else {}),
        })  # fmt: skip
    sample_ns = max(_SAMPLE_NS, span // _MOST_SAMPLES)
    values = {
        **RUN, "cpus": trace.origin.cpus, "batch_scale_max": trace.origin.batch_scale_max, "vmstat_ns": 0,
        "sample_ns": sample_ns, "samples": _MOST_SAMPLES + 2, **asked.run,
    }  # fmt: skip
    return Config(
        policy,
        values,
        tuple(zones),
        (),
        states_at_begin(trace, policy, by_list=asked.by_list, least=asked.main_zone.get("high_min")),
    )


def _first_freed(trace: PageTrace, number: int) -> int:
    """Pages of a zone that the trace frees before it allocates them."""
    zone = next(zone for zone in trace.zones if zone.number == number)
    events = trace.events[(trace.kinds == Kind.ALLOC) | (trace.kinds == Kind.FREE)]
    inside = (events["pfn"] >= zone.start_pfn) & (events["pfn"] < zone.start_pfn + zone.spanned)
    events = events[inside]
    _, first = np.unique(events["pfn"], return_index=True)
    freed = events["what"][first]
    return int((1 << (freed[freed >> 4 == Kind.FREE] & 15).astype(np.int64)).sum())


def _replayed(trace: PageTrace, guest: Observed, outcome: Outcome) -> Replayed:
    main = list(trace.zones).index(trace.main_zone)
    counts = [pcp for pcp in outcome.pcps if pcp.zone == main]
    totals = Totals(
        refills=sum(count.refills for count in counts),
        refilled_pages=sum(count.refilled_pages for count in counts),
        drained_pages=sum(count.drained_pages for count in counts),
        decay_pages=sum(count.decay_pages for count in counts),
        high_order_drained=sum(count.high_order_drained for count in counts),
    )
    model = _at_times(guest, outcome, main)
    samples = _list_samples(guest, model[:, 0], model[:, 1])
    return Replayed(
        policy=outcome.policy, kernels=engine.policies()[outcome.policy].kernels, totals=totals,
        errors=_errors(guest, model, totals), samples=samples, high=_high_range(samples),
    )  # fmt: skip


def _at_times(guest: Observed, outcome: Outcome, zone: int) -> Floats:
    """count, high, refilled and drained pages of the model's CPU, in its last sample before each of the guest's."""
    model = np.zeros((len(guest.time_ns), 4))
    for cpu in np.unique(guest.cpu):
        rows = np.array([(sample.time_ns, sample.count, sample.high, sample.refilled, sample.drained)
                         for sample in outcome.samples if sample.cpu == cpu and sample.zone == zone])  # fmt: skip
        chosen = guest.cpu == cpu
        if len(rows):
            at = np.searchsorted(rows[:, 0], guest.time_ns[chosen], "right") - 1
            model[chosen] = rows[np.maximum(at, 0), 1:]
    return model


def _errors(guest: Observed, model: Floats, totals: Totals) -> Errors:
    totals_of_guest = guest.totals
    pages_moved = totals_of_guest.refilled_pages + totals_of_guest.drained_pages
    path = np.abs(model[:, 2] - guest.refilled) + np.abs(model[:, 3] - guest.drained)
    cpus = max(1, len(np.unique(guest.cpu)))
    return Errors(
        refilled=_relative(totals.refilled_pages, totals_of_guest.refilled_pages),
        drained=_relative(totals.drained_pages, totals_of_guest.drained_pages),
        moved=_relative(totals.refilled_pages + totals.drained_pages, pages_moved),
        path=float(path.mean()) * cpus / pages_moved if pages_moved and len(path) else None,
        high=_distance(model[:, 1], guest.high),
        count=_distance(model[:, 0], guest.count),
    )


def _relative(value: int, of: int) -> float | None:
    return (value - of) / of if of else None


def _distance(model: Floats, guest: Numbers) -> float | None:
    mean = float(guest.mean()) if len(guest) else 0.0
    return float(np.abs(model - guest).mean()) / mean if mean else None


def _guest(trace: PageTrace, guest: Observed) -> Guest:
    kinds, order = trace.kinds, (trace.events["what"] & 15).astype(np.int64)
    samples = _list_samples(guest, guest.count, guest.high)
    return Guest(
        kernel=trace.origin.kernel, release=trace.origin.release, workload=trace.origin.workload,
        arch=trace.origin.arch, cpus=trace.origin.cpus, memory_bytes=trace.origin.memory_bytes,
        zone=trace.main_zone.name, span_ns=trace.origin.span_ns, allocations=int((kinds == Kind.ALLOC).sum()),
        frees=int((kinds == Kind.FREE).sum()), allocated_pages=int((1 << order[kinds == Kind.ALLOC]).sum()),
        totals=guest.totals, samples=samples, unexplained_pages=guest.unexplained_pages,
        bulk_seen=trace.origin.bulk_seen, reclaims=int(order[kinds == Kind.RECLAIM].sum()), high=_high_range(samples),
    )  # fmt: skip


def _high_range(samples: Sequence[ListSample]) -> HighRange | None:
    highs = [sample.high for sample in samples]
    return HighRange(least=min(highs), most=max(highs)) if highs else None


def _list_samples(guest: Observed, counts: Numbers | Floats, highs: Numbers | Floats) -> tuple[ListSample, ...]:
    """Samples at the guest's times, with the lengths and highs of its lists or of the model's."""
    return tuple(
        ListSample(time_ns=int(time), cpu=int(cpu), count=int(count), high=int(high))
        for time, cpu, count, high in zip(guest.time_ns, guest.cpu, counts, highs, strict=True)
    )
