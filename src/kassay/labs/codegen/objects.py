# SPDX-License-Identifier: GPL-2.0-only
"""A function in an object file (symbols with sizes, relocations that name each address) and in its C source."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_E_MACHINE
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from kassay.effects.elf import elf_damage
from kassay.errors import BadInput
from kassay.model.profile import base_name
from kassay.supply.arches import arches
from kassay.supply.machine_code.code import (
    FunctionCode,
    Reference,
    Spot,
    StaticBranch,
    Symbol,
    decoder_of,
    main_first,
    name_without_counters,
    placed,
    quoted,
)

_EXECUTABLE = 4
_BRANCH_ENTRY = 16
"""Bytes of a row of __jump_table: jump and target (32 bits each, relative), key (64 bits, relative)."""


class _Named(NamedTuple):
    start: int
    size: int
    name: str


class _Relocation(NamedTuple):
    """Relocation with the symbol that it refers to."""

    kind: int
    section: int | None
    """Section of the symbol; None if it is in another object."""
    value: int
    """Value of the symbol: its offset in the section."""
    name: str
    addend: int


def find_in_object(path: Path, function: str) -> FunctionCode | None:
    """The function with its parts; None when the object has no symbol of it. Raises BadInput."""
    file = _Object(path)
    parts = [
        Symbol(symbol.name, (section, symbol.start), file.code(section)[symbol.start : symbol.start + symbol.size])
        for section, symbols in file.functions.items()
        for symbol in symbols
        if symbol.size and base_name(symbol.name) == function
    ]
    return FunctionCode(main_first(parts, function), file) if parts else None


def functions_of_object(path: Path) -> tuple[str, ...]:
    """Names of all functions, for suggestions. Raises BadInput."""
    return tuple(symbol.name for symbols in _Object(path).functions.values() for symbol in symbols)


class _Object:
    """Satisfies code.Linked."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file, elf_damage():
                self._read(ELFFile(file))
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}", "build it again") from error
        except ELFError as error:
            raise BadInput(
                f"{path}: not an object file of {' or '.join(arches())}: {error}", "build it again"
            ) from error

    def _read(self, elf: ELFFile) -> None:
        machine = ENUM_E_MACHINE[elf["e_machine"]]
        self.arch = {arch.elf: name for name, arch in arches().items()}[machine]
        self._decoder = decoder_of(self.arch)
        sections = list(elf.iter_sections())
        self._sections = [
            (section.name, section["sh_flags"], b"" if section["sh_type"] == "SHT_NOBITS" else section.data())
            for section in sections
        ]
        table = next(section for section in sections if isinstance(section, SymbolTableSection))
        symbols = list(table.iter_symbols())
        self._symbols: dict[int, list[_Named]] = {}
        self.functions: dict[int, list[_Named]] = {}
        for symbol in symbols:
            self._take(symbol)
        for names in self._symbols.values():
            names.sort()
        self._relocations = self._all_relocations(sections, symbols)
        self._branches = self._static_branches()

    def _has(self, section: object) -> bool:
        """True if it is the number of a section. Symbols in no section have a string such as SHN_ABS."""
        return isinstance(section, int) and section < len(self._sections)

    def _take(self, symbol) -> None:  # type: ignore[no-untyped-def]  # pyelftools has no types
        section, kind, name = symbol["st_shndx"], symbol["st_info"]["type"], symbol.name
        if not self._has(section) or kind in ("STT_SECTION", "STT_FILE") or name.startswith((".L", "$")) or not name:
            return
        named = _Named(symbol["st_value"], symbol["st_size"], name)
        self._symbols.setdefault(section, []).append(named)
        if kind == "STT_FUNC":
            self.functions.setdefault(section, []).append(named)

    def _all_relocations(self, sections, symbols) -> Mapping[Spot, _Relocation]:  # type: ignore[no-untyped-def]
        relocations: dict[Spot, _Relocation] = {}
        for section in sections:
            if not isinstance(section, RelocationSection):
                continue
            for iter_relocation in section.iter_relocations():
                symbol = symbols[iter_relocation["r_info_sym"]]
                at = symbol["st_shndx"]
                relocations[section["sh_info"], iter_relocation["r_offset"]] = _Relocation(
                    iter_relocation["r_info_type"], at if self._has(at) else None, symbol["st_value"],
                    symbol.name, iter_relocation["r_addend"],
                )  # fmt: skip
        return relocations

    def _static_branches(self) -> Mapping[Spot, StaticBranch]:
        branches = {}
        tables = [number for number, (name, _, _) in enumerate(self._sections) if name == "__jump_table"]
        rows = [(table, at) for table in tables for at in range(0, len(self._sections[table][2]), _BRANCH_ENTRY)]
        for table, at in rows:
            site, target, key = (self._relocations.get((table, at + field)) for field in (0, 4, 8))
            if site and target and key and site.section is not None and target.section is not None:
                # The lowest two bits say how the branch was compiled.
                name = self._refers(key, key.addend & ~3)
                branches[site.section, site.value + site.addend] = StaticBranch(
                    (target.section, target.value + target.addend), name.name or self.name(name.spot or (0, 0))
                )
        return branches

    def code(self, section: int) -> bytes:
        """A section's bytes."""
        return self._sections[section][2]

    def relocated(self, field: Spot, end: int) -> Reference | None:
        relocation = self._relocations.get(field)
        if relocation is None:
            return None
        relative = relocation.kind in self._decoder.relative
        return self._refers(relocation, relocation.addend + (end if relative else 0))

    def _refers(self, relocation: _Relocation, offset: int) -> Reference:
        if relocation.section is None:
            return Reference(None, placed(name_without_counters(relocation.name), offset))
        return Reference((relocation.section, relocation.value + offset))

    def absolute(self, value: int, per_cpu: bool) -> Spot | None:
        return None  # in an object every address has a relocation

    def name(self, spot: Spot) -> str:
        section, offset = spot
        title, flags, data = self._sections[section]
        around = _around(self._symbols.get(section, ()), offset)
        if around is not None and (around.start == offset or not title.startswith(".rodata")):
            return placed(name_without_counters(around.name), offset - around.start)
        text = None if flags & _EXECUTABLE else quoted(data[offset:])
        return text or ("code" if flags & _EXECUTABLE else "data")

    def table(self, spot: Spot) -> Iterator[Spot]:
        section, start = spot
        first = self._relocations.get(spot)
        if first is None or first.kind not in self._decoder.tables:
            return
        width, relative = self._decoder.tables[first.kind]
        at = start
        while (
            (relocation := self._relocations.get((section, at)))
            and relocation.kind == first.kind
            and relocation.section is not None
        ):
            yield relocation.section, relocation.value + relocation.addend - (at - start if relative else 0)
            at += width

    def static_branch(self, spot: Spot) -> StaticBranch | None:
        return self._branches.get(spot)


def _around(symbols: Sequence[_Named], offset: int) -> _Named | None:
    """The symbol that begins at an offset, else the one that contains it."""
    last = bisect_right(symbols, offset, key=lambda symbol: symbol.start)
    exact = [symbol for symbol in symbols[:last] if symbol.start == offset]
    if exact:
        return min(exact, key=lambda symbol: (symbol.name.startswith("_"), len(symbol.name), symbol.name))
    return next((symbol for symbol in reversed(symbols[:last]) if offset < symbol.start + symbol.size), None)


_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_BODY = re.compile(r"\s*(?:__\w+\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*)*\{")
"""Text behind the parameters of a definition: attributes, whose names begin with two underscores, and a brace."""
_CLOSE = 3


def contains(source: str, function: str) -> bool:
    """True if C text defines the function: its name, parameters, attributes and an opening brace; or a system call's
    macro, which makes functions with a prefix."""
    plain = _COMMENT.sub(" ", source)
    call = re.fullmatch(r"__(?:do|se)_sys_(\w+)", function)
    name = rf"SYSCALL_DEFINE\d\s*\(\s*{call[1]}\b" if call else rf"(?<![\w.>]){re.escape(function)}\s*\("
    return any(_BODY.match(plain, _closing(plain, match.end())) for match in re.finditer(name, plain))


def _closing(text: str, start: int) -> int:
    """The index after the parenthesis that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at + 1
    return len(text)


def nearest(function: str, known: Iterable[str]) -> tuple[str, ...]:
    """Known names that look like it, at most three."""
    names = sorted({name for name in known if "." not in name})
    return tuple(get_close_matches(function, names, n=_CLOSE, cutoff=0.75))
