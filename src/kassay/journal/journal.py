# SPDX-License-Identifier: GPL-2.0-only
"""Checksummed lines, appended and synced, never changed; and the journal of a run directory, one line per attempt.

Each line: crc32 of a record's JSON as 8 hex digits, a space, the JSON, a newline. A kill or a full disk can only damage
the end of the file; that end is recognised and can be cut off. The log of a bisection is such a file as well.

Version history of the journal ("kassay-journal/N" in its first line):
1   first line {"schema", "plan"}; then RunRecords.
"""

import zlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from kassay.effects.files import append_durable, disk_errors
from kassay.errors import BadInput
from kassay.model.records import R, Record, from_json, to_json
from kassay.model.run import RunRecord


class Torn(Record, frozen=True, kw_only=True):
    """The end of a file that a kill or a full disk cut short."""

    line: int
    """Number of the line that was cut short, from 1."""
    size: int
    """Size of what is left of the line, in bytes."""


class Lines(NamedTuple):
    """The whole lines of a file."""

    path: Path
    payloads: tuple[bytes, ...]
    """JSON of each line."""
    torn: Torn | None
    sound_bytes: int
    """Length of the file up to the torn end."""

    def record(self, number: int, kind: type[R]) -> R:
        """The record in line `number`, from 1. Raises BadInput when it is not of this kind."""
        try:
            return from_json(self.payloads[number - 1], kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            what = f"{self.path}: line {number}: {error}"
            raise BadInput(what, "it was written by another version of kassay") from error

    def records(self, kind: type[R], *, first: int = 1) -> tuple[R, ...]:
        """The records from line `first` on; see record()."""
        return tuple(self.record(number, kind) for number in range(first, len(self.payloads) + 1))


def read_lines(path: Path) -> Lines:
    """Reads without changing anything. Raises FileNotFoundError, or BadInput for a damaged line before the last, and
    for a directory."""
    try:
        *whole, end = path.read_bytes().split(b"\n")
    except IsADirectoryError as error:
        raise BadInput(f"{path}: {error.strerror}", "restore it from its copy; nothing was changed") from error
    payloads = tuple(_payload(path, number, line) for number, line in enumerate(whole, start=1))
    torn = Torn(line=len(whole) + 1, size=len(end)) if end else None
    return Lines(path, payloads, torn, sum(len(line) + 1 for line in whole))


def append_line(path: Path, record: Record) -> None:
    """Adds one record; when this returns, it is on the disk.

    A write that the disk cuts short is taken back, so that the file stays whole.
    """
    data = to_json(record)
    size = path.stat().st_size if path.exists() else 0
    try:
        append_durable(path, b"%08x %s\n" % (zlib.crc32(data), data))
    except BaseException:
        if path.exists():
            cut(path, size)
        raise


def cut(path: Path, size: int) -> None:
    """Shortens a file to `size` bytes."""
    with disk_errors(path), path.open("r+b") as file:
        file.truncate(size)


def _payload(path: Path, number: int, line: bytes) -> bytes:
    checksum, _, payload = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(payload):
        raise BadInput(f"{path}: line {number} is damaged", "restore it from its copy; nothing was changed")
    return payload


SCHEMA = "kassay-journal/1"


class Header(Record, frozen=True, kw_only=True):
    """First line of a journal; plan is the plan's content id."""

    plan: str
    schema: str


def open_journal(path: Path, plan_id: str) -> tuple[tuple[RunRecord, ...], Torn | None]:
    """Reads the journal, or starts it. A torn last line is cut off, and returned as Torn.

    Raises BadInput when a line before the last is damaged, or the journal belongs to another plan.
    """
    if not path.exists() or path.stat().st_size == 0:
        append_line(path, Header(plan=plan_id, schema=SCHEMA))
        return (), None
    lines = read_lines(path)
    if lines.torn is not None and not lines.payloads:  # only the first line was torn: nothing had been measured
        cut(path, 0)
        return open_journal(path, plan_id)[0], lines.torn
    header, records = _read(lines)
    if header.plan != plan_id:
        raise BadInput(f"{path}: belongs to another plan ({header.plan[:12]})", "choose another directory with --out")
    if lines.torn is not None:
        cut(path, lines.sound_bytes)
    return records, lines.torn


def read_journal(path: Path, plan_id: str | None = None) -> tuple[RunRecord, ...]:
    """All records of a journal, without changing it; a torn last line is left out.

    Raises BadInput when there is none, or when `plan_id` is given and is not that of its plan.
    """
    try:
        lines = read_lines(path)
    except FileNotFoundError as error:
        raise BadInput(f"{path}: there is no journal", "give the directory of a finished or started run") from error
    if not lines.payloads:
        return ()
    header, records = _read(lines)
    if plan_id not in (None, header.plan):
        raise BadInput(f"{path}: plan.json is not the plan that was measured", "restore plan.json from its copy")
    return records


def append(path: Path, record: RunRecord) -> None:
    """Adds one record; when this returns, it is on the disk."""
    append_line(path, record)


def _read(lines: Lines) -> tuple[Header, tuple[RunRecord, ...]]:
    return lines.record(1, Header), lines.records(RunRecord, first=2)
