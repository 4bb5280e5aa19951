# SPDX-License-Identifier: GPL-2.0-only
"""Addresses of the pages. A page is a directory below the site with an index.html; "" is the home page."""

import hashlib
import re

_UNSAFE = re.compile(r"[^A-Za-z0-9._,=+~-]")
_LONGEST = 200
"""Characters of a directory's name. A longer one is cut, and ends with digits of its hash."""
FIRST_ARCH = "x86_64"
"""Steps of this line have addresses without its name."""


def segment(name: str) -> str:
    """One part of an address, the same for the same name on every day: other characters become "@" and hex digits."""
    safe = _UNSAFE.sub(lambda match: "".join(f"@{byte:02x}" for byte in match[0].encode()), name)
    if safe.strip(".") == "":
        safe = "@2e" * len(safe) or "@"
    if len(safe) > _LONGEST:
        return f"{safe[:_LONGEST]}@{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return safe


def step_path(arch: str, series: str, before: str, after: str) -> str:
    """Page of a step; also of its redirect, given two lines of releases."""
    line = "" if arch == FIRST_ARCH else f"{segment(arch)}/"
    return f"step/{line}{segment(series)}/{segment(before)}-{segment(after)}"


def workload_path(name: str) -> str:
    """Page of a workload."""
    return f"workload/{segment(name)}"


def function_path(name: str) -> str:
    """Page of a kernel function."""
    return f"function/{segment(name)}"


def kernel_path(arch: str, key: str) -> str:
    """Page of a kernel."""
    return f"kernel/{segment(arch)}/{segment(key)}"


def compare_path(arch: str, before: str, after: str) -> str:
    """Page that compares two kernels."""
    return f"compare/{segment(arch)}/{segment(before)}-{segment(after)}"


def matrix_path(arch: str, view: str = "") -> str:
    """Page of a matrix. view: "all" for all kernels, "accesses", or "time-..." for predicted times."""
    return f"matrix/{segment(arch)}" + (f"/{segment(view)}" if view else "")


def kernel_data(arch: str, key: str) -> str:
    """JSON of a kernel, without its suffix."""
    return f"data/{segment(arch)}/{segment(key)}"


def function_data(name: str) -> str:
    """JSON of all functions whose names begin alike, without its suffix."""
    letters = re.sub(r"[^a-z0-9]", "", name.lower())[:2]
    return f"data/functions/{letters or 'other'}"


def minor(key: str) -> str:
    """Release without its patch level: "6.16.12" -> "6.16"; "" for a key that is no release."""
    match = re.match(r"(\d+\.\d+)(?:\.|$)", key)
    return match[1] if match else ""
