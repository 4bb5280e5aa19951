# SPDX-License-Identifier: GPL-2.0-only
"""DWARF line tables, versions 2 to 5: which lines of a source file have code.

Not pyelftools: it takes 20 times as long, and a header is part of the tables of a thousand files.
"""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from kassay.model.lines import path_in_sources

_STRING, _DATA16, _UDATA, _STRP, _LINE_STRP = 0x08, 0x1E, 0x0F, 0x0E, 0x1F
_FIXED = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, _DATA16: 16}
"""Bytes of a form."""
_PATH, _DIRECTORY = 1, 2
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN, _CONST_ADD_PC, _FIXED_ADVANCE_PC = 1, 2, 3, 4, 5, 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2
_Strings = Callable[[int, int], str]
"""(form, offset) -> text of the string section that the form names."""


class _Unit(NamedTuple):
    """The table of one object file."""

    files: dict[int, str]
    """Path from the top of the sources, by the number that its rows use."""
    program: int
    end: int
    min_length: int
    line_base: int
    line_range: int
    lengths: bytes


class _Reader:
    """Numbers and texts, one after the other."""

    def __init__(self, data: bytes, at: int, strings: _Strings) -> None:
        self.data, self.at, self._strings = data, at, strings

    def number(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def uleb(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self) -> str:
        end = self.data.index(0, self.at)
        text = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return text

    def form(self, form: int, offset_size: int) -> int | str:
        if form == _STRING:
            return self.text()
        if form in (_STRP, _LINE_STRP):
            return self._strings(form, self.number(offset_size))
        return self.uleb() if form == _UDATA else self.number(_FIXED[form])


def lines_with_code(
    debug_line: bytes, debug_str: bytes, debug_line_str: bytes, wanted: Collection[str]
) -> dict[str, frozenset[int]]:
    """Lines that an instruction comes from, by file. A file that no table names is left out.

    debug_line, debug_str, debug_line_str: sections of an ELF file. wanted: paths from the top of the sources.
    """

    def strings(form: int, offset: int) -> str:
        section = debug_str if form == _STRP else debug_line_str
        return section[offset : section.index(0, offset)].decode("utf-8", "replace")

    found: dict[str, set[int]] = {}
    for unit in _units(debug_line, strings):
        names = {number: path for number, path in unit.files.items() if path in wanted}
        if names:
            for path in names.values():
                found.setdefault(path, set())
            for number, line in _rows(debug_line, unit):
                if number in names:
                    found[names[number]].add(line)
    return {path: frozenset(lines - {0}) for path, lines in found.items()}


def _units(data: bytes, strings: _Strings) -> Iterator[_Unit]:
    reader = _Reader(data, 0, strings)
    while reader.at < len(data):
        length, offset_size = reader.number(4), 4
        if length == 0xFFFFFFFF:
            length, offset_size = reader.number(8), 8
        end = reader.at + length
        yield _unit(reader, end, offset_size)
        reader.at = end


def _unit(reader: _Reader, end: int, offset_size: int) -> _Unit:
    version = reader.number(2)
    if version >= 5:
        reader.number(2)  # sizes of an address and of a segment
    header = reader.number(offset_size)
    program = reader.at + header
    min_length = reader.number(1)
    if version >= 4:
        reader.number(1)  # operations of an instruction, more than one on VLIW only
    reader.number(1)  # whether rows begin a statement
    line_base = reader.number(1)
    line_range, opcode_base = reader.number(1), reader.number(1)
    lengths = bytes(reader.number(1) for _ in range(opcode_base - 1))
    files = _files(reader, offset_size) if version >= 5 else _old_files(reader)
    return _Unit(files, program, end, min_length, line_base - 256 * (line_base > 127), line_range, lengths)


def _files(reader: _Reader, offset_size: int) -> dict[int, str]:
    """Version 5: directories and files in a described format, both from 0; directory 0 is where the compiler ran."""
    directories = [str(entry.get(_PATH, "")) for entry in _entries(reader, offset_size)]
    return {
        number: _path(directories, int(entry.get(_DIRECTORY, 0)), str(entry.get(_PATH, "")))
        for number, entry in enumerate(_entries(reader, offset_size))
    }


def _entries(reader: _Reader, offset_size: int) -> list[dict[int, int | str]]:
    formats = [(reader.uleb(), reader.uleb()) for _ in range(reader.number(1))]
    return [{kind: reader.form(form, offset_size) for kind, form in formats} for _ in range(reader.uleb())]


def _old_files(reader: _Reader) -> dict[int, str]:
    """Versions 2 to 4: directories and files from 1; directory 0 is where the compiler ran, and has no name here."""
    directories = [""]
    while text := reader.text():
        directories.append(text)
    files: dict[int, str] = {}
    while name := reader.text():
        directory = reader.uleb()
        reader.uleb(), reader.uleb()  # time and size
        files[len(files) + 1] = _path(directories, directory, name)
    return files


def _path(directories: list[str], directory: int, name: str) -> str:
    path = name
    for part in (directories[directory] if directory < len(directories) else "", directories[0]):
        path = path if path.startswith("/") or not part else f"{part}/{path}"
        if directory == 0:
            break
    return path_in_sources(path)


def _rows(data: bytes, unit: _Unit) -> Iterator[tuple[int, int]]:
    """(file, line) of every row that at least one byte of code belongs to."""
    opcode_base, add_pc = len(unit.lengths) + 1, (255 - len(unit.lengths) - 1) // unit.line_range * unit.min_length
    reader = _Reader(data, unit.program, lambda _form, _offset: "")
    address, file, line = 0, 1, 1
    waiting: tuple[int, int, int] | None = None  # address, file, line of the last row
    while reader.at < unit.end:
        opcode = data[reader.at]
        reader.at += 1
        emitted = ended = False
        if opcode >= opcode_base:
            advance, step = divmod(opcode - opcode_base, unit.line_range)
            address += advance * unit.min_length
            line += step + unit.line_base
            emitted = True
        elif opcode == 0:
            size = reader.uleb()
            behind = reader.at + size
            kind = reader.number(1)
            if kind == _SET_ADDRESS:
                address = reader.number(size - 1)
            emitted = ended = kind == _END_SEQUENCE
            reader.at = behind
        elif opcode == _COPY:
            emitted = True
        elif opcode == _ADVANCE_PC:
            address += reader.uleb() * unit.min_length
        elif opcode == _ADVANCE_LINE:
            line += _sleb(reader)
        elif opcode == _SET_FILE:
            file = reader.uleb()
        elif opcode == _CONST_ADD_PC:
            address += add_pc
        elif opcode == _FIXED_ADVANCE_PC:
            address += reader.number(2)
        else:
            for _ in range(unit.lengths[opcode - 1]):
                reader.uleb()
        if emitted:
            if waiting is not None and address > waiting[0]:
                yield waiting[1:]
            waiting = None if ended else (address, file, line)
            if ended:
                address, file, line = 0, 1, 1


def _sleb(reader: _Reader) -> int:
    first = reader.at
    value = reader.uleb()
    bits = 7 * (reader.at - first)
    return value - (1 << bits) if value >> (bits - 1) & 1 else value
