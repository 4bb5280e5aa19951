# SPDX-License-Identifier: GPL-2.0-only
"""/proc/zoneinfo -> zones and the page lists of their CPUs; and the limits that older kernels set but do not report."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from kassay.tools.recording.pages import ListState, Zone

_ZONE = re.compile(r"^Node (\d+), zone +(\w+)$", re.M)
_CPU = re.compile(r"^    cpu: (\d+)$", re.M)
_NUMBER = re.compile(r"^ +(?:pages )?(\w+):? +(\d+)$", re.M)
_LEAST_FRACTION = 8


class Lists(NamedTuple):
    """The page lists of one CPU in one zone, in pages; None for what the kernel does not report."""

    cpu: int
    pages: int
    high: int
    batch: int
    high_min: int | None
    high_max: int | None


class ZoneLists(NamedTuple):
    """One zone that has pages."""

    zone: Zone
    lists: tuple[Lists, ...]


class ZonePart(NamedTuple):
    """The part of the file about one zone."""

    node: int
    name: str
    lines: str


def read_zoneinfo(text: str) -> tuple[ZoneLists, ...]:
    """Every zone with pages, numbered in the order of the file. A zone or list with missing fields is left out."""
    zones = []
    for number, part in enumerate(zone_parts(text)):
        zone_lines, _, rest = part.lines.partition("  pagesets\n")
        values = {**numbers(rest), **numbers(zone_lines, first=True)}
        if values.get("managed") and "start_pfn" in values:
            zones.append(ZoneLists(_zone(number, part, values), cpu_lists(rest)))
    return tuple(zones)


def zone_parts(text: str) -> tuple[ZonePart, ...]:
    """The zones in the order of the file, also those without pages."""
    return tuple(ZonePart(int(head[1]), head[2], text[head.end() : end]) for head, end in _parts(_ZONE, text))


def _parts(heading: re.Pattern[str], text: str) -> list[tuple[re.Match[str], int]]:
    """Each heading, and where the part below it ends."""
    heads = list(heading.finditer(text))
    return list(zip(heads, (*(head.start() for head in heads[1:]), len(text)), strict=False))


def numbers(text: str, *, first: bool = False) -> dict[str, int]:
    """Names with their values; of a name that comes twice the first or the last."""
    pairs = [(name, int(value)) for name, value in _NUMBER.findall(text)]
    return dict(reversed(pairs)) if first else dict(pairs)


def _zone(number: int, part: ZonePart, values: Mapping[str, int]) -> Zone:
    names = ("start_pfn", "spanned", "managed", "free", "min", "low", "high")
    return Zone(number=number, node=part.node, name=part.name, **{name: values.get(name, 0) for name in names})


def cpu_lists(text: str) -> tuple[Lists, ...]:
    """The page lists of each CPU, given the lines of one zone. A list with missing fields is left out."""
    lists = []
    for head, end in _parts(_CPU, text):
        values = numbers(text[head.end() : end], first=True)
        if not {"count", "high", "batch"} <= values.keys():
            continue
        least, most = values.get("high_min"), values.get("high_max")
        lists.append(Lists(int(head[1]), values["count"], values["high"], values["batch"], least, most))
    return tuple(lists)


def list_state(zone_lists: ZoneLists, lists: Lists, release: str, cpus: int, fraction: int) -> ListState:
    """The lists with their limits: as reported, else as the kernel computes them (zone_highsize() in mm/page_alloc.c).

    cpus: of the zone's node. fraction: vm.percpu_pagelist_high_fraction, 0 where it is not set.
    """
    least, most = lists.high_min, lists.high_max
    reported = least is not None and most is not None
    if not reported:
        least, most = _limits(zone_lists.zone, lists, release, cpus, fraction)
    return ListState(
        cpu=lists.cpu, zone=zone_lists.zone.number, count=lists.pages, high=lists.high, high_min=least or 0,
        high_max=most or 0, batch=lists.batch, told=reported,
    )  # fmt: skip


def series(release: str) -> tuple[int, int]:
    """(6, 17) of "6.17.8-cloud"; (0, 0) for a release that has no numbers."""
    match = re.match(r"(\d+)\.(\d+)", release)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def tunes_high(release: str) -> bool:
    """True if a kernel tunes high between two limits, as kernels do since 6.7.

    The release is asked, since recordings and stored runs keep it, and not always the kernel's symbols.
    """
    return series(release) >= (6, 7)


def _limits(zone: Zone, lists: Lists, release: str, cpus: int, fraction: int) -> tuple[int, int]:
    if fraction > 0 or not tunes_high(release) or lists.high < lists.batch:
        return lists.high, lists.high
    return tuned_limits(zone, lists.batch, cpus)


def tuned_limits(zone: Zone, batch: int, cpus: int) -> tuple[int, int]:
    """high_min and high_max of a kernel that tunes high between them; cpus: of the zone's node."""
    least, most = (max(size // cpus, batch << 2) for size in (zone.low, zone.managed // _LEAST_FRACTION))
    return least, max(least, most)
