# SPDX-License-Identifier: GPL-2.0-only
"""Kernel images: bzImage, Image, vmlinux, plain or compressed -> what is inside and who built it."""

import re
import struct
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.supply.arches import arches
from kassay.supply.kernels._compression import decompress, is_compressed

_BANNER = re.compile(rb"Linux version (\d[^ \n\0]{0,120}) \(([^\n\0]{1,2000})")
_PT_NOTE = 4
_XEN_PVH_ENTRY = 18  # XEN_ELFNOTE_PHYS32_ENTRY
_NESTED = 3


class KernelImage(NamedTuple):
    """A kernel image, taken apart."""

    arch: str
    kernel: bytes
    """The uncompressed kernel (an ELF on x86_64, the flat Image on arm64)."""
    elf: bool
    """True if the kernel is an ELF file."""
    release: str
    banner: str
    compiler: str | None
    """Compiler and linker, such as "gcc-14 (Debian 14.2.0-19) 14.2.0, GNU ld ..."."""
    pvh: bool | None
    """True if it has the note that lets QEMU enter it directly; None if it is no ELF file."""


def take_apart(data: bytes, where: str) -> KernelImage:
    """Reads an image. Raises BadInput, naming `where`, for anything that is not a whole kernel of a known arch."""
    try:
        return _take_apart(data, where)
    except (struct.error, ValueError, IndexError) as error:  # the header names bytes that are not in the file
        raise BadInput(f"{where}: cut short or damaged ({error})", "fetch or build it again") from error


def _take_apart(data: bytes, where: str) -> KernelImage:
    kernel = _uncompressed(data, where, _NESTED)
    arch = _arch(kernel, where)
    match = _BANNER.search(kernel)
    if match is None:
        raise BadInput(f'{where}: no "Linux version" text inside', "give a Linux kernel image")
    elf = kernel.startswith(b"\x7fELF")
    text = match.group().decode("utf-8", "replace")
    return KernelImage(
        arch=arch,
        kernel=kernel,
        elf=elf,
        release=match.group(1).decode("utf-8", "replace"),
        banner=text,
        compiler=compiler_of(text),
        pvh=_has_pvh_note(kernel) if elf else None,
    )


def compiler_of(banner: str) -> str | None:
    """Compiler and linker out of "Linux version R (who@where) (COMPILER, LINKER) #1 ..."; None when not there."""
    groups, depth, start = [], 0, 0
    for at, char in enumerate(banner):
        if char == "(":
            start = at + 1 if depth == 0 else start
            depth += 1
        elif char == ")" and depth:
            depth -= 1
            if depth == 0:
                groups.append(banner[start:at])
    return groups[1] if len(groups) > 1 else None


def _uncompressed(data: bytes, where: str, depth: int) -> bytes:
    if data[0x202:0x206] == b"HdrS" and data[0x1FE:0x200] == b"\x55\xaa":
        return decompress(_setup_payload(data, where), where)
    if data.startswith(b"MZ") and data[4:8] == b"zimg":
        offset, length = struct.unpack_from("<II", data, 8)
        return decompress(_slice(data, offset, length, where), where)
    if depth and is_compressed(data):
        return _uncompressed(decompress(data, where), where, depth - 1)
    return data


def _setup_payload(data: bytes, where: str) -> bytes:
    """The compressed kernel of a bzImage (Documentation/arch/x86/boot.rst: payload_offset, payload_length)."""
    (version,) = struct.unpack_from("<H", data, 0x206)
    if version < 0x208:
        raise BadInput(
            f"{where}: a bzImage of boot protocol {version >> 8}.{version & 255:02}", "2.08 or later is needed"
        )
    offset, length = struct.unpack_from("<II", data, 0x248)
    return _slice(data, ((data[0x1F1] or 4) + 1) * 512 + offset, length, where)


def _slice(data: bytes, offset: int, length: int, where: str) -> bytes:
    if offset + length > len(data) or not length:
        raise BadInput(
            f"{where}: cut short: {len(data)} bytes, but its header speaks of {offset + length}",
            "fetch or build it again",
        )
    return data[offset : offset + length]


def _arch(kernel: bytes, where: str) -> str:
    if kernel.startswith(b"\x7fELF") and len(kernel) > 64:
        (machine,) = struct.unpack_from("<H", kernel, 18)
        arch_name = next((arch.name for arch in arches().values() if arch.elf == machine), "")
        if kernel[4:6] == b"\x02\x01" and arch_name:
            return arch_name
        arch_names = " and ".join(arches())
        raise BadInput(f"{where}: an ELF file for machine {machine}", f"kernels for {arch_names} are understood")
    for arch in arches().values():
        if arch.flat is not None and kernel[arch.flat[0] :].startswith(arch.flat[1]):
            return arch.name
    raise BadInput(f"{where}: {_what_it_is(kernel)}, not a kernel image", "give a bzImage, Image or vmlinux")


def _what_it_is(data: bytes) -> str:
    if not data:
        return "an empty file"
    if data.isascii() and b"\0" not in data:
        return "a text file"
    return f"{len(data)} bytes that start with {data[:4].hex(' ')}"


def _has_pvh_note(elf: bytes) -> bool:
    """Walks the program headers (ELF64): a note "Xen" of type 18 holds the entry point."""
    (table,) = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for at in range(table, table + size * count, size):
        if at + 56 > len(elf):
            return False
        (kind,) = struct.unpack_from("<I", elf, at)
        offset, length = struct.unpack_from("<Q", elf, at + 8)[0], struct.unpack_from("<Q", elf, at + 32)[0]
        if kind == _PT_NOTE and _note_in(elf[offset : offset + length]):
            return True
    return False


def _note_in(notes: bytes) -> bool:
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        name = notes[at + 12 : at + 12 + name_size]
        if kind == _XEN_PVH_ENTRY and name == b"Xen\0":
            return True
        at += 12 + (name_size + 3 & ~3) + (size + 3 & ~3)
    return False
