# SPDX-License-Identifier: GPL-2.0-only
"""Recorded traces, and a writer of small ones by hand."""

from collections.abc import Iterable

import zstandard

from tests.predict.trace_stream import Event
from tests.source import ROOT

RECORDED = ROOT / "tests" / "data" / "traces"
"""Traces of `kassay compare mprotect_toggle 6.16 6.17 --set size=64KiB --rounds 10 --boot snapshot --predict zen4`."""


def recorded(release: str) -> bytes:
    """The trace of that kernel."""
    return zstandard.ZstdDecompressor().decompress(
        (RECORDED / f"mprotect_toggle-64KiB-{release}.trace.zst").read_bytes()
    )


def number(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def signed(value: int) -> bytes:
    return number((value << 1 ^ value >> 63) & (1 << 64) - 1)


def event(kind: Event, *numbers: bytes | int) -> bytes:
    return number(kind << 2 | 2) + b"".join(n if isinstance(n, bytes) else number(n) for n in numbers)


def block(difference: int) -> bytes:
    return number((difference << 1 ^ difference >> 63) << 2)


def access(step: int, residual: int, *, store: bool = False) -> bytes:
    return number((step << 1 | store) << 2 | 1) + signed(residual)


def trace(blocks: Iterable[tuple[int, bytes]], *tokens: bytes, complete: str = "1", cut: int = 0) -> bytes:
    """A trace of round 1, in two intervals. blocks: (address, lengths of instructions), of no-operations."""
    header = (
        f"kassay-trace/1\ntarget x86_64\nintervals 2\nrounds 1\ncomplete{complete and ' ' + complete}\ncut {cut}\n\n"
    )
    made = (event(Event.DEFINE, at, len(lengths), lengths, b"\x90" * sum(lengths)) for at, lengths in blocks)
    return header.encode() + b"".join(made) + b"".join(tokens)
