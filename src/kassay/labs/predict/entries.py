# SPDX-License-Identifier: GPL-2.0-only
"""Records of a timing file about forms of instructions."""

from kassay.model.records import Record

Entry = tuple[int, float, str]
"""Micro-operations of dispatch; cycles from operands to results, without the access of memory; ports."""


class Override(Record, frozen=True, kw_only=True):
    """An entry that comes before those of [instructions], which are LLVM's."""

    forms: tuple[str, ...]
    """Shell patterns. The first override that matches counts."""
    entry: Entry
    source: str


class MicroOps(Record, frozen=True, kw_only=True):
    """How many micro-operations some forms are, where that is not what their entries say."""

    forms: tuple[str, ...]
    """Shell patterns. The first rule that matches counts."""
    count: int = 0
    """0 for as many as in the entry."""
    indexed: bool = False
    """True if dispatch takes a load or a store with an index register apart from what it was decoded with."""
    rip_immediate: int = 0
    """Number of further ones if the address is relative to the instruction and there is an immediate."""
    source: str


class Fusion(Record, frozen=True, kw_only=True):
    """Neighbours that become one micro-operation."""

    flags: tuple[str, ...]
    """Mnemonics that fuse with a conditional branch after them."""
    memory: bool
    """True if they fuse with an operand in memory."""
    immediate: bool
    """True if they fuse with an operand in memory and an immediate."""
    source: str
