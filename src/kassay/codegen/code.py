# SPDX-License-Identifier: GPL-2.0-only
"""What a function's code is, who knows what its addresses mean, and what an architecture's decoder gives for it."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple, Protocol

from kassay.errors import BadInput
from kassay.registry import load, names

Spot = tuple[int, int]
"""A place: (section of the object file, offset there), or (0, address) in an image."""
_NUMBERED = re.compile(r"(?<!\.isra)(?<!\.part)(?<!\.constprop)(?<!\.cold)\.\d+$")
_UNIQUE = re.compile(r"(__UNIQUE_ID_\w*?)_*\d+$")
_LLVM = re.compile(r"\.llvm\.\d+$")


class Symbol(NamedTuple):
    """A function's own symbol or one of its copies; size is None where only the next symbol tells the end."""

    name: str
    spot: Spot
    code: bytes


class Reference(NamedTuple):
    """What a field of an instruction refers to. spot: None when it lies elsewhere; name says it then."""

    spot: Spot | None
    name: str = ""


class StaticBranch(NamedTuple):
    """A jump that is patched in and out. key: name of what decides."""

    target: Spot
    key: str


class Linked(Protocol):
    """The file around a function."""

    arch: str

    def relocated(self, field: Spot, end: int) -> Reference | None:
        """What the field's relocation refers to; end: bytes from the field to the instruction's end, which relative
        fields count from. None without a relocation."""

    def absolute(self, value: int, per_cpu: bool) -> Spot | None:
        """The place that a plain number is the address of; None when it is a number."""

    def name(self, spot: Spot) -> str:
        """ "symbol", "symbol+0x8", a string in quotes, or "data"."""

    def table(self, spot: Spot) -> Iterator[Spot]:
        """The places that a table of addresses at a place leads to, one after the other: a switch may be one."""

    def static_branch(self, spot: Spot) -> StaticBranch | None:
        """The patched jump at a place."""


def name_of(refers: Reference, file: Linked) -> str:
    """What a field refers to, by name, wherever that lies."""
    return refers.name or file.name(refers.spot or (0, 0))


class FunctionCode(NamedTuple):
    """A function with its parts, its own symbol first."""

    parts: tuple[Symbol, ...]
    file: Linked


def settled(name: str) -> str:
    """A symbol's name without the numbers that a compiler counts through a whole file: "__already_done.7"."""
    return _UNIQUE.sub(r"\1", _NUMBERED.sub("", _LLVM.sub("", name)))


def placed(name: str, offset: int) -> str:
    """ "name" or "name+0x8"."""
    return f"{name}{offset:+#x}" if offset else name


def quoted(data: bytes) -> str | None:
    """The C string that data begins with, in quotes; None when it is none, or is empty."""
    text, end, _ = data.partition(b"\0")
    if not text or not end or not all(0x20 <= c < 0x7F or c in (1, 9, 10) for c in text):
        return None
    return '"' + "".join(chr(c) if 0x20 <= c < 0x7F else f"\\{c}" for c in text) + '"'


def main_first(parts: list[Symbol], function: str) -> tuple[Symbol, ...]:
    """The function's own symbol, else its largest copy that is not cold; then the others by name."""
    own = min(parts, key=lambda p: (p.name != function, ".cold" in p.name, -len(p.code), p.name))
    return (own, *sorted((p for p in parts if p is not own), key=lambda p: p.name))


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
