# SPDX-License-Identifier: GPL-2.0-only
"""The differing source lines of a run directory's kernels, written when it is measured."""

from pathlib import Path

import msgspec

from kassay.effects.files import write_atomic
from kassay.errors import BadInput
from kassay.model.lines import SourceChange, SourceChanges
from kassay.model.records import from_json, to_json

FILE = "changes.json"


def keep_changes(directory: Path, changes: tuple[SourceChange, ...]) -> None:
    """Writes the changes into a run directory; no file for none."""
    if changes:
        write_atomic(directory / FILE, to_json(SourceChanges(version=1, changes=changes)))


def read_changes(directory: Path) -> tuple[SourceChange, ...]:
    """Reads what keep_changes() wrote; empty without the file. Raises BadInput when it is damaged."""
    try:
        return from_json((directory / FILE).read_bytes(), SourceChanges).changes
    except FileNotFoundError:
        return ()
    except msgspec.MsgspecError as error:
        raise BadInput(f"{directory / FILE}: {error}", "repeat the command: it writes it anew") from error
