# SPDX-License-Identifier: GPL-2.0-only
"""The differing source lines of a run directory's kernels, written when it is measured."""

from pathlib import Path

from kassay.effects.files import read_record, write_atomic
from kassay.model.lines import SourceChange, SourceChanges
from kassay.model.records import to_json

FILE = "changes.json"


def keep_changes(directory: Path, changes: tuple[SourceChange, ...]) -> None:
    """Writes the changes into a run directory; no file for none."""
    if changes:
        write_atomic(directory / FILE, to_json(SourceChanges(version=1, changes=changes)))


def read_changes(directory: Path) -> tuple[SourceChange, ...]:
    """Reads what keep_changes() wrote; empty without the file. Raises BadInput when it is damaged."""
    try:
        return read_record(directory / FILE, SourceChanges, "repeat the command: it writes it anew").changes
    except FileNotFoundError:
        return ()
