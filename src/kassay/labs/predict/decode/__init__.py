# SPDX-License-Identifier: GPL-2.0-only
"""Decoding of instructions for a model of their time: kind, registers and memory that they read and write. One file per
architecture.

File name = name of the architecture, with a constant DECODER. Registers are small numbers, at most 95, whose meaning is
the decoder's own: a register and its parts have one number, and the flags are registers as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.registry import load, names

PLAIN, NOP, MOVE, ZERO, PREFETCH, REPEAT = "plain", "nop", "move", "zero", "prefetch", "repeat"
BRANCH, JUMP, CALL, RETURN = "branch", "jump", "call", "return"
JUMP_INDIRECT, CALL_INDIRECT = "jump_indirect", "call_indirect"
SYSCALL, SYSRETURN, SERIALIZE = "syscall", "sysreturn", "serialize"
FENCE_LOAD, FENCE_FULL, FENCE_STORE = "fence_load", "fence_full", "fence_store"
FLUSH_ALL, FLUSH_PAGE = "flush_all", "flush_page"
"""The kinds of instructions, in the words of docs/explained/core.md. move: a copy that a CPU may do when it renames;
zero: what makes zero of any value."""
PREFIXED, FIRST_DECODER, NEAR_BASE, MOVES_STACK, USES_STACK, SPLIT, BASED = 1, 2, 4, 8, 16, 32, 64
"""Traits of an instruction, as docs/explained/core.md explains them. FIRST_DECODER and SPLIT are matters of the CPU."""
PLAIN_ADDRESS, INDEXED, RELATIVE_IMMEDIATE = "", "indexed", "rip_immediate"
"""How an instruction addresses memory, where that decides how many micro-operations it is: with an index register, or
relative to its own place and with an immediate."""
CONTROL = frozenset((BRANCH, JUMP, CALL, RETURN, JUMP_INDIRECT, CALL_INDIRECT))


class Facts(NamedTuple):
    """Facts about one instruction."""

    form: str
    """Mnemonic with kinds and sizes of its operands ("add r64,m64")."""
    kind: str = PLAIN
    """Kind of the instruction, one of the words of docs/explained/core.md."""
    system: str = ""
    """Name in the table of system instructions of a timing file; "" for other instructions."""
    address_reads: tuple[int, ...] = ()
    """Registers that addresses are made of."""
    data_reads: tuple[int, ...] = ()
    """Registers that the result needs."""
    writes: tuple[int, ...] = ()
    """Registers that have to wait for the result. A base register that an access advances (push, pop, post-index) is
    not among them, because CPUs have its new value at once."""
    load_bytes: int = 0
    """Bytes that one execution loads; for a repeated instruction, bytes of one round."""
    store_bytes: int = 0
    """Bytes that one execution stores; for a repeated instruction, bytes of one round."""
    locked: bool = False
    """True for an atomic access of memory."""
    exchanges: bool = False
    """True for an atomic access whose loaded value does not depend on the stored one."""
    address: str = PLAIN_ADDRESS
    """One of PLAIN_ADDRESS, INDEXED and RELATIVE_IMMEDIATE."""
    traits: int = 0
    """Sum of what else matters to some CPUs: PREFIXED, NEAR_BASE, MOVES_STACK, USES_STACK, BASED."""
    opcode: int = 0
    """Number of bytes before its opcode."""


@dataclass(frozen=True, kw_only=True)
class FactsDecoder:
    """Decoder of one architecture."""

    facts: Callable[[bytes], Facts]
    """Function from the bytes of one instruction to its facts. Equal bytes have equal facts."""
    registers: Callable[[int], str]
    """Function from the number of a register to its name, for people."""
    fuses: Callable[[str, str], bool]
    """Function of the forms of an instruction and of a conditional branch after it. It is true if some CPUs make one
    operation of both; a timing file says which of them."""
    atomic: Callable[[str], bool]
    """Function of a mnemonic. It is true if the instruction accesses memory atomically."""
    system: frozenset[str]
    """Every name that Facts.system may have."""


DECODERS = "kassay.labs.predict.decode"
UNREADABLE = "(unreadable)"
"""The form of bytes that are no instruction to the disassembler."""


def facts(arch: str, code: bytes, lengths: Sequence[int]) -> tuple[Facts, ...]:
    """Facts of each instruction of a block. Raises BadInput for an architecture without a decoder."""
    decoder = decoder_of(arch)
    decoded, at = [], 0
    for length in lengths:
        decoded.append(decoder.facts(code[at : at + length]))
        at += length
    return tuple(decoded)


@cache
def decoder_of(arch: str) -> FactsDecoder:
    """The decoder of an architecture. Raises BadInput when it has none."""
    if arch not in names(DECODERS):
        known = ", ".join(names(DECODERS))
        raise BadInput(f"{arch}: no time can be predicted, for lack of a file predict/decode/{arch}.py",
                       f"architectures with a file: {known}; docs/how-to/extending.md")  # fmt: skip
    return load(DECODERS, arch, "DECODER", FactsDecoder)
