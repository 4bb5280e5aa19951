# SPDX-License-Identifier: GPL-2.0-only
"""A function in a kernel image: a table of symbols without sizes, and no relocations."""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from kassay.effects.elf import elf_damage
from kassay.effects.files import read_errors
from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact
from kassay.model.profile import base_name
from kassay.model.records import grouped
from kassay.model.symbol_lines import KernelSymbol, kernel_symbol_lines
from kassay.supply.arches import arch_of
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

_CONSTANT = "rR"
_PART = re.compile(r"\.(?:cold|part)\b")
_PADDING = ("__pfx_", "__cfi_")
_BOUND = re.compile(r"^_.*(?:_start|_end|text)$")
_LONGEST_STRING = 400
_PER_CPU_BITS = 24
"""Addresses of per-CPU variables of older x86 kernels count from 0 and stay below 16 MiB."""
_AGAIN = "fetch the kernel again"


class Image:
    """A kernel's code and symbols; satisfies code.Linked."""

    def __init__(self, kernel: KernelArtifact) -> None:
        """Raises BadInput for an image without symbols or code."""
        self.arch, self._ref = kernel.identity.arch, kernel.identity.ref or kernel.identity.release
        if kernel.symbols is None:
            raise BadInput(f"{self._ref}: no symbol table, so no function can be found", "name an image that has one")
        self._symbols = _symbols(Path(kernel.symbols))
        self._starts = [start for start, _, _ in self._symbols]
        high = [(start, name) for start, _, name in self._symbols if start >> 63]
        if not high:
            raise BadInput(f"{self._ref}: its symbol table has no address of a kernel", _AGAIN)
        self._bounds = (high[0][0], high[-1][0])
        text = next((start for start, name in high if name == "_text"), None)
        self._segments = _elf(Path(kernel.vmlinux)) if kernel.vmlinux else _raw(Path(kernel.image), text, self.arch)

    def find(self, function: str) -> FunctionCode | None:
        """The function with its parts; None when there is no such symbol. Raises BadInput when several functions have
        the name."""
        indices = [i for i, symbol in enumerate(self._symbols) if symbol.is_code and base_name(symbol.name) == function]
        # The table names no files, so whole copies ("name.isra.0") may be of functions in two of them.
        for alike in grouped((_PART.search(self._symbols[i][2]) and self._symbols[i][2], i) for i in indices).values():
            count = len({self._symbols[i][0] for i in alike})
            if count > 1:
                names = " or ".join(sorted({self._symbols[i][2] for i in alike}))
                raise BadInput(f"{count} functions are called {names}", "an object file (--source) tells them apart")
        parts = {self._symbols[i][0]: self._symbol(i) for i in indices}
        return FunctionCode(main_first(list(parts.values()), function), self) if parts else None

    def functions(self) -> tuple[str, ...]:
        """Names of all functions."""
        return tuple(one.name for one in self._symbols if one.is_code and not one.name.startswith(_PADDING))

    def _symbol(self, number: int) -> Symbol:
        start, _, name = self._symbols[number]
        end = self._symbols[bisect_right(self._starts, start)][0]
        return Symbol(name, (0, start), decoder_of(self.arch).without_padding(self.bytes_at(start, end - start)))

    def bytes_at(self, address: int, size: int) -> bytes:
        """Raises BadInput for an address that the file does not hold."""
        for start, data in self._segments:
            if start <= address < start + len(data):
                return bytes(data[address - start : address - start + size])
        raise BadInput(f"{self._ref}: address {address:#x} is not in its file", _AGAIN)

    def relocated(self, field: Spot, end: int) -> Reference | None:
        return None

    def absolute(self, value: int, per_cpu: bool) -> Spot | None:
        if per_cpu and value < 1 << _PER_CPU_BITS:
            return (0, value)
        return (0, value) if self._bounds[0] <= value <= self._bounds[1] else None

    def name(self, spot: Spot) -> str:
        address = spot[1]
        last = bisect_right(self._starts, address) - 1
        if last < 0:
            return "data"
        start, kind, name = self._symbols[last]
        if self._symbols[last].is_code and start != address and _BOUND.search(name):
            return "code"  # code without a symbol, e.g. a feature test that runs until alternatives are patched in
        if start == address or kind not in _CONSTANT:
            same = self._symbols[bisect_right(self._starts, start - 1) : last + 1]
            return placed(name_without_counters(min((symbol[2] for symbol in same), key=_rank)), address - start)
        return self._string(address) or "data"

    def _string(self, address: int) -> str | None:
        try:
            return quoted(self.bytes_at(address, _LONGEST_STRING))
        except BadInput:
            return None

    def table(self, spot: Spot) -> Iterator[Spot]:
        at = spot[1]
        while True:
            try:
                word = self.bytes_at(at, 8)
            except BadInput:  # data that the file does not hold
                return
            value = int.from_bytes(word, "little")
            if len(word) < 8 or not self._bounds[0] <= value <= self._bounds[1]:
                return
            yield 0, value
            at += 8

    def static_branch(self, spot: Spot) -> StaticBranch | None:
        return self._branches.get(spot[1])

    def patched_branches(self) -> Iterator[tuple[int, str]]:
        """Address and name of the key of each jump that is patched in and out."""
        return ((address, branch.key) for address, branch in self._branches.items())

    @cached_property
    def _branches(self) -> Mapping[int, StaticBranch]:
        """Rows of the kernel's jump table: jump, target and key, each relative to its own field."""
        bound = {name: start for start, _, name in self._symbols if name.endswith("___jump_table")}
        first, last = bound.get("__start___jump_table"), bound.get("__stop___jump_table")
        if first is None or last is None:
            return {}
        rows = struct.iter_unpack("<iiq", self.bytes_at(first, (last - first) // 16 * 16))
        return {
            at + site: StaticBranch((0, at + 4 + target), self.name((0, (at + 8 + key) & ~3)))
            for at, (site, target, key) in zip(range(first, last, 16), rows, strict=False)
        }


def _rank(name: str) -> tuple[bool, bool, int, str]:
    return name.startswith(_PADDING), name.startswith("_"), len(name), name


def _symbols(path: Path) -> Sequence[KernelSymbol]:
    with read_errors(path, _AGAIN):
        text = path.read_text()
    return sorted(kernel_symbol_lines(text))


def _elf(path: Path) -> Sequence[tuple[int, memoryview]]:
    """Address and content of each segment, as far as the file holds it."""
    try:
        data = path.read_bytes()
        with path.open("rb") as file, elf_damage():
            loads = [s.header for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD"]
    except (OSError, ELFError) as error:
        raise BadInput(f"{path}: no kernel can be read from it: {error}", _AGAIN) from error
    view = memoryview(data)
    return [(h["p_vaddr"], view[h["p_offset"] : h["p_offset"] + h["p_filesz"]]) for h in loads]


def _raw(path: Path, text: int | None, arch: str) -> Sequence[tuple[int, memoryview]]:
    """An image that is no ELF file begins at _text."""
    with read_errors(path, _AGAIN):
        data = path.read_bytes()
    flat = arch_of(arch).flat
    if flat is None or not data[flat[0] :].startswith(flat[1]) or text is None:
        raise BadInput(f"{path}: neither an ELF file nor an {arch} Image", _AGAIN)
    return [(text, memoryview(data))]
