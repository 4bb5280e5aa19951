# SPDX-License-Identifier: GPL-2.0-only
"""Functions of the page allocator that take the lock of a zone, by what they take it for, as kernels from 6.1 to 7.3
call them; where the compiler inlined one, the function that it is in. base_name() of a symbol is looked up."""

REFILL = frozenset({"rmqueue_bulk", "__rmqueue_pcplist"})
"""Blocks from the zone to a per-CPU list."""
DRAIN = frozenset({"free_pcppages_bulk"})
"""Blocks from a list to the zone."""
TAKE = frozenset({"get_page_from_freelist", "rmqueue", "rmqueue_buddy", "reserve_highatomic_pageblock",
                  "unreserve_highatomic_pageblock"})  # fmt: skip
GIVE = frozenset({"free_one_page", "__free_pages_ok", "free_unref_page", "__free_unref_page", "__free_frozen_pages",
                  "free_unref_folios"})  # fmt: skip
"""A block that passes no list, from and to the zone."""
ALL = REFILL | DRAIN | TAKE | GIVE
LOCKS = frozenset({"_raw_spin_lock_irqsave", "_raw_spin_lock"})
"""Functions by which they take the lock of a zone. The lock of a list is taken by _raw_spin_trylock."""
