# SPDX-License-Identifier: GPL-2.0-only
"""Executed instructions -> source lines with the functions inlined there, from the DWARF of a vmlinux."""

from collections.abc import Iterator, Mapping, Sequence
from operator import eq
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.elf import elf_damage
from kassay.errors import BadInput, HostLacks
from kassay.model.lines import Frame, LineTable
from kassay.model.records import Record
from kassay.supply.arches import arch_of

# The first is much faster on a vmlinux, and reads those of every architecture.
_PROGRAM, _GNU_PROGRAM = "llvm-addr2line", "addr2line"
_BATCH = 20_000  # addresses on one command line, about 400 KB: a large vmlinux is opened a few times only
_TIMEOUT_S = 600
_UNKNOWN = ("??", "")
_EXECUTABLE = 4
# Share of the executed bytes that must be the same in the file. A kernel patches its code at boot (call sites of the
# tracer, returns, alternatives): on x86 94 % were the same in the right file, and at most 12 % in another build.
_SAME = 0.8
_REMEDY = "give the vmlinux of a kernel built with CONFIG_DEBUG_INFO, of the very same build"
ELSEWHERE = "[not in this file]"
"""Stands for the instructions of other programs and modules."""


class LineCost(Record, frozen=True, kw_only=True):
    """Cost of one source line in one inlined copy of its function."""

    file: str | None
    """Source file as the compiler wrote it; None if the compiler names none."""
    line: int | None
    """Line as the compiler wrote it, without a discriminator; None if the compiler names none."""
    function: str
    """Function in whose source the line stands."""
    inlined_into: tuple[str, ...]
    """Functions that the line's function was inlined into, innermost first. The last one is the symbol. Empty if it was
    not inlined."""
    count: int
    """Executions of the line's instructions."""


_Key: TypeAlias = tuple[str | None, int | None, str, tuple[str, ...]]
"""File, line, function, and the functions that it is inlined into."""
_Counts: TypeAlias = dict[_Key, int]
_NO_LINE: _Key = (None, None, ELSEWHERE, ())


class SourceFrame(NamedTuple):
    """One level of inlining, as the compiler wrote it; None where it does not say."""

    function: str
    file: str | None
    line: int | None


def rows(vmlinux: Path, executions: Mapping[int, int], blocks: Sequence[tuple[int, bytes]]) -> tuple[LineCost, ...]:
    """The lines of all instructions, most costly first. executions: by address (as linked). blocks: address and code of
    what was executed.

    Counts add up to those of executions. Raises BadInput for a file without line information or of other code than
    was executed, HostLacks without addr2line.
    """
    code = _code(vmlinux)
    _check(vmlinux, code, blocks)
    program = addr2line()
    if program is None:
        raise HostLacks("addr2line: not found on this host", f"install it: {install('binutils')}")
    counts: _Counts = {}
    parts = [range(start, start + len(data)) for start, data in code]
    addresses = sorted(address for address in executions if any(address in part for part in parts))
    outside = sum(executions.values()) - sum(executions[address] for address in addresses)
    for address, frames in zip(addresses, frames_at(program, vmlinux, addresses), strict=True):
        key = _key(frames)
        counts[key] = counts.get(key, 0) + executions[address]
    if outside:
        counts[_NO_LINE] = outside
    return _ordered(counts)


def rows_of_table(table: LineTable, executions: Mapping[int, int]) -> tuple[LineCost, ...]:
    """The same of a kernel whose run kept its lines; instructions outside of the kernel's image are ELSEWHERE."""
    chains = dict(table.places)
    counts: _Counts = {}
    for address, count in executions.items():
        key = _key(table.chains[chains[address]]) if address in chains else _NO_LINE
        counts[key] = counts.get(key, 0) + count
    return _ordered(counts)


def _key(frames: Sequence[SourceFrame | Frame]) -> _Key:
    first, *around = frames
    return first.file, first.line, first.function, tuple(frame.function for frame in around)


def _ordered(counts: _Counts) -> tuple[LineCost, ...]:
    line_costs = (
        LineCost(file=file, line=line, function=function, inlined_into=into, count=count)
        for (file, line, function, into), count in counts.items()
    )
    return tuple(sorted(line_costs, key=lambda row: (-row.count, row.file or "", row.line or 0, row.inlined_into)))


def addr2line(arch: str = "") -> str | None:
    """The program of this host that reads line tables of this architecture; by default those of the host's own."""
    prefix = arch_of(arch).build.cross if arch else ""
    return next((path for path in map(process.find, (_PROGRAM, prefix + _GNU_PROGRAM)) if path), None)


def frames_at(program: str, elf: Path, addresses: Sequence[int]) -> Iterator[list[SourceFrame]]:
    """Per address its frames, innermost first; at least one each. program: as addr2line() gives it."""
    for start in range(0, len(addresses), _BATCH):
        yield from _frames(program, elf, addresses[start : start + _BATCH])


def check_code(vmlinux: Path, blocks: Sequence[tuple[int, bytes]]) -> None:
    """Raises BadInput for a file without line information, or of other code than was executed. blocks: address and
    code of what was executed."""
    _check(vmlinux, _code(vmlinux), blocks)


def _code(vmlinux: Path) -> tuple[tuple[int, bytes], ...]:
    """The file's sections of code with their addresses; a file without line information is refused."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with vmlinux.open("rb") as file, elf_damage():
            sections = {section.name: section for section in ELFFile(file).iter_sections()}
            if not {".debug_line", ".zdebug_line"} & sections.keys():
                raise BadInput(f"{vmlinux}: no line information (.debug_line) inside", _REMEDY)
            code_sections = [section for section in sections.values() if section["sh_flags"] & _EXECUTABLE]
            if code_sections and all(section["sh_type"] == "SHT_NOBITS" for section in code_sections):
                raise BadInput(f"{vmlinux}: has debug information and no code, so nothing shows of which build it is",
                               "give the whole vmlinux: eu-unstrip joins a stripped one with this file")  # fmt: skip
            return tuple((section["sh_addr"], section.data()) for section in code_sections)
    except OSError as error:
        raise BadInput(f"{vmlinux}: {error.strerror}", _REMEDY) from error
    except ELFError as error:
        raise BadInput(f"{vmlinux}: not an ELF file", _REMEDY) from error


def _check(vmlinux: Path, sections: Sequence[tuple[int, bytes]], blocks: Sequence[tuple[int, bytes]]) -> None:
    """Refuses a file that holds other code than was executed."""
    inside = same = 0
    for address, code in blocks:
        for start, data in sections:
            if start <= address and address + len(code) <= start + len(data):
                inside += len(code)
                same += sum(map(eq, code, data[address - start : address - start + len(code)]))
    if not inside:
        raise BadInput(f"{vmlinux}: nothing that was executed lies in this file", _REMEDY)
    if same < _SAME * inside:
        share = f"{100 * same // inside} % of the executed bytes that lie in it"
        raise BadInput(f"{vmlinux}: another build than was executed: only {share} are the same", _REMEDY)


def _frames(program: str, vmlinux: Path, addresses: Sequence[int]) -> Iterator[list[SourceFrame]]:
    """The frames of so many addresses as one command line holds."""
    argv = (program, "-a", "-f", "-i", "-e", str(vmlinux), *(f"{address:#x}" for address in addresses))
    ended = process.run(argv, timeout_s=_TIMEOUT_S)
    if ended.status:
        why = ended.err.strip().splitlines()[-1:] or [f"status {ended.status}"]
        raise BadInput(f"{vmlinux}: {program} cannot read it: {why[0]}", "give a vmlinux of a matching toolchain")
    frames: list[SourceFrame] = []
    waiting = iter(ended.out.splitlines())
    for line in waiting:
        if line.startswith("0x"):
            if frames:
                yield frames
            frames = []
        else:
            frames.append(_frame(line, next(waiting, "??:0")))
    if frames:
        yield frames


def _frame(function: str, location: str) -> SourceFrame:
    """Frame from "name" and "file:line" or "file:line (discriminator 2)"; "??:0" and "??:?" are unknown."""
    file, _, number = location.partition(" (")[0].rpartition(":")
    has_line = number.isdecimal() and int(number) > 0
    return SourceFrame(function, None if file in _UNKNOWN else file, int(number) if has_line else None)
