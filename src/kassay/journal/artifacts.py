# SPDX-License-Identifier: GPL-2.0-only
"""Raw streams and console logs, compressed, each named by the sha256 of what it holds."""

from pathlib import Path

import zstandard

from kassay.effects.files import link_or_copy, sha256_bytes, write_atomic
from kassay.errors import BadInput


def put(directory: Path, data: bytes) -> str:
    """Stores `data`; returns its sha256. Bytes that are stored already are not written again."""
    name = sha256_bytes(data)
    path = _path(directory, name)
    if not path.exists():
        write_atomic(path, zstandard.ZstdCompressor(level=3, write_checksum=True).compress(data), mode=0o444)
    return name


def get(directory: Path, name: str) -> bytes:
    """The bytes stored under `name`. Raises BadInput when they are missing or damaged."""
    path = _path(directory, name)
    try:
        data = zstandard.ZstdDecompressor().decompress(path.read_bytes())
    except FileNotFoundError as error:
        raise BadInput(
            f"{path}: missing, though the journal names it", "restore the directory from its copy"
        ) from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}", "restore the directory from its copy") from error
    except (zstandard.ZstdError, MemoryError) as error:  # a damaged header may announce any size
        raise BadInput(f"{path}: damaged ({error})", "restore the directory from its copy") from error
    if sha256_bytes(data) != name:
        raise BadInput(f"{path}: its content is not what its name says", "restore the directory from its copy")
    return data


def take(directory: Path, name: str, source: Path) -> None:
    """Stores the bytes that another directory has under `name`, as a hard link where the file system has them.

    Raises BadInput when they are missing or damaged there.
    """
    path = _path(directory, name)
    if path.exists():
        return
    get(source, name)
    link_or_copy(_path(source, name), path)


def _path(directory: Path, name: str) -> Path:
    return directory / "artifacts" / name[:2] / f"{name[2:]}.zst"
