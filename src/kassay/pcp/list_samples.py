# SPDX-License-Identifier: GPL-2.0-only
"""/proc/zoneinfo, as a run sampled it after each round: the per-CPU page lists over guest time."""

from kassay.model.guest import GuestReport
from kassay.model.pcp_measured import ListSample, PageList
from kassay.pcp.pages import Zone
from kassay.pcp.zoneinfo import read_zoneinfo

SAMPLES = "kassay/samples"


def samples(report: GuestReport) -> tuple[ListSample, ...]:
    """In order of time, the first from just before the first round; none where the run did not sample."""
    text = next((file.content for file in report.files if file.path == SAMPLES), None)
    ns = 1e9 / report.ticks_per_second if report.ticks_per_second else 1.0
    made = [_sample(0, before)] if text and (before := _before(report)) else []
    for part in (text or "").split("sample ")[1:]:
        tick, _, lines = part.partition("\n")
        made.append(_sample(round(int(tick) * ns), lines))
    return tuple(made)


def _before(report: GuestReport) -> str:
    return next((f.content or "" for f in report.files if (f.moment, f.path) == ("before", "/proc/zoneinfo")), "")


def _sample(time_ns: int, zoneinfo: str) -> ListSample:
    zones = read_zoneinfo(zoneinfo)
    lists = (
        PageList(zone=_name(found.zone), cpu=one.cpu, count=one.pages, high=one.high, batch=one.batch,
                 high_min=one.high_min, high_max=one.high_max)
        for found in zones
        for one in found.lists
    )  # fmt: skip
    return ListSample(time_ns=time_ns, lists=tuple(lists), free={_name(one.zone): one.zone.free for one in zones})


def managed(zoneinfo: str) -> dict[str, int]:
    """Pages that each zone has."""
    return {_name(found.zone): found.zone.managed for found in read_zoneinfo(zoneinfo)}


def _name(zone: Zone) -> str:
    """The zone's name; of further nodes with the node's number."""
    return f"{zone.name}{zone.node or ''}"
