# SPDX-License-Identifier: GPL-2.0-only
"""Compressed streams, unpacked into temporary files; and one error for every kind of damage."""

import bz2
import gzip
import io
import lzma
import shutil
import struct
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from kassay.effects.files import cache_directory, disk_errors
from kassay.errors import BadInput

_ZSTD_WINDOW = 1 << 31
"""Bytes. Packages are compressed with windows above the library's default of 128 MiB (zstd --ultra)."""


class Part(io.RawIOBase):
    """Part of an open file, read as a file of its own."""

    def __init__(self, file: IO[bytes], start: int, length: int) -> None:
        self._file, self._at, self._end = file, start, start + length

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._file.seek(self._at)
        data = self._file.read(min(len(buffer), self._end - self._at))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


@contextmanager
def whole(path: Path, kind: str) -> Iterator[None]:
    """Turns every error of a reader into BadInput. kind: of file that `path` should be."""
    try:
        yield
    except (tarfile.TarError, lzma.LZMAError, zlib.error, zstandard.ZstdError, gzip.BadGzipFile, EOFError, struct.error,
            ValueError, KeyError, IndexError) as error:  # fmt: skip
        reason = str(error) or type(error).__name__
        raise BadInput(
            f"{path}: not a whole {kind} ({reason})", "check the file, and copy or fetch it again"
        ) from error


@contextmanager
def unpacked(part: Part) -> Iterator[IO[bytes]]:
    """The part without its compression, in a temporary file of the cache, at its start."""
    place = cache_directory() / "unpacking"
    with disk_errors(place):
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as out:
            shutil.copyfileobj(_plain(io.BufferedReader(part, 1 << 20)), out, 1 << 20)
            out.seek(0)
            yield out


def _plain(stream: io.BufferedReader) -> IO[bytes]:
    """The stream without its compression."""
    first = stream.peek(6)
    if first.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(stream))
    if first.startswith((b"\xfd7zXZ", b"\x5d\0\0")):
        return lzma.LZMAFile(stream)
    if first.startswith(b"BZh"):
        return bz2.BZ2File(stream)
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        return unpacker.stream_reader(stream, read_across_frames=True)
    return stream
