# SPDX-License-Identifier: GPL-2.0-only
"""Copies of files, and whether what is kept compressed may be unpacked."""

from collections.abc import Iterable
from pathlib import Path

import zstandard

from kassay.bundle.paths import files_below
from kassay.errors import BadInput


def copy_files(directory: Path, into: Path, names: Iterable[str]) -> None:
    """Copies the files `names` below `directory`, as they are. Raises BadInput when one is missing."""
    for name in names:
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_bytes(directory / name))


def copy_journal(directory: Path, into: Path) -> None:
    """Copies the journal up to its last whole line: a kassay that is running may be writing the next one."""
    data = _bytes(directory / "journal.jsonl")
    (into / "journal.jsonl").write_bytes(data[: data.rfind(b"\n") + 1])


def artifact_path(name: str) -> str:
    """Where the journal's artifacts lie."""
    return f"artifacts/{name[:2]}/{name[2:]}.zst"


def checked_artifacts(root: Path, limit: int) -> None:
    """Raises BadInput when the compressed files below `root` would unpack to more than `limit` bytes together, or do
    not say to how many."""
    for name in files_below(root):
        if name.endswith(".zst"):
            limit -= _unpacked(root / name)
            if limit < 0:
                raise BadInput(f"{root}: artifacts unpack to more than is allowed", "allow more with --limit")


def _unpacked(path: Path) -> int:
    with path.open("rb") as file:
        start = file.read(32)
    try:
        size = zstandard.frame_content_size(start)
    except zstandard.ZstdError as error:
        raise BadInput(f"{path}: damaged ({error})", "get the bundle anew") from error
    if size < 0:
        raise BadInput(f"{path}: does not say how large it is, as every artifact does", "get the bundle anew")
    return size


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}", "restore the directory from its copy") from error
