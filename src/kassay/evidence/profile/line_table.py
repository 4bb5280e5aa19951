# SPDX-License-Identifier: GPL-2.0-only
"""Source lines of the instructions that a run executed in the kernel's image, as a table that is kept with the run."""

import threading
from collections.abc import Collection
from pathlib import Path

import msgspec

from kassay.evidence.profile.counters import ProfileError, RawProfile
from kassay.evidence.profile.lines import SourceFrame, addr2line, frames_at
from kassay.evidence.profile.symbols import is_kernel
from kassay.model.lines import Frame, LineTable, path_in_sources
from kassay.model.profile import base_name
from kassay.model.records import from_json, to_json

_VERSION = 1
_C = ".c"


class Resolver:
    """The lines of one kernel's instructions; each address is looked up once. Safe to call from several threads."""

    def __init__(self, elf: Path, arch: str) -> None:
        """elf: the file with the kernel's line tables."""
        self._elf = elf
        self._arch = arch
        self._lock = threading.Lock()
        self._chains: dict[int, tuple[Frame, ...]] = {}

    def table(self, addresses: Collection[int]) -> LineTable | None:
        """The lines of these addresses; None if this host has no program that reads line tables."""
        with self._lock:
            new = sorted({address for address in addresses if address not in self._chains})
            program = addr2line(self._arch)
            if program is None:
                return None
            for address, chain in zip(new, frames_at(program, self._elf, new), strict=True):
                self._chains[address] = tuple(map(_frame, chain))
            numbers: dict[tuple[Frame, ...], int] = {}
            places = tuple(
                (address, numbers.setdefault(self._chains[address], len(numbers))) for address in sorted({*addresses})
            )
        return LineTable(version=_VERSION, chains=tuple(numbers), places=places)


def _frame(frame: SourceFrame) -> Frame:
    """The frame with the name in the sources: a compiler's copy of a function has a suffix."""
    file = None if frame.file is None else path_in_sources(frame.file)
    return Frame(function=base_name(frame.function), file=file, line=frame.line)


def table_bytes(table: LineTable) -> bytes:
    """The table as it is kept; read_table() reads it."""
    return to_json(table)


def read_table(data: bytes) -> LineTable:
    """Reads what table_bytes() wrote. Raises ProfileError."""
    try:
        return from_json(data, LineTable)
    except msgspec.MsgspecError as error:
        raise ProfileError(f"line table: {error}") from error


def addresses_of(raw: RawProfile) -> frozenset[int]:
    """Address of every instruction of the kernel in the blocks of a profile."""
    addresses = set()
    for block in raw.blocks.values():
        at = block.address
        for length in block.lengths if is_kernel(at) else b"":
            addresses.add(at)
            at += length
    return frozenset(addresses)


def executed_lines(table: LineTable, executed: Collection[int]) -> dict[str, frozenset[int]]:
    """Executed lines, by file. executed: addresses of instructions.

    A line is executed if an instruction comes from it, or from a function that is inlined there.
    """
    chains = {chain for address, chain in table.places if address in executed}
    lines: dict[str, set[int]] = {}
    for number in chains:
        for frame in table.chains[number]:
            if frame.file is not None and frame.line is not None:
                lines.setdefault(frame.file, set()).add(frame.line)
    return {file: frozenset(numbers) for file, numbers in lines.items()}


def named_frames(table: LineTable) -> dict[int, Frame]:
    """Frame that names each instruction to a reader, by address: the innermost one in a C file.

    Functions of headers are small and are called from everywhere, so their cost is that of the line that calls them.
    """
    named = [next((f for f in chain if (f.file or "").endswith(_C)), chain[0]) for chain in table.chains]
    return {address: named[chain] for address, chain in table.places}
