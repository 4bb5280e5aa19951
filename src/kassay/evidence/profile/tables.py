# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables as text, one per kernel, program and module: a run stores them to name its addresses later.

    symbols 1 PLACE
    section NAME              modules only: the addresses that follow count from the section's beginning
    START SIZE LEAD NAME      hex; a function, LEAD bytes of padding before its first instruction among its SIZE

In order of address; functions never overlap, and each has one name. Of aliases it is, in this order: one that is no
bound of a section, a global one, one without leading underscores, the shortest, the first of the alphabet. The
addresses that the plugin must know while the guest runs (plugin/points.h) are taken from them.
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kassay.effects.elf import elf_damage
from kassay.errors import BadInput
from kassay.evidence.profile import deferring_functions, zone_functions
from kassay.evidence.profile.entries import entry_of
from kassay.model.profile import base_name
from kassay.model.symbol_lines import kernel_symbol_lines
from kassay.supply.arches import Arch

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile


POINTS_FORMAT = 6
"""Increased when points() gives another text for the same tables: the text is cached."""
FORMAT = 4
"""Increased when the same image gives another table."""
PADDING = "__pfx_"
"""Prefix of the symbol for the padding in front of a function."""
NAMELESS_USER_CODE = b"nameless 0 8000000000000000\n"
"""A point for the plugin: in the call tree all user code outside of known functions counts as one function."""
_FUNCTIONS = ("STT_FUNC", "STT_LOOS", "STT_GNU_IFUNC")
_EXECUTABLE = 4
_BOUND = re.compile(r"(?:_start|_end|text)$")
"""End of the names of the linker's bounds, such as __softirqentry_text_end: a function may begin there."""


class _Symbol(NamedTuple):
    """Symbol of a function."""

    start: int
    end: int | None
    """Exclusive. None: it ends where the next symbol begins."""
    shared: bool
    name: str


def kernel_symbols(path: Path) -> bytes:
    """From a file of lines "address type name" in order of address, as /proc/kallsyms has them. Raises BadInput."""
    try:
        symbols = [
            _Symbol(line.address, None, line.kind in "TW", line.name if line.is_code else "")
            for line in kernel_symbol_lines(path.read_text())
        ]
        if symbols and symbols[-1].name.startswith("_") and _BOUND.search(symbols[-1].name):
            # The last symbol of a kernel that lists no data: the end of its code, no function.
            symbols[-1] = symbols[-1]._replace(name="")
        return _text("kernel", {"": symbols})
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: no symbols of a kernel: {error}", "fetch the kernel again") from error


def program_symbols(path: Path, data: bytes | None = None) -> bytes:
    """The functions of a static program. data: of the program, instead of what the file holds. Raises BadInput for
    anything else."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with elf_damage():
            elf = ELFFile(io.BytesIO(path.read_bytes() if data is None else data))
            if elf["e_type"] != "ET_EXEC":
                raise ELFError("it is not linked to a fixed address")
            return _text("program", {"": [s for section in _functions(elf).values() for s in section]})
    except (OSError, ELFError) as error:
        raise BadInput(f"{path}: no symbols of a program: {error}", "it must be static and not stripped") from error


def module_symbols(module: str, image: bytes) -> bytes:
    """The functions of a kernel module (the decompressed .ko), by section. Raises BadInput."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with elf_damage():
            return _text(module, _functions(ELFFile(io.BytesIO(image))))
    except ELFError as error:
        raise BadInput(f"module {module}: no symbols: {error}", "fetch the kernel again") from error


def _functions(elf: "ELFFile") -> dict[str, list[_Symbol]]:
    """Function symbols, by executable section. Each section's end is a symbol without a name."""
    from elftools.elf.sections import SymbolTableSection

    by_section: dict[int, list[_Symbol]] = {}
    for number, section in enumerate(elf.iter_sections()):
        if section["sh_flags"] & _EXECUTABLE:
            end = section["sh_addr"] + section["sh_size"]
            by_section[number] = [_Symbol(end, end, False, "")]
    for table in elf.iter_sections():
        for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
            if symbol["st_info"]["type"] in _FUNCTIONS and symbol["st_shndx"] in by_section:
                start, size = symbol["st_value"], symbol["st_size"]
                shared = symbol["st_info"]["bind"] != "STB_LOCAL"
                by_section[symbol["st_shndx"]].append(
                    _Symbol(start, start + size if size else None, shared, symbol.name)
                )
    return {elf.get_section(number).name: symbols for number, symbols in by_section.items() if len(symbols) > 1}


def _text(place: str, sections: dict[str, list[_Symbol]]) -> bytes:
    lines = [f"symbols 1 {place}"]
    for section, symbols in sections.items():
        lines += [f"section {section}"] * bool(section)
        lines += _lines(sorted(symbols, key=attrgetter("start")))
    return "\n".join((*lines, "")).encode()


def _lines(symbols: Iterable[_Symbol]) -> Iterator[str]:
    """One line per function; padding joins the function behind it."""
    best: dict[int, _Symbol] = {}
    for symbol in symbols:
        other = best.get(symbol.start)
        if other is None or _rank(symbol) < _rank(other):
            best[symbol.start] = symbol
    first: int | None = None
    distinct = list(best.values())
    for symbol, behind in zip(distinct, (*distinct[1:], None), strict=True):
        if not symbol.name:
            continue
        ends = [at for at in (symbol.end, behind and behind.start) if at is not None]
        if not ends:
            raise ValueError(f"{symbol.name} has no end")
        padding = symbol.name.startswith(PADDING)
        if padding and behind and behind.name and behind.start == min(ends):
            first = symbol.start
            continue
        start = symbol.start if first is None else first
        first = None
        lead = min(ends) - start if padding else symbol.start - start
        yield f"{start:x} {min(ends) - start:x} {lead:x} {symbol.name.removeprefix(PADDING)}"


def _rank(symbol: _Symbol) -> tuple[bool, bool, bool, bool, int, str]:
    name = symbol.name
    hidden = name.startswith("_")
    bound = hidden and _BOUND.search(name) is not None
    return not name or name.startswith(PADDING), bound, not symbol.shared, hidden, len(name), name


def points(tables: Sequence[bytes], arch: Arch, *, functions: bool) -> str:
    """Lines "KIND START END", of functions (when asked for) sorted. tables: of the kernel and the program (tables.py).
    The architecture adds its own points."""
    lines = sorted(line for table in tables for line in _functions_in(table))
    special = [line for start, end, name in lines for line in arch.code.special(name, start, end)]
    zone = [line for start, end, name in lines for line in _zone(start, end, base_name(name))]
    deferring = [line for start, end, name in lines for line in deferring_functions.points(start, end, base_name(name))]
    if not functions:
        return "".join((*special, *zone, *deferring))
    all_functions = [f"function {start:x} {end:x}\n" for start, end, _ in lines]
    entries = [f"entry {start:x} {start + 1:x}\n" for start, _, name in lines if entry_of(name, arch) is not None]
    return "".join((*special, *zone, *deferring, *entries, *all_functions))


def _zone(start: int, end: int, name: str) -> Iterator[str]:
    """Points at functions that take the lock of a zone, and at the lock functions."""
    if name in zone_functions.ALL:
        yield f"zone {start:x} {end:x}\n"
    elif name in zone_functions.LOCKS:
        yield f"lock {start:x} {start + 1:x}\n"


def _functions_in(table: bytes) -> Iterator[tuple[int, int, str]]:
    fields = table.decode().partition("\n")[2].split()
    for start, size, lead, name in zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=True):
        yield int(start, 16) + int(lead, 16), int(start, 16) + int(size, 16), name
