# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables -> the addresses that the plugin must know while the guest runs (plugin/points.h)."""

from collections.abc import Iterator, Sequence

from kassay.arches import Arch


def points(tables: Sequence[bytes], arch: Arch, *, functions: bool) -> str:
    """Lines "KIND START END", of functions (when asked for) sorted. tables: of the kernel and the program (tables.py).
    What else the plugin must know, the architecture says."""
    lines = sorted(line for table in tables for line in _lines(table))
    special = [line for start, end, name in lines for line in arch.code.special(name, start, end)]
    all_functions = [f"function {start:x} {end:x}\n" for start, end, _ in lines if functions]
    return "".join((*special, *all_functions))


def _lines(table: bytes) -> Iterator[tuple[int, int, str]]:
    words = table.decode().partition("\n")[2].split()
    for start, size, lead, name in zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True):
        yield int(start, 16) + int(lead, 16), int(start, 16) + int(size, 16), name
