# SPDX-License-Identifier: GPL-2.0-only
"""Shared libraries of a tree: which of them are missing, and the loader's cache of their names.

The cache is what ldconfig(8) makes of an installed system (sysdeps/generic/dl-cache.h of glibc, the format since 2.32).
Without it the loader would try several directories for each library, with system calls that a real system does not
make.
"""

import io
import posixpath
import re
import stat
import struct
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from kassay.effects.elf import elf_damage
from kassay.supply.arches import arch_of
from kassay.supply.images._members import Tree

CACHE = "etc/ld.so.cache"
_HEADER = struct.Struct("<17s3sIIB3xI12x")
_ENTRY = struct.Struct("<iIIIQ")
_LITTLE_ENDIAN = 2
_LIBRARY = re.compile(r"(?:lib|ld-)[^/]*\.so(?:\.[^/]*)?")
_MACHINE = 18  # offset of e_machine
_MOST_LINKS = 40


class Object(NamedTuple):
    """A program or library."""

    soname: str
    """Name by which the loader finds the library; "" for a program."""
    needed: tuple[str, ...]
    """Names of libraries."""
    runpath: tuple[str, ...]
    """Directories that it searches first."""


def real_path(members: Container[str], targets: Mapping[str, str], path: str) -> str | None:
    """Path that `path` leads to through symbolic links. None if there is no such file. targets: targets of the
    links, by path."""
    for _ in range(_MOST_LINKS):
        path = posixpath.normpath("/" + path).lstrip("/")
        parts = path.split("/")
        parents = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        link = next((parent for parent in parents if parent in targets), None)
        if link is None:
            return path if path in members else None
        path = posixpath.join("/", posixpath.dirname(link), targets[link], path.removeprefix(link).lstrip("/"))
    return None


def targets_of(tree: Tree) -> dict[str, str]:
    """Symbolic links by path."""
    links = (member for member in tree.members.values() if stat.S_ISLNK(member.mode))
    return {member.path: tree.content(member).decode("utf-8", "replace") for member in links}


def objects(tree: Tree, arch: str) -> dict[str, Object]:
    """Every dynamic program and library of the architecture, by path."""
    by_path = {}
    for member in tree.members.values():
        if stat.S_ISREG(member.mode) and tree.content(member, 4) == b"\x7fELF":
            elf = _object(tree.content(member), arch)
            if elf is not None:
                by_path[member.path] = elf
    return by_path


def _object(data: bytes, arch: str) -> Object | None:
    from elftools.common.exceptions import ELFError
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.elffile import ELFFile

    if len(data) < _MACHINE + 2 or struct.unpack_from("<H", data, _MACHINE)[0] != arch_of(arch).elf:
        return None
    try:
        with elf_damage():
            segments = ELFFile(io.BytesIO(data)).iter_segments("PT_DYNAMIC")
            tags = [tag for segment in segments if isinstance(segment, DynamicSegment) for tag in segment.iter_tags()]
    except ELFError:
        return None
    if not tags:
        return None
    values = {kind: [str(getattr(tag, name)) for tag in tags if tag.entry.d_tag == kind] for kind, name in _TAGS}
    paths = (values["DT_RUNPATH"] or values["DT_RPATH"] or [""])[0]
    return Object(
        soname=(values["DT_SONAME"] or [""])[0],
        needed=tuple(values["DT_NEEDED"]),
        runpath=tuple(path for path in paths.split(":") if path),
    )


_TAGS = (("DT_SONAME", "soname"), ("DT_NEEDED", "needed"), ("DT_RUNPATH", "runpath"), ("DT_RPATH", "rpath"))


def lacking(tree: Tree, objects_by_path: Mapping[str, Object], arch: str) -> Iterator[str]:
    """A sentence for each library that something asks for and does not find where the loader looks by default."""
    targets = targets_of(tree)
    by_name: dict[str, list[str]] = {}
    for path in tree.members:
        by_name.setdefault(posixpath.basename(path), []).append(path)
    asking: dict[str, list[str]] = {}
    for path, elf in sorted(objects_by_path.items()):
        folders = [word.replace("$ORIGIN", "/" + posixpath.dirname(path)) for word in elf.runpath]
        for name in elf.needed:
            if not any(real_path(tree.members, targets, f"{folder}/{name}") for folder in (*folders, *_folders(arch))):
                asking.setdefault(name, []).append(path)
    for name, paths in sorted(asking.items()):
        elsewhere = [path for path in by_name.get(name, []) if not path.startswith("usr/share/")]
        where = f"; /{elsewhere[0]} has this name" if elsewhere else ""
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        yield f"{name} is missing: /{paths[0]}{more} asks for it{where}"


def _folders(arch: str) -> tuple[str, ...]:
    triple = arch_of(arch).build.triple
    return (f"/lib/{triple}", f"/usr/lib/{triple}", "/lib", "/usr/lib", "/lib64")


def loader_cache(tree: Tree, objects_by_path: Mapping[str, Object], arch: str) -> bytes:
    """The file /etc/ld.so.cache: libraries of the loader's own directories by the names that programs ask for."""
    targets = targets_of(tree)
    entries = dict[str, str]()
    for folder in _folders(arch)[:3]:
        inside = f"usr{folder}/" if not folder.startswith("/usr") else f"{folder[1:]}/"
        for path in sorted(tree.members):
            name = path.removeprefix(inside)
            if path.startswith(inside) and _LIBRARY.fullmatch(name):
                elf = objects_by_path.get(real_path(tree.members, targets, path) or "")
                if elf is not None and elf.soname == name:
                    entries.setdefault(name, f"{folder}/{name}")
    return _cache(
        sorted(entries.items(), key=lambda entry: _order(entry[0]), reverse=True), arch_of(arch).build.library_flags
    )


def _cache(entries: Sequence[tuple[str, str]], flags: int) -> bytes:
    start = _HEADER.size + len(entries) * _ENTRY.size
    strings, rows = b"", b""
    for name, path in entries:
        key, value = start + len(strings), start + len(strings) + len(name) + 1
        strings += f"{name}\0{path}\0".encode()
        rows += _ENTRY.pack(flags, key, value, 0, 0)
    return _HEADER.pack(b"glibc-ld.so.cache", b"1.1", len(entries), len(strings), _LITTLE_ENDIAN, 0) + rows + strings


def _order(name: str) -> tuple[tuple[int, int], ...]:
    """A key of the order that the loader searches in, as _dl_cache_libcmp() of glibc has it: (0, 0) is the end of the
    name, (0, c) a character, (1, n) a number."""
    parts = re.findall(r"\d+|\D", name)
    return (*((1, int(part)) if part.isdigit() else (0, ord(part)) for part in parts), (0, 0))
