# SPDX-License-Identifier: GPL-2.0-only
"""Files of a bundle: checks of their names, copies, and a limit on the unpacked size."""

import stat
from collections.abc import Iterable
from pathlib import Path

import zstandard

from kassay.errors import BadInput

_LONGEST_PART, _LONGEST = 100, 200  # bytes; the limits of the oldest tar format


def checked_name(name: str, where: str) -> str:
    """The name itself. Raises BadInput for one that could leave the bundle, is unprintable, or is too long."""
    parts = name.split("/")
    plain = all(part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) <= _LONGEST_PART for part in parts)
    if not plain or not name.isprintable() or "\\" in name or len(name.encode("utf-8", "replace")) > _LONGEST:
        raise BadInput(f"{where}: {name[:80]!r} is not a name for a file in a bundle", "get the bundle anew")
    return name


def files_below(root: Path) -> tuple[str, ...]:
    """Every file below `root`, relative and sorted. Raises BadInput for a link, a device, or a bad name."""
    names = []
    try:
        for path in root.rglob("*"):
            kind = path.lstat().st_mode
            name = path.relative_to(root).as_posix()
            if stat.S_ISREG(kind):
                names.append(checked_name(name, str(root)))
            elif not stat.S_ISDIR(kind):
                raise BadInput(f"{root}: {name!r} is a link or a device, no file", "get the bundle anew")
    except OSError as error:
        raise BadInput(f"{root}: {error.strerror or error}", "give a bundle: a directory, or a .tar.zst") from error
    return tuple(sorted(names))


def copy_files(directory: Path, into: Path, names: Iterable[str]) -> None:
    """Copies the files `names` below `directory`, as they are. Raises BadInput when one is missing."""
    for name in names:
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_bytes(directory / name))


def copy_journal(directory: Path, into: Path) -> None:
    """Copies the journal up to its last whole line: a running kassay may be writing the next line."""
    data = _bytes(directory / "journal.jsonl")
    (into / "journal.jsonl").write_bytes(data[: data.rfind(b"\n") + 1])


def artifact_path(name: str) -> str:
    """Path of a journal's artifact in its run directory."""
    return f"artifacts/{name[:2]}/{name[2:]}.zst"


def checked_artifacts(root: Path, limit: int) -> None:
    """Raises BadInput when the compressed files below `root` would unpack to more than `limit` bytes together, or when
    one does not declare its unpacked size."""
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
