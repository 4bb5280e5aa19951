# SPDX-License-Identifier: GPL-2.0-only
"""The journal: one line per attempt, appended and synced, never changed.

Version history of the format ("kassay-journal/N" in the first line):
1   first line {"schema", "plan"}; then RunRecords. Each line: crc32 of the JSON as 8 hex
    digits, a space, the JSON, a newline.
"""

import zlib
from pathlib import Path

import msgspec

from kassay.effects.files import append_durable, disk_errors
from kassay.errors import BadInput
from kassay.model.records import Record, from_json, to_json
from kassay.model.run import RunRecord

SCHEMA = "kassay-journal/1"


class Header(Record, frozen=True, kw_only=True):
    """First line of a journal; plan is the plan's content id."""

    plan: str
    schema: str


class Torn(Record, frozen=True, kw_only=True):
    """What was cut off the end of a journal: a write that a kill or a full disk had interrupted."""

    line: int
    size: int


def open_journal(path: Path, plan_id: str) -> tuple[tuple[RunRecord, ...], Torn | None]:
    """Reads the journal, or starts it. A torn last line is cut off and told about.

    Raises BadInput when a line before the last is damaged, or the journal belongs to another plan.
    """
    if not path.exists() or path.stat().st_size == 0:
        append_durable(path, _line(to_json(Header(plan=plan_id, schema=SCHEMA))))
        return (), None
    header, records, torn, sound = _read(path)
    if header is None:  # only the first line was torn: nothing had been measured
        _cut(path, 0)
        return open_journal(path, plan_id)[0], torn
    if header.plan != plan_id:
        raise BadInput(f"{path}: belongs to another plan ({header.plan[:12]})", "choose another directory with --out")
    if torn is not None:
        _cut(path, sound)
    return records, torn


def read_journal(path: Path, plan_id: str | None = None) -> tuple[RunRecord, ...]:
    """All records of a journal, without changing it; a torn last line is left out.

    Raises BadInput when there is none, or when `plan_id` is given and is not that of its plan.
    """
    try:
        header, records, _, _ = _read(path)
    except FileNotFoundError as error:
        raise BadInput(f"{path}: there is no journal", "give the directory of a finished or started run") from error
    if header is not None and plan_id not in (None, header.plan):
        raise BadInput(f"{path}: plan.json is not the plan that was measured", "restore plan.json from its copy")
    return records


def append(path: Path, record: RunRecord) -> None:
    """Adds one record; on return it is on the disk. What stands in the journal is never touched.

    A write that the disk cuts short is taken back, so that the journal stays whole.
    """
    size = path.stat().st_size
    try:
        append_durable(path, _line(to_json(record)))
    except BaseException:
        _cut(path, size)
        raise


def _line(data: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(data), data)


def _read(path: Path) -> tuple[Header | None, tuple[RunRecord, ...], Torn | None, int]:
    """Header, records, what is torn, and the length in bytes of the sound part."""
    data = path.read_bytes()
    header: Header | None = None
    records: list[RunRecord] = []
    sound = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        payload = _payload(line)
        if payload is None:
            raise BadInput(
                f"{path}: line {number} is damaged", "restore the journal from its copy; nothing was changed"
            )
        try:
            if header is None:
                header = from_json(payload, Header)
            else:
                records.append(from_json(payload, RunRecord))
        except msgspec.ValidationError as error:
            raise BadInput(f"{path}: line {number}: {error}", "it was written by another version of kassay") from error
        sound += len(line) + 1
    torn = Torn(line=len(lines), size=len(lines[-1])) if lines[-1] else None
    return header, tuple(records), torn, sound


def _payload(line: bytes) -> bytes | None:
    crc, space, payload = line.partition(b" ")
    if not space or len(crc) != 8 or crc != b"%08x" % zlib.crc32(payload):
        return None
    return payload


def _cut(path: Path, size: int) -> None:
    with disk_errors(path), path.open("r+b") as file:
        file.truncate(size)
