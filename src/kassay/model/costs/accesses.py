# SPDX-License-Identifier: GPL-2.0-only
"""Accesses to memory: the load of a function on caches and TLB."""

from kassay.model.costs import Cost

COST = Cost(
    name="accesses",
    unit="memory accesses",
    definition="loads and stores executed",
    of=lambda row: None if row.loads is None or row.stores is None else row.loads + row.stores,
    remedy="measure with --profile memory, in another --out",
)
