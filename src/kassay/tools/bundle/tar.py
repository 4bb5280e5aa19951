# SPDX-License-Identifier: GPL-2.0-only
"""A .tar.zst with nothing in it but its files: the same files give the same bytes, and nothing else is read.

Every header is made from a name and a size alone. Each header that is read is compared with the one that kassay would
have written: links, devices, other owners, sparse files or extensions differ from it, and are refused before
they are unpacked.
"""

import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

import zstandard

from kassay.effects.files import disk_errors
from kassay.errors import BadInput
from kassay.tools.bundle.contents import checked_name

_BLOCK = 512
_COPY = 1 << 20
_LEVEL = 12
MOST_FILES = 1_000_000


class _Source(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


def write(path: Path, top: str, names: Sequence[str], root: Path) -> None:
    """Writes the files `names` below `root`, each as top/name, sorted; replaces `path` in one step."""
    partial = path.with_name(f".{path.name}.partial")
    with disk_errors(path):
        try:
            with partial.open("wb") as file, _compressor(file) as out:
                for name in sorted(names):
                    _write_file(out, f"{top}/{name}", root / name)
                out.write(bytes(2 * _BLOCK))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def _compressor(file: IO[bytes]) -> Iterator[IO[bytes]]:
    packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with packer.stream_writer(file, closefd=False) as out:
        yield out


def _write_file(out: IO[bytes], name: str, path: Path) -> None:
    size = path.stat().st_size
    out.write(_header(name, size))
    with path.open("rb") as file:
        while data := file.read(_COPY):
            out.write(data)
    out.write(bytes(-size % _BLOCK))


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o644, 0
    return info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict")


def unpack(path: Path, into: Path, limit: int) -> Path:
    """Writes every file of the archive below `into`; returns the directory that holds all of them.

    Raises BadInput for anything that write() does not write, and when the files are larger than `limit` bytes.
    """
    tops: set[str] = set()
    try:
        with (
            path.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as source,
            disk_errors(into),
        ):
            for count, (name, size) in enumerate(_entries(source, path)):
                limit -= size
                if limit < 0 or count >= MOST_FILES:
                    raise BadInput(f"{path}: unpacks to more than is allowed, at {name}", "allow more with --limit")
                top, _, inside = name.partition("/")
                tops.add(top)
                if not inside or len(tops) > 1:
                    raise BadInput(f"{path}: {name} lies outside the one directory of a bundle", "get it anew")
                _read_file(source, into / name, size, path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}", "give a bundle: a directory, or a .tar.zst") from error
    except zstandard.ZstdError as error:
        raise BadInput(f"{path}: damaged, or no .tar.zst ({error})", "get the bundle anew") from error
    if not tops:
        raise BadInput(f"{path}: an empty archive", "get the bundle anew")
    return into / tops.pop()


def _entries(source: _Source, path: Path) -> Iterator[tuple[str, int]]:
    """Name and size of each entry; the caller reads its content before it asks for the next one."""
    last, earlier = "", set[str]()
    while any(block := _exactly(source, _BLOCK, path)):
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
            name, size = info.name, info.size
            same = size >= 0 and _header(name, size) == block
        except (tarfile.TarError, ValueError, UnicodeError):
            name, same, size = "an entry", False, 0
        if not same:
            raise BadInput(f"{path}: {name[:80]!r} after {last!r} is not a plain file as kassay packs it",
                           "do not unpack it; get the bundle anew")  # fmt: skip
        checked_name(name, str(path))
        if name <= last or any(str(above) in earlier for above in PurePosixPath(name).parents):
            raise BadInput(f"{path}: {name} stands twice, or out of order", "get the bundle anew")
        yield name, size
        last = name
        earlier.add(name)
    if any(_exactly(source, _BLOCK, path)) or source.read(1):
        raise BadInput(f"{path}: something stands behind its end", "get the bundle anew")


def _read_file(source: _Source, target: Path, size: int, path: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        for start in range(0, size, _COPY):
            file.write(_exactly(source, min(_COPY, size - start), path))
    if any(_exactly(source, -size % _BLOCK, path)):
        raise BadInput(f"{path}: something stands behind {target.name}", "get the bundle anew")


def _exactly(source: _Source, size: int, path: Path) -> bytes:
    data = b""
    while len(data) < size:
        more = source.read(size - len(data))
        if not more:
            raise BadInput(f"{path}: cut short", "get the bundle anew")
        data += more
    return data
