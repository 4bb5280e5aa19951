# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp simulate: its options and its answer."""

from kassay.errors import HostLacks


def simulate() -> int:
    """Compare policies of the per-CPU page lists on a synthetic workload, in a model of the zone and its lock."""
    raise HostLacks("kassay pcp simulate is not there yet", "use a later kassay")
