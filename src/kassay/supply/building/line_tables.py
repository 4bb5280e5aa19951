# SPDX-License-Identifier: GPL-2.0-only
"""Line tables of a built kernel: how they are asked for, and how they are parted from the image that is booted.

The image without them is the same, to the byte, as one that was built without them. A linker's build ID is a hash over
everything it links, line tables included: a comment would make another image. So the IDs are computed anew over the
image alone.
"""

import hashlib
import re
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from kassay.effects import process
from kassay.errors import NotBuilt
from kassay.supply.building import line_program
from kassay.supply.building.compilers import Compiler

# Level 1 has line tables and inlined calls, and no variables or types. gcc and clang know the same word.
ARGUMENTS = ("KCFLAGS=-g1", "KAFLAGS=-g")
_OWN_DEBUG_INFO = b"\nCONFIG_DEBUG_INFO=y\n"
# The head of the note NT_GNU_BUILD_ID with 20 bytes, as the kernel and each of its vDSOs have one.
_BUILD_ID = re.compile(rb"(\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0).{20}", re.S)
_TIMEOUT_S = 300


class Parted(NamedTuple):
    """An image as it is booted, and an ELF file with its line tables and without its code."""

    image: bytes
    lines: bytes


def arguments(config: Path) -> tuple[str, ...]:
    """Arguments of make for line tables. None for a .config that asks for debug information itself."""
    return () if config.is_file() and _OWN_DEBUG_INFO in config.read_bytes() else ARGUMENTS


def parted(image: Path, vmlinux: Path, compiler: Compiler) -> Parted:
    """Parts line tables and image. image: what is booted, which may be vmlinux itself. Raises NotBuilt."""
    with tempfile.TemporaryDirectory(prefix="lines-", dir=vmlinux.parent) as name:
        lines = Path(name, "lines")
        _objcopy(compiler, "--only-keep-debug", "--compress-debug-sections=zlib", "--remove-section=.debug_frame",
                 str(vmlinux), str(lines))  # fmt: skip
        booted = image
        if image == vmlinux:
            booted = Path(name, "vmlinux")
            _objcopy(compiler, "--strip-debug", str(vmlinux), str(booted))
        return Parted(identified(booted.read_bytes()), lines.read_bytes())


def identified(image: bytes) -> bytes:
    """The image with build IDs that are a hash of the image alone."""
    blank = _BUILD_ID.sub(rb"\g<1>" + bytes(20), image)
    build_id = hashlib.sha1(blank, usedforsecurity=False).digest()
    return _BUILD_ID.sub(lambda note: note[1] + build_id, blank)


def lines_with_code(lines: Path, wanted: Collection[str]) -> dict[str, frozenset[int]]:
    """Lines that an instruction of the image comes from, by file. A file without code in the image is left out.

    lines: file with the line tables of a build. wanted: paths from the top of the sources.
    """
    from elftools.elf.elffile import ELFFile  # late: it is large, and a build needs none

    with lines.open("rb") as file:
        elf = ELFFile(file)
        line, texts, line_texts = map(elf.get_section_by_name, (".debug_line", ".debug_str", ".debug_line_str"))
        data = [section.data() if section else b"" for section in (line, texts, line_texts)]
    return line_program.lines_with_code(data[0], data[1], data[2], wanted)


def _objcopy(compiler: Compiler, *arguments: str) -> None:
    program = f"{compiler.tools_prefix}objcopy"
    ended = process.run((program, *arguments), timeout_s=_TIMEOUT_S)
    if ended.status:
        raise NotBuilt(f"{program}: {ended.err.strip()[:300]}", "install binutils of that architecture", ended.err)
