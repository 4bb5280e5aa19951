# SPDX-License-Identifier: GPL-2.0-only
"""The CPU as the measured kernel saw it: from /proc/cpuinfo and the vulnerabilities files of sysfs, as captured."""

from collections.abc import Mapping

from msgspec import UNSET

from kassay.model.guest import GuestCpu, GuestReport, NamedCpu
from kassay.model.records import Setting
from kassay.supply.arches import Arch
from kassay.supply.cpus import Cpu

CPUINFO = "/proc/cpuinfo"
VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities/"


def cpu_of(report: GuestReport, arch: Arch, named: Cpu | None = None) -> GuestCpu | None:
    """The first CPU as a kernel of `arch` describes it; None if that was not captured, as in earlier versions. named:
    the CPU that was asked for; what the real one has and this one lacks is then missing."""
    texts = {file.path: file.content for file in report.files if file.moment == "after" and file.content is not None}
    if CPUINFO not in texts:
        return None
    lines = _first_cpu(texts[CPUINFO])
    listing = lines.get(arch.cpuinfo.features)
    features = tuple(sorted(listing.split())) if listing is not None else ()
    wanted = arch.cpuinfo.notable if named is None or not named.identity else named.features
    return GuestCpu(
        name=_name(lines, arch.cpuinfo.name),
        features=features,
        missing=tuple(name for name in wanted if name not in features) if listing is not None else (),
        vulnerabilities=tuple(
            Setting(name=path.removeprefix(VULNERABILITIES), value=text.strip())
            for path, text in sorted(texts.items())
            if path.startswith(VULNERABILITIES)
        ),
        named=UNSET if named is None else _named(named, lines),
    )


def _named(cpu: Cpu, lines: Mapping[str, str]) -> NamedCpu:
    """Which CPU was asked for, and the lines of /proc/cpuinfo by which it is another."""
    other = ((title, lines.get(title, "nothing"), value) for title, value in cpu.identity)
    return NamedCpu(
        name=cpu.name,
        real=bool(cpu.identity),
        other=tuple(
            Setting(name=title, value=f"{actual} instead of {value}")
            for title, actual, value in other
            if actual != value
        ),
    )


def _first_cpu(text: str) -> dict[str, str]:
    """Lines "name : value" up to the first empty one."""
    lines: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if not colon:
            break
        lines[name.strip()] = value.strip()
    return lines


def _name(lines: Mapping[str, str], titles: tuple[str, ...]) -> str:
    if len(titles) == 1:
        return lines.get(titles[0], "")
    return ", ".join(f"{title} {lines[title]}" for title in titles if title in lines)
