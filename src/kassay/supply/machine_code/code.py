# SPDX-License-Identifier: GPL-2.0-only
"""The records of a function's code, and the interfaces of the file around it and of an architecture's decoder."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple, Protocol

from kassay.errors import BadInput
from kassay.registry import load, names

Spot = tuple[int, int]
"""A location: (section of the object file, offset in it), or (0, address) in an image."""
_NUMBERED = re.compile(r"(?<!\.isra)(?<!\.part)(?<!\.constprop)(?<!\.cold)\.\d+$")
_UNIQUE = re.compile(r"(__UNIQUE_ID_\w*?)_*\d+$")
_LLVM = re.compile(r"\.llvm\.\d+$")


class Symbol(NamedTuple):
    """A function's own symbol or one of its copies."""

    name: str
    spot: Spot
    code: bytes
    """Its bytes."""


class Reference(NamedTuple):
    """The target of an instruction's field."""

    spot: Spot | None
    """Place of the target; None if it is in another file."""
    name: str = ""
    """Name of the target if it is in another file."""


class StaticBranch(NamedTuple):
    """A jump that the kernel patches in and out."""

    target: Spot
    key: str
    """Name of the static key that decides."""


class Linked(Protocol):
    """The file around a function."""

    arch: str

    def relocated(self, field: Spot, end: int) -> Reference | None:
        """The target of the field's relocation. end: bytes from the field to the instruction's end, which relative
        fields count from. None without a relocation."""

    def absolute(self, value: int, per_cpu: bool) -> Spot | None:
        """The spot whose address a plain number is; None when it is only a number."""

    def name(self, spot: Spot) -> str:
        """ "symbol", "symbol+0x8", a string in quotes, or "data"."""

    def table(self, spot: Spot) -> Iterator[Spot]:
        """The targets of a table of addresses at this spot, in order, such as the table of a switch."""

    def static_branch(self, spot: Spot) -> StaticBranch | None:
        """The patched jump at this spot, if there is one."""


def name_of(refers: Reference, file: Linked) -> str:
    """The name of what a field refers to, in this file or another."""
    return refers.name or file.name(refers.spot or (0, 0))


class FunctionCode(NamedTuple):
    """A function with its parts, its own symbol first."""

    parts: tuple[Symbol, ...]
    file: Linked


def name_without_counters(name: str) -> str:
    """A symbol's name without the numbers that a compiler counts per file: "__already_done.7"."""
    return _UNIQUE.sub(r"\1", _NUMBERED.sub("", _LLVM.sub("", name)))


def placed(name: str, offset: int) -> str:
    """ "name" or "name+0x8"."""
    return f"{name}{offset:+#x}" if offset else name


def quoted(data: bytes) -> str | None:
    """The C string that data begins with, in quotes; None when it is no string, or an empty one."""
    text, end, _ = data.partition(b"\0")
    if not text or not end or not all(0x20 <= c < 0x7F or c in (1, 9, 10) for c in text):
        return None
    return '"' + "".join(chr(c) if 0x20 <= c < 0x7F else f"\\{c}" for c in text) + '"'


def main_first(parts: list[Symbol], function: str) -> tuple[Symbol, ...]:
    """The function's own symbol, else its largest copy that is not cold; then the others by name."""
    main = min(parts, key=lambda p: (p.name != function, ".cold" in p.name, -len(p.code), p.name))
    return (main, *sorted((p for p in parts if p is not main), key=lambda p: p.name))


DECODERS = "kassay.supply.machine_code.decoders"

NOOP, TRAP, TRACER, CALL, BRANCH, PLAIN = "noop", "trap", "tracer", "call", "branch", "plain"
HOLE = "\0"
"""Stands in `text` for each of `references`, in order."""


class Decoded(NamedTuple):
    """One instruction, decoded."""

    offset: int
    size: int
    text: str
    """Mnemonic and operands, with HOLE in place of each reference."""
    kind: str
    """Kind of the instruction; CALL and BRANCH only if the target is known."""
    references: tuple[Reference, ...]
    """Targets of the fields that hold addresses, in order."""
    zeroed: bytes
    """Bytes of the instruction, with the fields that hold addresses zeroed."""


class Decoder(NamedTuple):
    """Decoder of one architecture's machine code."""

    decode: Callable[[Symbol, Linked], Iterator[Decoded]]
    """Function that gives the instructions of one symbol. Other bytes become ".byte"."""
    without_padding: Callable[[bytes], bytes]
    """Function that removes the no-ops, traps or zeros at the end of code that are alignment only."""
    indirect: tuple[str, ...]
    """First words of a call or jump through a pointer."""
    returns: tuple[str, ...]
    """Functions through which a return jumps."""
    relative: frozenset[int]
    """Kinds of relocations that count from the field."""
    tables: Mapping[int, tuple[int, bool]]
    """Width in bytes of a table's entries by kind of relocation, and True if they count from the table's start."""


@cache
def decoder_of(arch: str) -> Decoder:
    """The decoder of an architecture. Raises BadInput if there is none."""
    decoders = names(DECODERS)
    if arch not in decoders:
        raise BadInput(f"code of {arch} cannot be taken apart: there is no codegen/decoders/{arch}.py",
                       f"there is one for {', '.join(decoders)}; docs/how-to/extending.md has its place")  # fmt: skip
    return load(DECODERS, arch, "DECODER", Decoder)
