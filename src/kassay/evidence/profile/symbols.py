# SPDX-License-Identifier: GPL-2.0-only
"""Address -> function, out of the tables that tables.py writes."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from kassay.evidence.profile.counters import ProfileError
from kassay.model.profile import NO_SYMBOL, base_name
from kassay.supply.arches import arches

_KERNEL_HALF = 1 << 63


class FunctionSymbol(NamedTuple):
    """A function with its addresses."""

    name: str
    place: str
    """ "kernel", a module, or "program"."""
    start: int
    entry: int
    """Address of the first instruction; padding may precede it."""
    end: int


class _Table(NamedTuple):
    """Functions of one place in order of address."""

    place: str
    base: int
    digits: int
    """Number of digits in the first word of each line."""
    is_mapped: bool
    """False of a module's init code: its memory is freed when the module is loaded, and then holds other code."""
    lines: list[str]
    """Lines of the symbol table, parsed only when asked for. The first word of each has `digits` digits, so that the
    order of text is the order of addresses."""

    def function(self, offset: int) -> FunctionSymbol:
        """The last one that begins at `offset` from the base or before; the first one begins there, or before."""
        behind = "g" if offset >> 4 * self.digits else f"{offset:0{self.digits}x}~"
        word, size, lead, name = self.lines[bisect_right(self.lines, behind) - 1].split(" ")
        start = self.base + int(word, 16)
        return FunctionSymbol(name, self.place, start, start + int(lead, 16), start + int(size, 16))

    @property
    def start(self) -> int:
        """Address of the first function."""
        return self.base + int(self.lines[0][: self.digits], 16)

    def names(self) -> Iterator[str]:
        return (line.rpartition(" ")[2] for line in self.lines)

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Name and bytes of each function."""
        for line in self.lines:
            _, size, _, name = line.split(" ")
            yield name, int(size, 16)


class Symbols:
    """Functions of a kernel, its modules and a program, by address.

    kernel: those of the kernel and its modules, which many programs share; program: those of the program, which many
    kernels share. Each is itself where there is no other part.
    """

    def __init__(
        self, tables: Sequence[_Table], kernel: "Symbols | None" = None, program: "Symbols | None" = None
    ) -> None:
        self.kernel = kernel or self
        self.program = program or self
        self._tables = sorted(tables, key=attrgetter("start"))
        self._mapped = [table for table in self._tables if table.is_mapped]
        self._firsts = [table.start for table in self._mapped]

    @classmethod
    def load(cls, tables: Sequence[bytes], sections: Mapping[tuple[str, str], int]) -> "Symbols":
        """tables: of kernel_symbols(), program_symbols(), module_symbols(). sections: (module, section) -> where the
        kernel loaded it; functions of a section that is not named stay unknown. Raises ProfileError."""
        return cls([table for text in tables for table in _read(text.decode(), sections)])

    def with_program(self, program: "Symbols") -> "Symbols":
        """These, and those of a program."""
        return Symbols([*self._tables, *program._tables], self, program)

    def function(self, address: int) -> FunctionSymbol | None:
        """The function that the address belongs to; None when it belongs to none."""
        index = bisect_right(self._firsts, address) - 1
        if index < 0:
            return None
        table = self._mapped[index]
        function = table.function(address - table.base)
        return function if address < function.end else None

    def find(self, address: int) -> tuple[str, str]:
        """(function, place); (NO_SYMBOL, "kernel" or "program") for an address that belongs to none."""
        function = self.function(address)
        return (function.name, function.place) if function else nameless(address)

    @cached_property
    def knows_task_switch(self) -> bool:
        """True if one of the functions is where a kernel switches tasks. The plugin then follows each switch."""
        ends = tuple(f" {arch.code.task_switch}" for arch in arches().values())
        return any(line.endswith(ends) for table in self.kernel._tables for line in table.lines)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of machine code of each function of kernel and modules; all copies of a compiler together."""
        sizes = Counter[str]()
        for table in self._tables:
            if table.place != "program":
                for name, size in table.sizes():
                    sizes[base_name(name)] += size
        return sizes

    def kernel_entry(self, name: str) -> int | None:
        """Address of the first instruction of a function of the kernel; None if it has none of this name."""
        ends = f" {name}"
        for table in self.kernel._tables:
            for line in table.lines if table.place == "kernel" else ():
                if line.endswith(ends):
                    return table.function(int(line[: table.digits], 16)).entry
        return None

    def names(self) -> frozenset[str]:
        """All functions of kernel and modules."""
        return frozenset(name for table in self._tables if table.place != "program" for name in table.names())


def is_program(table: bytes) -> bool:
    """True if a table is that of a program."""
    return table.startswith(b"symbols 1 program\n")


def nameless(address: int) -> tuple[str, str]:
    """Stand-in for the function of an address without one."""
    return NO_SYMBOL, "kernel" if is_kernel(address) else "program"


def is_kernel(address: int) -> bool:
    """True if an address lies in the kernel's half, on both architectures."""
    return address >= _KERNEL_HALF


def _read(text: str, sections: Mapping[tuple[str, str], int]) -> Iterator[_Table]:
    header, _, body = text.partition("\n")
    fields = header.split(" ")
    if fields[:2] != ["symbols", "1"] or len(fields) != 3 or not body.endswith("\n"):
        raise ProfileError(f"not a whole symbol table: {header[:40]!r}")
    first, *others = body.split("section ")
    parts = [("", 0, first)] if first else []
    for part in others:
        section, _, lines = part.partition("\n")
        if (fields[2], section) in sections:
            parts.append((section, sections[fields[2], section], lines))
    for section, base, lines in parts:
        yield _table(fields[2], base, lines, is_mapped=not section.startswith(".init"))


def _table(place: str, base: int, text: str, *, is_mapped: bool) -> _Table:
    lines = text.splitlines()
    if not lines or text.count(" ") != 3 * len(lines):
        raise ProfileError(f"symbol table of {place}: a line without four words")
    digits = lines[-1].index(" ")
    if lines[0].index(" ") != digits:  # in order of address, so that those between may differ only then
        lines = ["0" * (digits - line.index(" ")) + line for line in lines]
    return _Table(place, base, digits, is_mapped, lines)
