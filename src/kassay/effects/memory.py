# SPDX-License-Identifier: GPL-2.0-only
"""Memory of this host."""

import os
from pathlib import Path


def memory_bytes() -> int:
    """All that the host has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def available_bytes(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Bytes that new processes can have without swapping: with the page cache that can be dropped, unlike the C
    library's number of free pages. Source: MemAvailable of proc(5)."""
    for line in meminfo.read_text("ascii").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.removesuffix("kB")) << 10
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")  # before Linux 3.14
