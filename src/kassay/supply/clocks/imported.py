# SPDX-License-Identifier: GPL-2.0-only
"""imported: whatever another tool measured, read from its file."""

from kassay.supply.clocks import Clock

CLOCK = Clock(
    name="imported",
    order=90,
    unit="",  # each metric of a file has its own
    scope="measured elsewhere: the state and the identity of what was measured are not proven",
    definition="",
    imported=True,
    ticks="",
    meaning="All of it was measured elsewhere: neither the state of memory nor the identity of the kernels has "
    "been checked.",
)
