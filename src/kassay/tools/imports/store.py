# SPDX-License-Identifier: GPL-2.0-only
"""An import's directory: samples.json, and source/ with every file as it was."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from kassay.effects.files import read_errors, read_record, write_atomic
from kassay.errors import BadInput
from kassay.model.records import to_json
from kassay.model.samples import SCHEMA, Samples

_NAME = "samples.json"
_SOURCE = "source"


def is_import(directory: Path) -> bool:
    """True if `kassay import` made this directory."""
    return (directory / _NAME).is_file()


def load(directory: Path) -> Samples:
    """The values imported into a directory. Raises BadInput if there are none, or if they are damaged."""
    path = directory / _NAME
    with read_errors(path, "give a directory that `kassay import` made"):
        samples = read_record(path, Samples, "it is damaged, or of another version of kassay; import again")
    if samples.schema != SCHEMA:
        raise BadInput(f"{path}: schema {samples.schema!r}, expected {SCHEMA!r}", "import again with this version")
    return samples


def save(directory: Path, samples: Samples, sources: Mapping[str, bytes]) -> None:
    """Writes an import. Raises BadInput when the directory holds anything else; the same import again is fine.

    samples.json comes last: a directory that has it is complete.
    """
    data = to_json(samples)
    if is_import(directory) and replace(load(directory), command=samples.command) != samples:
        raise BadInput(f"{directory}: holds another import", "choose another directory with --out; nothing was changed")
    if not is_import(directory) and directory.exists() and not _ours(directory, sources):
        raise BadInput(f"{directory}: exists, and is no import", "choose another directory with --out")
    for name, content in sources.items():
        write_atomic(directory / _SOURCE / name, content)
    if not is_import(directory):
        write_atomic(directory / _NAME, data)


def _ours(directory: Path, sources: Mapping[str, bytes]) -> bool:
    """Empty, or begun by the same import and interrupted."""
    if not directory.is_dir():
        return False
    allowed = {directory / _SOURCE / name for name in sources}
    return all(path.is_dir() or path in allowed or path.name.startswith(".") for path in directory.rglob("*"))
