# SPDX-License-Identifier: GPL-2.0-only
"""Lines "address type name" of a kernel's symbols, as /proc/kallsyms has them."""

from collections.abc import Sequence
from typing import NamedTuple

_CODE = "tTwW"
_FIRST, _BEHIND = "_sdata", "_edata"
"""Bounds of the kernel's data. Since 6.16 its section is marked as executable on x86_64, and its symbols are called
code."""


class KernelSymbol(NamedTuple):
    """One line."""

    address: int
    kind: str
    name: str

    @property
    def is_code(self) -> bool:
        return self.kind in _CODE


def kernel_symbol_lines(text: str) -> Sequence[KernelSymbol]:
    """The lines in their order; a variable is never code. Raises ValueError."""
    words = text.split()
    symbols = [
        KernelSymbol(int(address, 16), kind, name)
        for address, kind, name in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]
    bounds = {symbol.name: symbol.address for symbol in symbols if symbol.name in (_FIRST, _BEHIND)}
    data = range(bounds[_FIRST], bounds[_BEHIND]) if len(bounds) > 1 else range(0)
    return [symbol._replace(kind="d") if symbol.address in data and symbol.is_code else symbol for symbol in symbols]
