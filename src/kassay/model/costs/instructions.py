# SPDX-License-Identifier: GPL-2.0-only
"""Instructions, the default: what the guest's own clock counts."""

from kassay.model.costs import Cost

COST = Cost(
    name="instructions",
    unit="instructions",
    definition="instructions executed, and every further iteration of a string instruction as one",
    of=lambda row: row.instructions + row.iterations,
)
