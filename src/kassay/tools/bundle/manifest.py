# SPDX-License-Identifier: GPL-2.0-only
"""manifest.json: what a bundle holds, with the hash of every file, and the check of a bundle against it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from kassay.effects.files import disk_errors, read_record, sha256_file
from kassay.errors import BadInput
from kassay.model.records import Record
from kassay.tools.bundle.contents import checked_name, files_below

SCHEMA = "kassay-bundle/1"
NAME = "manifest.json"
_SHOWN = 5


class PackedFile(Record, frozen=True, kw_only=True):
    """One file."""

    path: str
    size: int
    """Size in bytes."""
    sha256: str


class Absent(Record, frozen=True, kw_only=True):
    """A form of the report that could not be made, and why."""

    form: str
    why: str


class Manifest(Record, frozen=True, kw_only=True):
    """List of everything in a bundle."""

    name: str
    kind: str
    """Kind of the directory: "run" or "import"."""
    plan: str
    """Content id of the plan or the import."""
    kassay_version: str
    sources: str
    """True if source/ is what the measured programs were made of, in words."""
    files: tuple[PackedFile, ...]
    """Every file but this one, sorted."""
    absent: tuple[Absent, ...] = ()
    schema: str = msgspec.field(default=SCHEMA)


def packed_files(root: Path) -> tuple[PackedFile, ...]:
    """Every file below `root` but the manifest."""
    return tuple(
        PackedFile(path=name, size=(root / name).stat().st_size, sha256=sha256_file(root / name))
        for name in files_below(root)
        if name != NAME
    )


def write_manifest(root: Path, manifest: Manifest) -> None:
    """Writes it indented, so that people can read and quote it."""
    with disk_errors(root):
        (root / NAME).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")


def checked(root: Path, limit: int) -> Manifest:
    """The manifest, if every listed file is there unchanged, and no other file. Raises BadInput with the problems.

    limit: bytes that all files together may have.
    """
    manifest = _read(root)
    listed = {checked_name(file.path, f"{root}/{NAME}"): file for file in manifest.files}
    present = set(files_below(root)) - {NAME}
    if len(listed) != len(manifest.files):
        raise BadInput(f"{root}/{NAME}: names a file twice", "get the bundle anew")
    if sum(file.size for file in manifest.files) > limit:
        raise BadInput(f"{root}: larger than is allowed", "allow more with --limit")
    problems = [f"{name} is missing" for name in sorted(listed.keys() - present)]
    problems += [f"{name} is not in the manifest" for name in sorted(present - listed.keys())]
    both = sorted(present & listed.keys())
    problems += [f"{name} was changed" for name in both if not _same(root / name, listed[name])]
    if problems:
        raise BadInput(f"{root}: damaged: {few(problems)}", "get the bundle anew; nothing in it can be relied on")
    return manifest


def few(words: Sequence[str]) -> str:
    """The first few, and the number of the others."""
    more = f", and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return "; ".join(words[:_SHOWN]) + more


def _same(path: Path, listed: PackedFile) -> bool:
    return path.stat().st_size == listed.size and sha256_file(path) == listed.sha256


def _read(root: Path) -> Manifest:
    try:
        manifest = read_record(root / NAME, Manifest, "damaged, or of a later version of kassay")
    except OSError as error:
        raise BadInput(f"{root}: not a bundle (no {NAME})", "give what `kassay bundle pack` made") from error
    if manifest.schema != SCHEMA:
        problem = f"{root}/{NAME}: is a {manifest.schema}; this kassay reads {SCHEMA}"
        raise BadInput(problem, "use the kassay that made it")
    return manifest
