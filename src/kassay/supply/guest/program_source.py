# SPDX-License-Identifier: GPL-2.0-only
"""The sources of a program that the user brings: read, recognised, and kept by their content."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from kassay.effects.files import cache_directory, expanded, read_errors, sha256_bytes, write_atomic
from kassay.errors import BadInput
from kassay.model.program import ProgramUse
from kassay.supply.guest.payload import Packed, pack, unpack

PROGRAMS, SUFFIX = "programs", ".sources"
"""Where a run directory has the sources of its programs: programs/NAME.sources."""
_MOST_BYTES = 64 << 20
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_PLUS = (".cc", ".cpp", ".cxx")
SOURCES = (".c", *_PLUS)
_MACRO = re.compile(rb"^[^#\n]*\bKASSAY_ROUND_BEGIN\(\)", re.MULTILINE)
_MARKED = (bytes.fromhex("0f1f804f53414b"), (0xD280001F | 0x4B4F << 5).to_bytes(4, "little"))
"""KASSAY_ROUND_BEGIN() as code, of x86_64 and of arm64 (guest/program/kassay.h)."""
_TESTCASE = re.compile(rb"^\s*(?:static\s+)?void\s+testcase\s*\(\s*unsigned\s+long\s+long", re.MULTILINE)
_BENCHMARK = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*<benchmark/benchmark\.h>", re.MULTILINE)
_MAIN = re.compile(rb"^[a-z \t]*\bmain\s*\(", re.MULTILINE)


def pinned(use: ProgramUse, run_directory: Path | None = None) -> ProgramUse:
    """The use with the hash of its sources and files, which are stored in the cache: they are found when the originals
    are gone.

    run_directory: a directory that may hold the program. Raises BadInput for what cannot be read.
    """
    path = expanded(use.path)
    if use.sha256 and not path.exists():
        packed_files = contents(use, run_directory)
        return structs.replace(use, marks="" if use.points else marks_in(packed_files.values()))
    files = tuple(_read(use, path))
    new = structs.replace(use, sha256=keep(files), marks="" if use.points else marks_in(files))
    if use.sha256 not in ("", new.sha256):
        raise BadInput(
            f"{use.path}: it, or a file it needs, is not what it was when the experiment was pinned",
            "leave sha256 out of the experiment file to measure what is there now",
        )
    return new


def keep(files: Sequence[Packed]) -> str:
    """Keeps files in the cache by their content; returns the hash by which contents() finds them."""
    data = pack(b"", files)
    digest = sha256_bytes(data)
    if not (path := _cache_path(digest)).is_file():
        write_atomic(path, data)
    return digest


def contents(use: ProgramUse, run_directory: Path | None = None) -> Mapping[str, Packed]:
    """The sources ("source/NAME") and files ("files/NAME") of a pinned use. Raises BadInput when they are gone."""
    cached = _cache_path(use.sha256)
    if cached.is_file():
        return unpack(cached.read_bytes())
    for path in sorted((run_directory / PROGRAMS).glob(f"*{SUFFIX}")) if run_directory is not None else ():
        data = path.read_bytes()
        if sha256_bytes(data) == use.sha256:
            write_atomic(cached, data)
            return unpack(data)
    if use.application:
        raise BadInput(f"{use.path}: its input of that time is not in the cache", "measure it anew by its name")
    raise BadInput(
        f"{use.path}: no such file or directory, and its content is not in the cache either",
        "give the path of a C file, of a directory of C files, or of a static program",
    )


def stored(use: ProgramUse) -> bytes | None:
    """A pinned use's sources and files as one piece, for a run directory; None where they are not known here."""
    path = _cache_path(use.sha256)
    return path.read_bytes() if path.is_file() else None


def marks_in(files: Iterable[Packed]) -> str:
    """How the rounds of a program are marked in its sources, or in its code; a word of model.program.MARKS, or ""."""
    sources = [file.data for file in files if file.name.startswith("source/")]
    if any(_MACRO.search(data) or any(mark in data for mark in _MARKED) for data in sources):
        return "macros"
    if any(_BENCHMARK.search(data) for data in sources):
        return "benchmark"
    testcase = any(_TESTCASE.search(data) for data in sources)
    return "testcase" if testcase and not any(_MAIN.search(data) for data in sources) else ""


def kind_of(use: ProgramUse, packed_files: Mapping[str, Packed]) -> str:
    """A word of model.program.KINDS."""
    sources = [file for name, file in packed_files.items() if name.startswith("source/")]
    if len(sources) == 1 and sources[0].data.startswith(b"\x7fELF"):
        return "binary"
    return "c" if use.path.endswith(SOURCES) else "directory"


def _cache_path(sha256: str) -> Path:
    return cache_directory() / "programs" / f"{sha256}.sources"


def _read(use: ProgramUse, path: Path) -> Iterator[Packed]:
    """Everything that the program is made of, in order of the names."""
    if path.is_dir():
        yield from _directory(path)
    elif path.is_file():
        yield from _file(use, path)
    else:
        raise BadInput(
            f"{use.path}: no such file or directory",
            "give the path of a C file, of a directory of C files, or of a static program",
        )
    texts_by_name: dict[str, str] = {}
    for text in use.files:
        file = expanded(text)
        if not file.is_file():
            raise BadInput(f"--file {text}: no such file", "give the path of a file that the program reads")
        if file.name in texts_by_name:
            raise BadInput(
                f"--file {text}: its name is that of {texts_by_name[file.name]}", "give them names of their own"
            )
        texts_by_name[file.name] = text
        yield _packed(f"files/{file.name}", file)


def _file(use: ProgramUse, path: Path) -> Iterator[Packed]:
    main = _packed(f"source/{path.name}", path)
    if main.data.startswith(b"\x7fELF"):
        yield main
        return
    if path.suffix not in SOURCES:
        raise BadInput(
            f"{use.path}: neither a C file nor a program for Linux", "give a .c file, a directory, or a static ELF file"
        )
    more = (expanded(word) for word in use.link if word.endswith(SOURCES))
    files = _with_headers([path, *(file for file in more if file.is_file())])
    root = os.path.commonpath([file.parent for file in files])
    yield from (_packed(f"source/{file.relative_to(root)}", file) for file in files)


def _with_headers(sources: Iterable[Path]) -> list[Path]:
    """The files, the first one first, and what they include by a name in quotes, wherever that is."""
    files = [Path(os.path.normpath(Path.cwd() / source)) for source in sources]
    for file in files:  # grows
        for name in _INCLUDE.findall(file.read_bytes()):
            header = Path(os.path.normpath(file.parent / name.decode("utf-8", "replace")))
            if header.is_file() and header not in files:  # else the compiler says what is missing
                files.append(header)
    return files


def _directory(path: Path) -> Iterator[Packed]:
    names = sorted(file for file in path.rglob("*") if file.is_file() and ".git" not in file.relative_to(path).parts)
    total = 0
    for file in names:
        total += file.stat().st_size
        if total > _MOST_BYTES:
            raise BadInput(f"{path}: more than {_MOST_BYTES >> 20} MiB of files", "give a directory with sources alone")
        yield _packed(f"source/{file.relative_to(path)}", file)


def _packed(name: str, path: Path) -> Packed:
    if "\n" in name:
        raise BadInput(f"{path}: its name holds a newline", "rename it")
    with read_errors(path, "give a file that can be read"):
        return Packed(name, path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
