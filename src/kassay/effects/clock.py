# SPDX-License-Identifier: GPL-2.0-only
"""The host's clocks: for timeouts and time stamps, never for an exact result."""

import time
from datetime import UTC, datetime


def monotonic_s() -> float:
    """Seconds from an arbitrary start."""
    return time.monotonic()


def wall_s() -> float:
    """Seconds since 1970, as file times are."""
    return time.time()


def utc_now() -> str:
    """Now, as 2026-11-21T17:05:49Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def sleep(seconds: float) -> None:
    """Waits on the host."""
    time.sleep(seconds)


def utc_at(seconds: float) -> str:
    """A time in seconds since 1970, as 2026-11-21T17:05:49Z."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
