# SPDX-License-Identifier: GPL-2.0-only
"""debian:6.17: a kernel of the Debian archive, by its version or series."""

from kassay.model.kinds import Found, Kind


def _pinned(_: str, kernel: Found) -> str | None:
    return f"debian:{kernel.package_version}" if kernel.package_version is not None else None


KIND = Kind(
    name="debian",
    order=10,
    grammar="debian:6.17.8, or debian:6.17 for the newest 6.17.x of the archive",
    pinned=_pinned,
)
