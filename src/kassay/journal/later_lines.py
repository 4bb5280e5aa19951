# SPDX-License-Identifier: GPL-2.0-only
"""Source lines that were found after a run was made: its record does not name them, so a file beside the journal does.

A record is never changed once written. records() of a run directory adds what this file has.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from kassay.effects.files import read_record, write_atomic
from kassay.model.records import Record, to_json
from kassay.model.run import RunRecord

FILE = "lines.json"


class LinesOfRun(Record, frozen=True, kw_only=True):
    """The lines of one run."""

    run: str
    profile_sha256: str
    """The profile whose instructions have these lines."""
    lines_sha256: str
    """Artifact with a model.lines.LineTable in JSON."""


class LaterLines(Record, frozen=True, kw_only=True):
    """The file."""

    version: int
    runs: tuple[LinesOfRun, ...]


def keep_lines(directory: Path, lines: Iterable[LinesOfRun]) -> None:
    """Adds the lines of these runs to the file."""
    runs = {one.run: one for one in (*read_lines(directory), *lines)}
    write_atomic(directory / FILE, to_json(LaterLines(version=1, runs=tuple(runs.values()))))


def read_lines(directory: Path) -> tuple[LinesOfRun, ...]:
    """Reads what keep_lines() wrote; empty without the file. Raises BadInput when it is damaged."""
    try:
        return read_record(directory / FILE, LaterLines, "remove it; --debug-symbols writes it anew").runs
    except FileNotFoundError:
        return ()


def with_later_lines(directory: Path, records: tuple[RunRecord, ...]) -> tuple[RunRecord, ...]:
    """The records, with the lines that the file has for them."""
    found = {(one.run, one.profile_sha256): one.lines_sha256 for one in read_lines(directory)}
    if not found:
        return records
    return tuple(
        msgspec.structs.replace(record, lines_sha256=lines)
        if not record.lines_sha256 and (lines := found.get((record.run, record.profile_sha256 or "")))
        else record
        for record in records
    )
