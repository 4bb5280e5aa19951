# SPDX-License-Identifier: GPL-2.0-only
"""Pages that faults allocate and map: calls of a function, as far as its instructions lie below a fault."""

import pytest

from kassay.evidence.profile.entries import node_entries
from kassay.evidence.profile.fault_work import fault_items
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.model.work import ALLOCATION, AROUND, IN_CALLS
from tests.profile.files import KERNEL, NOP, File, table

NAMES = ("asm_exc_page_fault", "handle_mm_fault", "__alloc_pages_noprof", "___slab_alloc", "entry_SYSCALL_64",
         "__x64_sys_read", "filemap_map_pages", "__alloc_frozen_pages_noprof")  # fmt: skip


@pytest.mark.parametrize("allocates", ["__alloc_pages_noprof", "__alloc_frozen_pages_noprof"])
def test_allocations_of_faults_are_told_from_those_of_calls_and_of_slabs(allocates: str) -> None:
    """Each allocation executes 50 instructions of its own: 6 in faults, 3 in a call, 1 for a slab in a fault."""
    names = [name for name in NAMES if name == allocates or not name.startswith("__alloc")]
    at = {name: KERNEL + 16 * number for number, name in enumerate(names)}
    symbols = Symbols.load([table(*((address, 16, name) for name, address in at.items()))], {})
    file = File(mode="stacks", rounds=1)
    root = file.node(None, 0)
    user = file.node(root, 0x401000)
    fault = file.node(user, at["asm_exc_page_fault"])
    handled = file.node(fault, at["handle_mm_fault"])
    slab = file.node(handled, at["___slab_alloc"])
    read = file.node(file.node(user, at["entry_SYSCALL_64"]), at["__x64_sys_read"])
    for above, times in ((handled, 6), (slab, 1), (read, 3)):
        file.count(file.node(above, at[allocates]), 50 * times)
    file.count(file.node(handled, at["filemap_map_pages"]), 40)
    for name, times in ((allocates, 10), ("filemap_map_pages", 2)):
        file.count(file.block(at[name], NOP), times)
    raw = parse(file.bytes())
    items = fault_items(raw, symbols, dict(node_entries(raw, symbols)), [0])
    assert [(item.kind, item.times) for item in items] == [(ALLOCATION, (6,)), (IN_CALLS, (3,)), (AROUND, (2,))]
