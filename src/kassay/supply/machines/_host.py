# SPDX-License-Identifier: GPL-2.0-only
"""Description of the host in one line, for the record."""

import platform
import re
from functools import cache
from pathlib import Path

from msgspec import UNSET, UnsetType

from kassay.effects.distribution import IMAGE
from kassay.effects.files import sha256_bytes
from kassay.supply.arches import of_machine

_MACHINE_ID = Path("/etc/machine-id")


@cache
def host_words() -> str:
    """CPU model, number of online CPUs, kernel release."""
    count = len(re.findall(r"^processor\s*:", _cpuinfo(), re.MULTILINE))
    return f"{cpu_model()}, {count} CPUs, Linux {platform.release()}"


def host_id() -> str | UnsetType:
    """Eight hex digits of this host, from machine-id(5), which is not to be published; without one from its name. UNSET
    in a container, which has another one each time."""
    if container_words():
        return UNSET
    try:
        known = _MACHINE_ID.read_text("ascii", "replace").strip()
    except OSError:
        known = ""
    return sha256_bytes(f"kassay {known or platform.node()}".encode())[:8]


def container_words() -> str | UnsetType:
    """Identity of the container image that this process runs in, from scripts/container; UNSET outside of one."""
    try:
        return IMAGE.read_text("utf-8", "replace").strip() or UNSET
    except OSError:
        return UNSET


def cpu_model() -> str:
    """In the CPU's own words; "unknown CPU" where the host does not say."""
    arch = of_machine(platform.machine())
    titles = arch.cpuinfo.name if arch is not None else ("model name",)
    found = ((title, re.search(rf"^{title}\s*:\s*(.+)$", _cpuinfo(), re.MULTILINE)) for title in titles)
    named = [(title if len(titles) > 1 else "", match.group(1)) for title, match in found if match]
    return re.sub(r"\s+", " ", ", ".join(map(" ".join, named))).strip() or f"unknown CPU ({platform.machine()})"


def _cpuinfo() -> str:
    info = Path("/proc/cpuinfo")
    return info.read_text(errors="replace") if info.exists() else ""


def host_arch() -> str:
    """This host's arch in kassay's words."""
    arch = of_machine(platform.machine())
    return arch.name if arch is not None else platform.machine()
