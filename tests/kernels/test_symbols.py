# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables, written here in each layout that kernels have had, and read back."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.supply.kernels._symbols import decode_symbols
from tests.kernels import fakes

_TEXT = 0xFFFFFFFF81000000
_COUNT = 2600
_NAMES = [
    "T_text",
    "tsome_function",
    *(f"d{'very_long_' * 20 if n % 500 == 0 else ''}object_{n}" for n in range(_COUNT - 2)),
]
ADDRESSES = [_TEXT + 24 * n for n in range(_COUNT)]


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def _names(names: list[str]) -> tuple[bytes, bytes]:
    """names and markers; every character is its own token here, "q" also stands for "object_"."""
    out, markers = bytearray(), []
    for number, name in enumerate(names):
        if number % 256 == 0:
            markers.append(len(out))
        packed = name.replace("object_", "q").encode()
        length = bytes([len(packed)]) if len(packed) < 128 else bytes([len(packed) & 127 | 128, len(packed) >> 7])
        out += length + packed
    return _padded(bytes(out)), _padded(struct.pack(f"<{len(markers)}I", *markers))


def _tokens() -> bytes:
    table, index = bytearray(), []
    for number in range(256):
        index.append(len(table))
        table += (b"object_" if number == ord("q") else bytes([number]) if 32 < number < 127 else b"") + b"\0"
    return _padded(bytes(table)) + struct.pack("<256H", *index)


def _table(layout: str, addresses: list[int], at: int) -> bytes:
    """The whole of kallsyms as it lies in a file; `at` is the address at which this data is linked."""
    names, markers = _names(_NAMES[: len(addresses)])
    count = _padded(struct.pack("<I", len(addresses)))
    base = struct.pack("<Q", _TEXT)
    plain = _padded(struct.pack(f"<{len(addresses)}I", *(a - _TEXT & 0xFFFFFFFF for a in addresses)))
    seqs = bytes(b for n in range(len(addresses)) for b in n.to_bytes(3, "big"))
    if layout == "6.1":
        return plain + base + count + names + markers + _padded(seqs) + _tokens()
    front = count + names + markers + _tokens()
    if layout == "6.12":
        signed = _padded(struct.pack(f"<{len(addresses)}i", *(a if a < _TEXT else _TEXT - 1 - a for a in addresses)))
        return front + signed + base + seqs
    if layout == "6.17":
        return front + plain + base + seqs
    place = at + len(front)
    return (
        front
        + _padded(struct.pack(f"<{len(addresses)}i", *(a - place - 4 * i for i, a in enumerate(addresses))))
        + seqs
    )


def kernel_with_table(layout: str, addresses: list[int]) -> bytes:
    plain = fakes.vmlinux()
    filler = bytes(-len(plain) % 16) + struct.pack("<4I", 2500, 3000, 0, 9000) * 64
    return fakes.vmlinux(body=filler + _table(layout, addresses, _TEXT + len(plain) + len(filler)))


def _expected(addresses: list[int]) -> bytes:
    return "".join(f"{a:016x} {n[0]} {n[1:]}\n" for a, n in zip(addresses, _NAMES, strict=True)).encode()


@pytest.mark.parametrize("layout", ["6.1", "6.12", "6.17", "7.0"])
def test_every_layout_is_read_back_exactly(layout: str) -> None:
    assert decode_symbols(kernel_with_table(layout, ADDRESSES)) == _expected(ADDRESSES)


def test_absolute_per_cpu_symbols_stay_absolute() -> None:
    addresses = [0, 0, 0x1000, *ADDRESSES[3:]]
    assert decode_symbols(kernel_with_table("6.12", addresses)) == _expected(addresses)


def test_a_flat_image_counts_from_where_its_pointers_lie() -> None:
    start = 0xFFFF800080000000
    pointers = struct.pack("<9Q", *range(start + 64, start + 64 + 9 * 8, 8))
    head = fakes.arm64_image()
    filler = bytes(-len(head) % 16) + pointers + bytes(8)
    addresses = [start + 24 * n for n in range(_COUNT)]
    table = _table("7.0", addresses, start + len(head) + len(filler))
    assert decode_symbols(fakes.arm64_image(body=filler + table)) == _expected(addresses)


def test_a_kernel_without_symbols_has_none() -> None:
    assert decode_symbols(fakes.vmlinux(body=bytes(99999))) is None
    assert decode_symbols(fakes.vmlinux(body=_tokens() + bytes(9999))) is None


@pytest.mark.parametrize("layout", ["6.1", "6.12", "6.17", "7.0"])
def test_addresses_that_are_out_of_order_are_not_believed(layout: str) -> None:
    shuffled = [*ADDRESSES[:9], _TEXT, *ADDRESSES[10:]]
    assert decode_symbols(kernel_with_table(layout, shuffled)) is None


_WHOLE = kernel_with_table("6.17", ADDRESSES)


@settings(max_examples=40)
@given(st.integers(0, len(_WHOLE)))
def test_a_truncated_kernel_gives_all_or_nothing(length: int) -> None:
    assert decode_symbols(_WHOLE[:length]) in (None, _expected(ADDRESSES))


def test_a_kernel_that_ends_before_the_base_of_its_offsets_is_not_read_as_one_without_a_base() -> None:
    base_at = _WHOLE.rindex(struct.pack("<Q", _TEXT))
    for length in range(base_at - 8, base_at + 9):
        assert decode_symbols(_WHOLE[:length]) == (_expected(ADDRESSES) if length == base_at + 8 else None)


def test_a_symbol_without_a_name_is_no_table() -> None:
    packed = b"\x0etsome_function"
    assert packed in _WHOLE
    assert decode_symbols(_WHOLE.replace(packed, b"\x0e" + bytes([1]) * 14)) is None


def test_tokens_that_would_start_in_front_of_the_file_are_none() -> None:
    for cut in (1, 2, 3, 40):
        assert decode_symbols(_tokens()[cut:]) is None
