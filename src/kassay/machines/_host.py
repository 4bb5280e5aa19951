# SPDX-License-Identifier: GPL-2.0-only
"""What the host is, in one line, for the record."""

import platform
import re
from functools import cache
from pathlib import Path

from kassay.arches import of_machine


@cache
def host_words() -> str:
    """CPU model, number of online CPUs, kernel release. "unknown CPU" where the host does not say."""
    info = Path("/proc/cpuinfo")
    text = info.read_text(errors="replace") if info.exists() else ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    count = len(re.findall(r"^processor\s*:", text, re.MULTILINE))
    model = re.sub(r"\s+", " ", match.group(1)) if match else f"unknown CPU ({platform.machine()})"
    return f"{model}, {count} CPUs, Linux {platform.release()}"


def host_arch() -> str:
    """This host's arch in kassay's words."""
    found = of_machine(platform.machine())
    return found.name if found is not None else platform.machine()
