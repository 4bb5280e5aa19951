# SPDX-License-Identifier: GPL-2.0-only
"""/proc/zoneinfo, as a run sampled it after each round: the per-CPU page lists over guest time.

The guest keeps a few lines of each sample (guest/samples.c), too few for pcp.zoneinfo, which reads whole files.
"""

import re
from collections.abc import Iterator

from kassay.labs.pcp.model.measured import ListSample, ListState
from kassay.model.guest import GuestReport

SAMPLES = "kassay/samples"
_ZONE = re.compile(r"Node (\d+), zone\s+(\w+)")
_CPU = re.compile(r"\s+cpu: (\d+)")
_FIELD = re.compile(r"\s+(count|high|batch|high_min|high_max):\s+(\d+)")
_FREE = re.compile(r"\s+pages free\s+(\d+)")
_MANAGED = re.compile(r"\s+managed\s+(\d+)")


def samples(report: GuestReport) -> tuple[ListSample, ...]:
    """In order of time, the first one from just before the first round. Empty where the run took no samples."""
    text = next((file.content for file in report.files if file.path == SAMPLES), None)
    ns = 1e9 / report.ticks_per_second if report.ticks_per_second else 1.0
    taken = (
        [ListSample(time_ns=0, lists=lists(first), free=_free(first))]
        if text and (first := zoneinfo_before(report))
        else []
    )
    for part in (text or "").split("sample ")[1:]:
        tick, _, lines = part.partition("\n")
        taken.append(ListSample(time_ns=round(int(tick) * ns), lists=lists(lines), free=_free(lines)))
    return tuple(taken)


def zoneinfo_before(report: GuestReport) -> str:
    """/proc/zoneinfo from before the first round; "" where the run has none."""
    return next((f.content or "" for f in report.files if (f.moment, f.path) == ("before", "/proc/zoneinfo")), "")


def lists(zoneinfo: str) -> tuple[ListState, ...]:
    """The list of every CPU and zone; a zone without pages has none. Unknown lines are ignored."""
    states = []
    for zone, cpu, fields in _sections(zoneinfo):
        if {"count", "high", "batch"} <= fields.keys():
            states.append(ListState(zone=zone, cpu=cpu, count=fields["count"], high=fields["high"],
                                    batch=fields["batch"], high_min=fields.get("high_min"),
                                    high_max=fields.get("high_max")))  # fmt: skip
    return tuple(states)


def managed(zoneinfo: str) -> dict[str, int]:
    """Pages that each zone has."""
    return _of_zones(zoneinfo, _MANAGED)


def _free(zoneinfo: str) -> dict[str, int]:
    return _of_zones(zoneinfo, _FREE)


def _of_zones(zoneinfo: str, field: re.Pattern[str]) -> dict[str, int]:
    pages: dict[str, int] = {}
    zone = ""
    for line in zoneinfo.splitlines():
        if match := _ZONE.match(line):
            zone = match[2] if match[1] == "0" else f"{match[2]}{match[1]}"
        elif zone and (match := field.match(line)):
            pages[zone] = int(match[1])
    return pages


def _sections(zoneinfo: str) -> Iterator[tuple[str, int, dict[str, int]]]:
    zone, cpu, fields = "", -1, dict[str, int]()
    for line in zoneinfo.splitlines():
        if match := _ZONE.match(line):
            if cpu >= 0:
                yield zone, cpu, fields
            zone, cpu, fields = match[2] if match[1] == "0" else f"{match[2]}{match[1]}", -1, {}
        elif match := _CPU.match(line):
            if cpu >= 0:
                yield zone, cpu, fields
            cpu, fields = int(match[1]), {}
        elif cpu >= 0 and (match := _FIELD.match(line)):
            fields[match[1]] = int(match[2])
    if cpu >= 0:
        yield zone, cpu, fields
