# SPDX-License-Identifier: GPL-2.0-only
"""Shared by targets: real files, a scratch directory in memory, and checksums that are made right again."""

import atexit
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import zstandard

from kassay.journal import artifacts
from kassay.journal.journal import read_journal

DATA = Path(__file__).resolve().parents[3] / "tests" / "data"
RAW = 0xFF
"""An input that begins with this byte is not mended."""


@cache
def scratch() -> Path:
    """A directory of this process, in memory where there is /dev/shm."""
    memory = Path("/dev/shm")
    directory = tempfile.TemporaryDirectory(prefix="trials-", dir=memory if memory.is_dir() else None)
    atexit.register(directory.cleanup)
    return Path(directory.name)


def written(name: str, data: bytes) -> Path:
    """A scratch file with these bytes."""
    path = scratch() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def text_of(data: bytes) -> str:
    """Text as kassay decodes what it did not write."""
    return data.decode("utf-8", "replace")


def files(*patterns: str) -> Iterator[bytes]:
    """Files of tests/data, decompressed where their name ends in .zst."""
    for pattern in patterns:
        for path in sorted(DATA.glob(pattern)):
            data = path.read_bytes()
            yield zstandard.ZstdDecompressor().decompress(data) if path.suffix == ".zst" else data


def artifacts_of(made: Path | None, field: str) -> Iterator[bytes]:
    """Artifacts of one kind of a measured directory. field: of RunRecord, such as "profile_sha256"."""
    if made is None:
        return
    names = (getattr(record, field) for record in read_journal(made / "journal.jsonl"))
    yield from (artifacts.get(made, name) for name in dict.fromkeys(names) if name)


def mended_lines(data: bytes) -> bytes:
    """Lines "checksum payload" with the checksum of each payload."""
    if data[:1] == bytes([RAW]):
        return data[1:]
    *lines, end = data.split(b"\n")
    return b"".join(b"%08x %s\n" % (zlib.crc32(line[9:]), line[9:]) for line in lines) + end


def mended_frames(data: bytes) -> bytes:
    """A guest's stream with the length and checksum of each frame."""
    if data[:1] == bytes([RAW]):
        return data[1:]
    return b"".join(_frame(part) for part in data.split(b"KASSAY ")[1:])


def _frame(part: bytes) -> bytes:
    header, _, payload = part.partition(b"\n")
    payload = payload[:-1]
    kind, name = (*header.split(b" "), b"", b"")[:2]
    summed = b"%s %s %d" % (kind, name, len(payload))
    return b"KASSAY %s %08x\n%s\n" % (summed, zlib.crc32(payload, zlib.crc32(summed + b"\n")), payload)


def cut(seeds: Iterable[bytes], longest: int) -> Iterator[bytes]:
    """The seeds that are short enough, and the beginning of the others."""
    return (seed[:longest] for seed in seeds)
