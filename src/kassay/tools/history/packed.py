# SPDX-License-Identifier: GPL-2.0-only
"""A history as one small file that is only read: DuckDB, compressed by zstd. The project ships one of stock kernels."""

from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

import duckdb
import zstandard

from kassay.effects.files import cache_directory, disk_errors, sha256_bytes, write_atomic
from kassay.errors import BadInput
from kassay.model.progress import Progress, Tell, silent

SUFFIX = ".zst"
STOCK = Path(__file__).parent / f"stock.duckdb{SUFFIX}"
"""History of the archive's kernels, measured with the suites of this version."""
_STOCK_NAME = "stock"
_LEVEL = 19
_MAGIC, _MAGIC_AT = b"DUCK", 8
HEAD_BYTES = _MAGIC_AT + len(_MAGIC)
"""Bytes at the begin of a database that is_database() needs."""


def named(path: Path) -> Path:
    """The file that a user names: "stock" is STOCK."""
    return STOCK if str(path) == _STOCK_NAME else path


def is_packed(path: Path) -> bool:
    """True for a file that pack() wrote, by its name."""
    return path.suffix == SUFFIX


def refuse_packed(path: Path) -> None:
    """Raises BadInput for a packed file, which is only read."""
    if is_packed(path):
        raise BadInput(f"{path}: a packed history is only read", f"unpack it first: zstd -d {quote(str(path))} -o FILE")


def unpacked(path: Path) -> Path:
    """The database in a packed file, unpacked once into the cache; any other path as it is.

    Raises BadInput if the file is damaged.
    """
    if not is_packed(path) or not path.is_file():
        return path
    with disk_errors(path):
        data = path.read_bytes()
    place = cache_directory() / "history" / f"{sha256_bytes(data)[:32]}.duckdb"
    if not place.exists():
        write_atomic(place, _decompressed(path, data))
    return place


def _decompressed(path: Path, data: bytes) -> bytes:
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        database = frame.decompress(data)
    except zstandard.ZstdError as error:
        raise BadInput(f"{path}: damaged ({error})", "restore it from a copy") from error
    if not frame.eof:
        raise BadInput(f"{path}: damaged (its end is missing)", "restore it from a copy")
    if not is_database(database):
        raise BadInput(f"{path}: not a packed history", "give a file that `kassay history pack` made")
    return database


def is_database(data: bytes) -> bool:
    """True for the content of a DuckDB file."""
    return data[_MAGIC_AT:HEAD_BYTES] == _MAGIC


def pack(source: Path, out: Path, tell: Tell = silent) -> int:
    """Writes all of a history to `out`, with the names of its directories instead of their paths. Returns its size in
    bytes. The caller holds the lock of `source`."""
    tell(Progress(stage="history", subject=source.name, text="packing"))
    with TemporaryDirectory(prefix="kassay-history-") as place:
        copy = Path(place) / "copy.duckdb"
        with duckdb.connect(str(copy)) as connection:
            connection.execute(f"ATTACH '{_quoted(source)}' AS source (READ_ONLY)")
            connection.execute("COPY FROM DATABASE source TO copy")
            connection.execute("DETACH source")
            connection.execute("UPDATE t_experiments SET directory = regexp_replace(rtrim(directory, '/'), '.*/', '')")
            connection.execute(
                "UPDATE t_confirmations SET directory = regexp_replace(rtrim(directory, '/'), '.*/', '')"
            )
            connection.execute("CHECKPOINT")
        data = zstandard.ZstdCompressor(level=_LEVEL).compress(copy.read_bytes())
    write_atomic(out, data)
    return len(data)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
