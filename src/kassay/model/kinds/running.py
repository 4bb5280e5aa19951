# SPDX-License-Identifier: GPL-2.0-only
"""running: the installed kernel that runs on this host now."""

from kassay.model.kinds import Found, Kind


def _pinned(_: str, kernel: Found) -> str:
    return f"installed:{kernel.release}"


KIND = Kind(
    name="running",
    order=42,
    grammar="running, the installed kernel that runs here, booted in QEMU",
    bare=True,
    files=True,
    pinned=_pinned,
)
