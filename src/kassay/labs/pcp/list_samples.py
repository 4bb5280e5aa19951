# SPDX-License-Identifier: GPL-2.0-only
"""/proc/zoneinfo, as a run sampled it after each round: the per-CPU page lists over guest time.

The guest keeps a few lines of each sample (guest/samples.c), too few for read_zoneinfo(), which reads whole files.
"""

from kassay.labs.pcp.model.measured import ListSample, ListState
from kassay.model.guest import GuestReport
from kassay.tools.recording.zoneinfo import ZonePart, cpu_lists, numbers, zone_parts

SAMPLES = "kassay/samples"


def samples(report: GuestReport) -> tuple[ListSample, ...]:
    """In order of time, the first one from just before the first round. Empty where the run took no samples."""
    text = next((file.content for file in report.files if file.path == SAMPLES), None)
    ns = 1e9 / report.ticks_per_second if report.ticks_per_second else 1.0
    taken = (
        [ListSample(time_ns=0, lists=lists(first), free=_of_zones(first, "free"))]
        if text and (first := zoneinfo_before(report))
        else []
    )
    for part in (text or "").split("sample ")[1:]:
        tick, _, lines = part.partition("\n")
        taken.append(ListSample(time_ns=round(int(tick) * ns), lists=lists(lines), free=_of_zones(lines, "free")))
    return tuple(taken)


def zoneinfo_before(report: GuestReport) -> str:
    """/proc/zoneinfo from before the first round; "" where the run has none."""
    return next((f.content or "" for f in report.files if (f.moment, f.path) == ("before", "/proc/zoneinfo")), "")


def lists(zoneinfo: str) -> tuple[ListState, ...]:
    """The list of every CPU and zone; a zone without pages has none. Unknown lines are ignored."""
    return tuple(
        ListState(zone=_name(part), cpu=of.cpu, count=of.pages, high=of.high, batch=of.batch, high_min=of.high_min,
                  high_max=of.high_max)
        for part in zone_parts(zoneinfo)
        for of in cpu_lists(part.lines)
    )  # fmt: skip


def managed(zoneinfo: str) -> dict[str, int]:
    """Pages that each zone has."""
    return _of_zones(zoneinfo, "managed")


def _of_zones(zoneinfo: str, field: str) -> dict[str, int]:
    values = ((_name(part), numbers(part.lines, first=True).get(field)) for part in zone_parts(zoneinfo))
    return {zone: pages for zone, pages in values if pages is not None}


def _name(part: ZonePart) -> str:
    return part.name if part.node == 0 else f"{part.name}{part.node}"
