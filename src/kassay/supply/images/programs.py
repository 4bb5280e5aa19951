# SPDX-License-Identifier: GPL-2.0-only
"""Check before anything is booted that an image has the programs that its commands name."""

import posixpath
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import IO, NamedTuple

from kassay.errors import BadInput
from kassay.supply.guest import cpio
from kassay.supply.images._libraries import real_path

_HEADER_BYTES = 110
_HEADER = re.compile(rb"070701[0-9A-Fa-f]{104}")
_FIRST_BYTES = 256  # of a script, as many as the kernel reads for its interpreter


class _File(NamedTuple):
    """A member of an archive."""

    mode: int
    start: int
    """Offset of its content."""
    size: int


def check_programs(subject: str, archive: Path, programs: Iterable[str]) -> None:
    """Raises BadInput for the first absolute path that is no program of the image, or a script without its interpreter.

    subject: what the error begins with. A path that a command makes itself cannot be known: give only those that
    the packages must have.
    """
    with archive.open("rb") as file:
        try:
            members = _members(file)
        except ValueError as error:
            problem = f"{subject}: {archive} is damaged ({error})"
            raise BadInput(problem, "delete it; the same command makes it again") from error
        links = {path: _content(file, m, m.size) for path, m in members.items() if stat.S_ISLNK(m.mode)}
        for program in dict.fromkeys(programs):
            real = real_path(members, links, program)
            if real is None:
                raise BadInput(f"{subject}: {program} is not in the image of its packages", _remedy(program, members))
            member = members[real]
            if not stat.S_ISREG(member.mode) or not member.mode & 0o111:
                raise BadInput(f"{subject}: {program} is no program in the image of its packages", "name another one")
            first = _content(file, member, _FIRST_BYTES).partition("\n")[0]
            interpreter = first.removeprefix("#!").split()[:1] if first.startswith("#!") else []
            if interpreter and real_path(members, links, interpreter[0]) is None:
                raise BadInput(f"{subject}: {program} is a script for {interpreter[0]}, which its image lacks",
                               _remedy(interpreter[0], members))  # fmt: skip


def _remedy(program: str, members: dict[str, _File]) -> str:
    name = posixpath.basename(program)
    near = [f"/{path}" for path in members if posixpath.basename(path) == name or path.startswith(f"usr/bin/{name}-")]
    if near:
        return f"there is {', '.join(near[:3])}: name it, or give a link to it if a script of a package would make it"
    return "add the package that has it"


def _members(file: IO[bytes]) -> dict[str, _File]:
    """Members by path; all hard links of a file have the content of the first. Raises ValueError for a damaged file."""
    members: dict[str, _File] = {}
    first: dict[int, _File] = {}
    at = 0
    while True:
        file.seek(at)
        header = file.read(_HEADER_BYTES)
        if not _HEADER.fullmatch(header):
            raise ValueError(f"no header at byte {at}")
        inode, mode, size, name_size = (int(header[6 + 8 * n : 14 + 8 * n], 16) for n in (0, 1, 6, 11))
        name = file.read(name_size)[:-1].decode("utf-8", "surrogateescape")
        if name == cpio.TRAILER:
            return members
        start = at + _HEADER_BYTES + name_size
        start += len(cpio.aligned(start))
        members[name] = first.setdefault(inode, _File(mode, start, size))
        at = start + size + len(cpio.aligned(size))


def _content(file: IO[bytes], member: _File, most: int) -> str:
    file.seek(member.start)
    return file.read(min(member.size, most)).decode("utf-8", "replace")
