# SPDX-License-Identifier: GPL-2.0-only
"""The CPU as the measured kernel saw it: from /proc/cpuinfo and the vulnerabilities files of sysfs, as captured."""

from collections.abc import Mapping
from types import MappingProxyType

from kassay.model.guest import GuestCpu, GuestReport
from kassay.model.records import Setting

CPUINFO = "/proc/cpuinfo"
VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities/"
NOTABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "flags": ("erms", "fsrm", "smap", "pcid", "invpcid"),
        "Features": ("atomics", "paca", "bti", "mte"),
    }
)
"""By the line of cpuinfo that lists features (x86, arm64): those by which the kernel chooses or patches the code of
memory management, entry and exit, in the kernel's names."""
_NAMES = ("model name", "CPU implementer", "CPU part", "CPU variant", "CPU revision")


def cpu_of(report: GuestReport) -> GuestCpu | None:
    """What the kernel said of its first CPU; None when that was not captured, as in earlier versions."""
    texts = {file.path: file.content for file in report.files if file.moment == "after" and file.content is not None}
    if CPUINFO not in texts:
        return None
    lines = _first_cpu(texts[CPUINFO])
    listing = next((line for line in NOTABLE if line in lines), None)
    features = tuple(sorted(lines[listing].split())) if listing else ()
    return GuestCpu(
        name=_name(lines),
        features=features,
        missing=tuple(name for name in NOTABLE[listing] if name not in features) if listing else (),
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


def _name(lines: Mapping[str, str]) -> str:
    """x86 has a name; arm64 has numbers, which Arm's manuals list."""
    if "model name" in lines:
        return lines["model name"]
    return ", ".join(f"{name} {lines[name]}" for name in _NAMES if name in lines)
