# SPDX-License-Identifier: GPL-2.0-only
"""running: the installed kernel that runs on this host now."""

from kassay.model.kinds import Kind

KIND = Kind(
    name="running",
    order=42,
    grammar="running, the installed kernel that runs here, booted in QEMU",
    bare=True,
    files=True,
    pinned=lambda _, kernel: f"installed:{kernel.release}",
)
