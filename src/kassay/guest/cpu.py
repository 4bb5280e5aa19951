# SPDX-License-Identifier: GPL-2.0-only
"""The CPU as the measured kernel saw it: from /proc/cpuinfo and the vulnerabilities files of sysfs, as captured."""

from collections.abc import Mapping

from kassay.arches import Arch
from kassay.model.guest import GuestCpu, GuestReport
from kassay.model.records import Setting

CPUINFO = "/proc/cpuinfo"
VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities/"


def cpu_of(report: GuestReport, arch: Arch) -> GuestCpu | None:
    """What a kernel of `arch` said of its first CPU; None when that was not captured, as in earlier versions."""
    texts = {file.path: file.content for file in report.files if file.moment == "after" and file.content is not None}
    if CPUINFO not in texts:
        return None
    lines = _first_cpu(texts[CPUINFO])
    listing = lines.get(arch.cpuinfo.features)
    features = tuple(sorted(listing.split())) if listing is not None else ()
    return GuestCpu(
        name=_name(lines, arch.cpuinfo.name),
        features=features,
        missing=tuple(name for name in arch.cpuinfo.notable if name not in features) if listing is not None else (),
        vulnerabilities=tuple(
            Setting(name=path.removeprefix(VULNERABILITIES), value=text.strip())
            for path, text in sorted(texts.items())
            if path.startswith(VULNERABILITIES)
        ),
    )


def _first_cpu(text: str) -> dict[str, str]:
    """Lines "name : value" up to the first empty one."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if not colon:
            break
        found[name.strip()] = value.strip()
    return found


def _name(lines: Mapping[str, str], titles: tuple[str, ...]) -> str:
    if len(titles) == 1:
        return lines.get(titles[0], "")
    return ", ".join(f"{title} {lines[title]}" for title in titles if title in lines)
