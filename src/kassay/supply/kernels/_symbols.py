# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's own symbol table (kallsyms), read out of the uncompressed image.

The format, as scripts/kallsyms.c of the kernel writes it:

names: per symbol a length (one byte, or two for 128 and more, low 7 bits first) and so
many token numbers; the tokens joined are the type letter and the name. markers: the
offset in names of every 256th symbol. token_table: 256 strings. token_index: where each
starts. num_syms stands before names. Addresses are 32-bit offsets in the order of names,
in front of num_syms (with their base between) up to 6.3 and behind token_index since;
from a base up to 6.19, from the address of the offset itself since 7.0.
"""

import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kassay.model.kernel import KernelArtifact

# The digits are so common in names that each is a token of its own, with its ASCII code as its number.
_DIGITS = re.compile(re.escape(b"\0".join(b"%d" % digit for digit in range(10)) + b"\0"))
_FIRST_DIGIT = 48
_FEWEST, _MOST = 2_000, 2_000_000
_NAMES_BEFORE_TOKENS = 24 << 20
_BYTES_EACH = (5, 40)  # a symbol's share of names, markers and what else stands before the tokens (12 to 16 seen)
_MARKER_STEP = 256
_BYTES_OF_ORDER = 3  # of each symbol, in the table that sorts them by name: it follows the offsets since 7.0
_KERNEL_SPACE = 0xFFFF_0000_0000_0000
_WORD = (1 << 64) - 1
_PROGRAM_HEADER = 56


_Decoder: TypeAlias = Callable[[tuple[int, ...]], list[int]]


class _Tokens(NamedTuple):
    table_at: int
    index_at: int
    tokens: tuple[bytes, ...]


class _Names(NamedTuple):
    """Table of names."""

    num_at: int
    """Offset of num_syms."""
    names: list[str]
    """Type letter and name, in the table's order."""


def decode_symbols(kernel: bytes) -> bytes | None:
    """Lines "address type name" (16 hex digits) in order of address; None when no table is understood.

    kernel: an uncompressed ELF, or a flat arm64 Image. The addresses are those of a boot
    without KASLR.
    """
    for tokens in _token_tables(kernel):
        name_table = _names(kernel, tokens)
        addresses = name_table and _addresses(kernel, tokens, name_table)
        if name_table and addresses:
            lines = [f"{at:016x} {name[0]} {name[1:]}\n" for at, name in zip(addresses, name_table.names, strict=True)]
            return "".join(lines).encode()
    return None


def lacks_function(artifact: KernelArtifact, name: str) -> bool:
    """True if the kernel's symbols are known, and no function of this name is among them."""
    symbols = Path(artifact.symbols).read_bytes() if artifact.symbols is not None else None
    return symbols is not None and re.search(rb" %b$" % name.encode(), symbols, re.M) is None


def _token_tables(kernel: bytes) -> Iterator[_Tokens]:
    for match in _DIGITS.finditer(kernel):
        at = ends = match.start()
        offsets = []
        for _ in range(_FIRST_DIGIT, 256):
            offsets.append(ends - at)
            ends = kernel.find(b"\0", ends) + 1
        for index_at in range(ends + ends % 2, ends + 16, 2):
            index = struct.unpack_from("<256H", kernel, index_at) if index_at + 512 <= len(kernel) else (1,)
            if index[0] == 0 and [i - index[_FIRST_DIGIT] for i in index[_FIRST_DIGIT:]] == offsets:
                table_at = at - index[_FIRST_DIGIT]
                if table_at < 0:
                    continue
                tokens = tuple(kernel[table_at + i : kernel.find(b"\0", table_at + i)] for i in index)
                yield _Tokens(table_at, index_at, tokens)


def _names(kernel: bytes, tokens: _Tokens) -> _Names | None:
    """Looks backwards from the tokens for num_syms: a count whose names and markers then fit together."""
    low = max(0, tokens.table_at - _NAMES_BEFORE_TOKENS) & ~3
    words = memoryview(kernel)[low : tokens.table_at & ~3].cast("I")
    for number in range(len(words) - 1, -1, -1):
        count = words[number]
        num_at = low + 4 * number
        if _FEWEST <= count < _MOST and _BYTES_EACH[0] <= (tokens.table_at - num_at) / count <= _BYTES_EACH[1]:
            names_at = num_at + (8 if kernel[num_at + 4 : num_at + 8] == bytes(4) else 4)
            spans = _spans(kernel, names_at, count, tokens.table_at)
            names = [_expand(kernel[a:b], tokens.tokens) for a, b in spans or ()]
            if names and all(names):
                return _Names(num_at, names)
    return None


def _spans(kernel: bytes, names_at: int, count: int, limit: int) -> list[tuple[int, int]] | None:
    """Position of each name's token numbers as (start, end). None unless the markers behind them confirm it."""
    spans, markers = [], []
    at = names_at
    for number in range(count):
        if number % _MARKER_STEP == 0:
            markers.append(at - names_at)
            if number == _MARKER_STEP and kernel.find(struct.pack("<II", *markers), at, limit) < 0:
                return None  # most wrong guesses end here, so that many can be tried
        length, at = kernel[at], at + 1
        if length & 0x80:
            length, at = (length & 0x7F) | kernel[at] << 7, at + 1
        spans.append((at, at + length))
        at += length
        if not length or at > limit:
            return None
    packed = struct.pack(f"<{len(markers)}I", *markers)
    starts = (-(-at // unit) * unit for unit in (8, 4))
    return spans if any(kernel.startswith(packed, start) for start in starts) else None


def _expand(numbers: bytes, tokens: tuple[bytes, ...]) -> str:
    return b"".join([tokens[n] for n in numbers]).decode("utf-8", "replace")


def _addresses(kernel: bytes, tokens: _Tokens, name_table: _Names) -> list[int] | None:
    """Tries the known encodings; the right one gives addresses that never fall and end in kernel space."""
    count = len(name_table.names)
    length = 4 * count + 7 & ~7
    behind, base_at = tokens.index_at + 512, name_table.num_at - 8
    for offsets_at, size, decoders in (
        (behind, length, _from_base(_base(kernel, behind + length))),
        (base_at - length, length, _from_base(_base(kernel, base_at))),
        (behind, length + _BYTES_OF_ORDER * count, _from_table(_address_of(kernel, behind))),
    ):
        if 0 <= offsets_at <= len(kernel) - size:
            offsets = struct.unpack_from(f"<{count}i", kernel, offsets_at)
            addresses = next(filter(_in_order, (decode(offsets) for decode in decoders)), None)
            if addresses:
                return addresses
    return None


def _from_base(base: int) -> tuple[_Decoder, ...]:
    """Up to 6.14 on x86_64 a sign tells absolute (per-CPU) values from addresses; elsewhere all count from the base."""
    if base < _KERNEL_SPACE:
        return ()
    return (
        lambda offsets: [o if o >= 0 else base - 1 - o for o in offsets],
        lambda offsets: [base + (o & 0xFFFFFFFF) for o in offsets],
    )


def _from_table(start: int | None) -> tuple[_Decoder, ...]:
    return () if start is None else (lambda offsets: [start + 4 * i + o & _WORD for i, o in enumerate(offsets)],)


def _in_order(addresses: list[int]) -> bool:
    return addresses[-1] >= _KERNEL_SPACE and all(a <= b for a, b in pairwise(addresses))


def _base(kernel: bytes, at: int) -> int:
    """The base that offsets count from; a relocatable arm64 Image has 0 there, which means its own start."""
    base: int = struct.unpack_from("<Q", kernel, at)[0] if 0 <= at <= len(kernel) - 8 else 0
    return base if base or kernel.startswith(b"\x7fELF") else _flat_start(kernel)


def _address_of(kernel: bytes, offset: int) -> int | None:
    """The virtual address at which a byte of the file is linked."""
    if not kernel.startswith(b"\x7fELF"):
        return _flat_start(kernel) + offset
    (table,) = struct.unpack_from("<Q", kernel, 32)
    size, count = struct.unpack_from("<HH", kernel, 54)
    for at in range(table, min(table + size * count, len(kernel) - _PROGRAM_HEADER + 1), size or _PROGRAM_HEADER):
        kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", kernel, at)
        if kind == 1 and start <= offset < start + length:
            return int(address) + offset - int(start)
    return None


def _flat_start(kernel: bytes) -> int:
    """Link address of a flat Image: the start of the 128 MiB window that most of the kernel pointers in it lie in."""
    words = memoryview(kernel)[: len(kernel) & ~7].cast("Q")
    windows = Counter(word >> 27 for word in words if word >= 0xFFFF_8000_0000_0000 and word >> 28 != 0xF_FFFF_FFFF)
    return windows.most_common(1)[0][0] << 27 if windows else 0
