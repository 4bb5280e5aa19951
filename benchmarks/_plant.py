# SPDX-License-Identifier: GPL-2.0-only
"""Plants k instructions at the entry of one function of a stock x86-64 kernel, by patching its vmlinux.

Functions of a kernel with CONFIG_CALL_PADDING have 16 bytes of nops in front, and the address-taken ones
begin with endbr64 (4 bytes, a nop without IBT). The endbr64 becomes a jump into the padding, which holds k - 1 nops
and a jump behind the endbr64: k + 1 instructions in the place of one, in the same bytes.
"""

import bisect
import io
import struct
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import capstone
from elftools.elf.elffile import ELFFile

ENDBR64 = bytes.fromhex("f30f1efa")
NOP = b"\x90"
PADDING = 16
MOST = PADDING - 1


class Site(NamedTuple):
    """A function that can be planted. entry: its virtual address. offset: of the entry in the file."""

    entry: int
    offset: int


class Segment(NamedTuple):
    """A loaded part of the file."""

    address: int
    offset: int
    size: int


def sites(vmlinux: bytes, symbols: Path) -> Mapping[str, Site]:
    """Every function that can be planted, by name. symbols: lines "address type name"."""
    elf = ELFFile(io.BytesIO(vmlinux))
    loaded = sorted(
        Segment(s["p_vaddr"], s["p_offset"], s["p_filesz"]) for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"
    )
    sealed = _sealed(elf)
    found = {}
    for name, entry in _functions(symbols).items():
        offset = _offset(loaded, entry)
        if offset is not None and entry not in sealed and _fits(vmlinux, offset):
            found[name] = Site(entry, offset)
    return found


def plant(vmlinux: bytes, site: Site, k: int) -> bytes:
    """The kernel with k more instructions in each call of the function. Raises ValueError when it cannot be done."""
    if not 1 <= k <= MOST:
        raise ValueError(f"{k} instructions do not fit: 1 to {MOST} do")
    if not _fits(vmlinux, site.offset):
        raise ValueError(f"{site.entry:#x}: not {PADDING} nops and an endbr64")
    start = site.offset - PADDING
    padding = NOP * (k - 1) + _jump(k + 1, PADDING + len(ENDBR64))
    entry = _jump(PADDING + 2, 0) + vmlinux[site.offset + 2 : site.offset + 4]
    code = padding.ljust(PADDING, NOP) + entry
    made = vmlinux[:start] + code + vmlinux[start + len(code) :]
    _check(made[start : site.offset + PADDING], k)
    return made


def _jump(end: int, target: int) -> bytes:
    """A short jump that ends at `end`, both counted from the start of the padding."""
    return b"\xeb" + struct.pack("b", target - end)


def _check(code: bytes, k: int) -> None:
    """Follows the code from its entry, with another's decoder, until it is behind the endbr64."""
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    at = PADDING
    path: list[str] = []
    while at != PADDING + len(ENDBR64) and len(path) <= MOST + 1:
        one = next(decoder.disasm(code[at:], at, 1))
        path.append(one.mnemonic)
        at = int(one.op_str, 16) if one.mnemonic == "jmp" else at + one.size
    if path != ["jmp", *["nop"] * (k - 1), "jmp"]:
        raise ValueError(f"planted {path} instead of {k} instructions")


def _fits(vmlinux: bytes, offset: int) -> bool:
    return vmlinux[offset - PADDING : offset + len(ENDBR64)] == NOP * PADDING + ENDBR64


def _functions(symbols: Path) -> dict[str, int]:
    """Functions whose name stands for one address only."""
    rows = [line.split() for line in symbols.read_text().splitlines()]
    code = [(name, int(address, 16)) for address, kind, name in rows if kind in "tT"]
    often = Counter(name for name, _ in code)
    return {name: address for name, address in code if often[name] == 1}


def _sealed(elf: ELFFile) -> frozenset[int]:
    """Entries whose endbr64 the kernel overwrites at boot, and misses when it is gone: offsets from their own place."""
    section = elf.get_section_by_name(".ibt_endbr_seal")
    if section is None:
        raise ValueError("no section .ibt_endbr_seal: which endbr64 may be replaced is not known")
    data, start = section.data(), section["sh_addr"]
    offsets = struct.unpack(f"<{len(data) // 4}i", data)
    return frozenset(start + 4 * i + offset for i, offset in enumerate(offsets))


def _offset(loaded: list[Segment], address: int) -> int | None:
    at = bisect.bisect_right(loaded, address, key=lambda segment: segment.address) - 1
    if at < 0:
        return None
    inside = address - loaded[at].address
    return loaded[at].offset + inside if inside < loaded[at].size else None
