# SPDX-License-Identifier: GPL-2.0-only
"""Work of page faults and calls besides their number: what faults are on, what they allocate and map around.

A write to a new page, to the zero page, to a copied page that nobody shares any more, and the first access below a page
table that is missing are each one fault. They differ in what they allocate (mm/memory.c).
"""

import re
from collections.abc import Iterator, Mapping

from kassay.evidence.profile.by_round import summed, times_entered
from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.entries import NodeEntry
from kassay.evidence.profile.symbols import Symbols
from kassay.model.work import (
    ALLOCATION,
    AROUND,
    IN_CALLS,
    ON_ANONYMOUS,
    ON_FILE,
    ON_PRESENT,
    ON_SWAP,
    WorkItem,
)
from kassay.supply.arches import SYSTEM_CALL

_ALLOCATES = ("__alloc_frozen_pages_noprof", "__alloc_pages_noprof", "__alloc_pages", "__alloc_pages_nodemask")
"""Functions by which all kernels allocate pages. A newer one is called by the older ones, where it is there."""
_OF_SLABS = re.compile(r"\w*slab\w*|kmem_cache_alloc\w*|\w*kmalloc\w*")
"""Allocators of objects: how many pages they take at a time is the kernel's choice."""
_AROUND = "filemap_map_pages"
_HANDLERS = {ON_ANONYMOUS: "do_anonymous_page", ON_FILE: "do_fault", ON_PRESENT: "do_wp_page", ON_SWAP: "do_swap_page"}
"""Functions of mm/memory.c that handle_pte_fault() chooses from. A compiler may inline one, and then nothing is known.
"""


def fault_items(
    raw: RawProfile, symbols: Symbols, entries: Mapping[int, NodeEntry], slots: list[int]
) -> Iterator[WorkItem]:
    """One item for each kind that any round has, and for each handler of faults that is a function. entries: of
    node_entries()."""
    allocates = next((at for name in _ALLOCATES if (at := symbols.kernel_entry(name)) is not None), None)
    handlers = ((symbols.kernel_entry(name), (kind,)) for kind, name in _HANDLERS.items())
    for address, kinds in ((allocates, (ALLOCATION, IN_CALLS)), (symbols.kernel_entry(_AROUND), (AROUND,)), *handlers):
        if address is None:
            continue
        calls = times_entered(raw, address, slots)
        nodes = [number for number, node in raw.nodes.items() if node.address == address]
        every = summed(raw, nodes, slots)
        for kind in kinds:
            wanted = (number for number in nodes if number in entries and _is_of(kind, entries[number]))
            here = summed(raw, _no_slabs(raw, symbols, wanted), slots)
            # Calls are counted for the function. Its instructions tell how many of them were made in each place.
            times = tuple(
                round(made * part / whole) if whole else 0 for made, part, whole in zip(calls, here, every, strict=True)
            )
            if any(times) or kind in _HANDLERS:
                yield WorkItem(kind=kind, times=times)


def _is_of(kind: str, entry: NodeEntry) -> bool:
    return entry.kind == SYSTEM_CALL and not entry.fault if kind == IN_CALLS else bool(entry.fault)


def _no_slabs(raw: RawProfile, symbols: Symbols, nodes: Iterator[int]) -> Iterator[int]:
    """The nodes that no allocator of objects leads to."""
    for number in nodes:
        above = raw.nodes[number].parent
        while above is not None and not _OF_SLABS.fullmatch(symbols.find(raw.nodes[above].address)[0]):
            above = raw.nodes[above].parent
        if above is None:
            yield number
