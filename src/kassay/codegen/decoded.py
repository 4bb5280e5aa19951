# SPDX-License-Identifier: GPL-2.0-only
"""What the decoder of an architecture is, and what it gives for one instruction."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kassay.codegen.code import Linked, Reference, Symbol
from kassay.errors import BadInput
from kassay.registry import load, names

DECODERS = "kassay.codegen.decoders"

NOOP, TRAP, TRACER, CALL, BRANCH, PLAIN = "noop", "trap", "tracer", "call", "branch", "plain"
HOLE = "\0"
"""Stands in `text` for each of `references`, in order."""


class Decoded(NamedTuple):
    """text: mnemonic and operands. kind: call and branch are those whose target is known. references: of fields that
    hold addresses. zeroed: the bytes with these fields zeroed."""

    offset: int
    size: int
    text: str
    kind: str
    references: tuple[Reference, ...]
    zeroed: bytes


class Decoder(NamedTuple):
    """decode(part, file): the instructions of one symbol; bytes that are none become ".byte". without_padding(code):
    without the no-ops, traps or zeros that are there for alignment only, at the end. indirect: what the text of a call
    or jump through a pointer begins with. returns: functions that a return goes through.

    relative: kinds of relocations that count from the field. tables: of those of a table's entries the width in bytes,
    and whether they count from the table's start.
    """

    decode: Callable[[Symbol, Linked], Iterator[Decoded]]
    without_padding: Callable[[bytes], bytes]
    indirect: tuple[str, ...]
    returns: tuple[str, ...]
    relative: frozenset[int]
    tables: Mapping[int, tuple[int, bool]]


@cache
def decoder_of(arch: str) -> Decoder:
    """The decoder of an architecture. Raises BadInput where nobody has written one."""
    known = names(DECODERS)
    if arch not in known:
        raise BadInput(f"code of {arch} cannot be taken apart: there is no codegen/decoders/{arch}.py",
                       f"there is one for {', '.join(known)}; docs/extending.md says where to put one")  # fmt: skip
    return load(DECODERS, arch, "DECODER", Decoder)
