# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp measure: its options and its answer."""

from kassay.errors import HostLacks


def measure() -> int:
    """Measure the zone path, the zone lock and the per-CPU lists of real kernels."""
    raise HostLacks("kassay pcp measure is not there yet", "use a later kassay")
