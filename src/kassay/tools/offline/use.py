# SPDX-License-Identifier: GPL-2.0-only
"""Take a kit into the cache: every file is checked first, and none is taken if one is wrong."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from kassay.effects.files import cache_directory, check_writable, disk_errors, sha256_file
from kassay.errors import BadInput
from kassay.model.progress import Progress, Tell
from kassay.tools.offline.kit import CACHE, EXPERIMENT, PARTS, SUMS

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_COPY_AGAIN = "copy the directory again from where it was made"


def use(kit: Path, tell: Tell) -> int:
    """Copies the kit's files into the cache, and returns how many were not there. Raises BadInput for a directory that
    is no kit, and for a file that is missing or damaged."""
    sums = dict(_sums(kit))
    files = {name: kit / name for name in sums if name.startswith(f"{CACHE}/")}
    new = {name: path for name, path in files.items() if not (cache_directory().parent / name).exists()}
    check_writable(cache_directory(), sum(path.stat().st_size for path in new.values() if path.is_file()))
    for number, (name, sha256) in enumerate(sums.items(), start=1):
        tell(Progress(stage="kit", subject="checking", text=name, done=number / len(sums)))
        _check(kit / name, sha256)
    for number, (name, path) in enumerate(new.items(), start=1):
        tell(Progress(stage="kit", subject="copying", text=name, done=number / len(new)))
        _copy(path, cache_directory() / PurePosixPath(name).relative_to(CACHE))
    return len(new)


def _sums(kit: Path) -> Iterator[tuple[str, str]]:
    """Name and sha256 of each file. Raises BadInput for a list that names files outside of the kit."""
    try:
        lines = (kit / SUMS).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        what = f"{kit}: {'no such directory' if not kit.is_dir() else f'no kit, it has no {SUMS}'}"
        raise BadInput(what, "name a directory that `kassay kernels fetch --for` made") from error
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        path = PurePosixPath(match[2]) if match else PurePosixPath("/")
        inside = not path.is_absolute() and ".." not in path.parts
        if match is None or not inside or (path.parts[0] == CACHE and path.parts[1:2] not in [(p,) for p in PARTS]):
            raise BadInput(f"{kit / SUMS}:{number}: not a file of a kit: {line!r}", _COPY_AGAIN)
        yield match[2], match[1]
    if not any(line.endswith(f"  {EXPERIMENT}") for line in lines):
        raise BadInput(f"{kit / SUMS}: the kit is not complete", _COPY_AGAIN)


def _check(path: Path, sha256: str) -> None:
    try:
        found = sha256_file(path)
    except FileNotFoundError as error:
        raise BadInput(f"{path}: missing", _COPY_AGAIN) from error
    if found != sha256:
        raise BadInput(f"{path}: damaged: its sha256 is {found[:16]}…, not {sha256[:16]}…", _COPY_AGAIN)


def _copy(path: Path, final: Path) -> None:
    """The file with its time and mode, whole or not at all."""
    partial = final.with_name(f".{final.name}.kit")
    with disk_errors(final):
        final.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copy2(path, partial)
            partial.replace(final)
        finally:
            partial.unlink(missing_ok=True)
