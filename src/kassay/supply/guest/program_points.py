# SPDX-License-Identifier: GPL-2.0-only
"""Functions of a user's program at which rounds begin and end, as lines for the plugin."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kassay.effects.elf import elf_damage
from kassay.errors import BadInput, nearest
from kassay.model.program import Point, ProgramUse, point_in


class _Function(NamedTuple):
    """One address of a program at which a function of some name begins."""

    address: int
    file: str
    """Source or object file of a static function; "" of a global one."""


def program_points(program: bytes, use: ProgramUse) -> str:
    """Lines for the plugin (plugin/points.h): where rounds of the program `program`, an ELF file, begin and end.

    Raises BadInput for a function that it does not have, and for a name of several functions.
    """
    functions = functions_in(program)
    lines = []
    for kind, option, text in (("from", "--from", use.start), ("to", "--to", use.end)):
        if not text:
            continue
        point = point_in(text)
        if point.call and not (point.call.isascii() and point.call.isdigit() and int(point.call)):
            raise BadInput(
                f"{option} {text}: {point.call!r} is no number of a call",
                f"write {option} {point.function}:3 for the third one",
            )
        address = _chosen(functions, point, option, use.path).address
        lines += [f"{kind} {address:x} {address + 1:x}\n"]
        lines += [f"nth_{kind} {int(point.call):x} {int(point.call):x}\n"] if point.call else []
    return "".join(lines)


def _chosen(functions: Mapping[str, Sequence[_Function]], point: Point, option: str, path: str) -> _Function:
    """The function of a point. Raises BadInput for none, and for several."""
    name = point.function
    named = functions.get(name, ())
    chosen = [function for function in named if point.file in ("", function.file)]
    if not named:
        raise BadInput(
            f"{option} {name}: {path} has no such function",
            f"{_near(name, functions)}; the compiler may have inlined it (--cflags=-fno-inline)",
        )
    files = sorted({function.file for function in named if function.file})
    if not chosen:
        raise BadInput(
            f"{option} {point.file}:{name}: {path} has no static {name} of {point.file}",
            f"it has one of {', '.join(files)}"
            if files
            else f"its {name} is no static function: write {option} {name}",
        )
    if len(chosen) > 1:
        count = {2: "two", 3: "three"}.get(len(chosen), str(len(chosen)))
        places = sorted(function.file or "a global one" for function in chosen)
        can_name = [file for file in files if places.count(file) == 1]
        raise BadInput(
            f"{option} {name}: {count} functions are called {name} ({', '.join(places)})",
            (f"write {option} {can_name[0]}:{name}, or " if can_name else "") + "give the function another name",
        )
    return chosen[0]


def _near(name: str, functions: Mapping[str, object]) -> str:
    near = nearest(name, functions)
    if not functions:
        return "its table of symbols was stripped"
    return f"did you mean {near}?" if near else "a function of its sources or of the C library that it uses"


def functions_in(program: bytes) -> Mapping[str, Sequence[_Function]]:
    """All functions of the program by name, aliases included. Functions that are chosen when the program starts (ifunc)
    are left out."""
    from elftools.common.exceptions import ELFError

    found: dict[str, dict[int, _Function]] = {}
    try:
        with elf_damage():
            for name, function in _symbols(program):
                found.setdefault(name, {})[function.address] = function
    except ELFError as error:
        raise BadInput(f"the program's functions cannot be read: {error}", "build it again") from error
    return {name: tuple(functions.values()) for name, functions in found.items()}


def _symbols(program: bytes) -> Iterator[tuple[str, _Function]]:
    """Name and place of every function of the tables of symbols. Static functions stand behind their file's symbol."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    for table in ELFFile(io.BytesIO(program)).iter_sections():
        file = ""
        for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
            kind, binding = symbol["st_info"]["type"], symbol["st_info"]["bind"]
            if kind == "STT_FILE":
                file = symbol.name
            elif kind == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF":
                yield symbol.name, _Function(symbol["st_value"], file if binding == "STB_LOCAL" else "")
