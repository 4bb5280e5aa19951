# SPDX-License-Identifier: GPL-2.0-only
"""The journal of a run directory: one checksummed line per attempt (lines.py).

Version history of the format ("kassay-journal/N" in the first line):
1   first line {"schema", "plan"}; then RunRecords.
"""

from pathlib import Path

from kassay.errors import BadInput
from kassay.journal.lines import Lines, Torn, append_line, cut, read_lines
from kassay.model.records import Record
from kassay.model.run import RunRecord

SCHEMA = "kassay-journal/1"


class Header(Record, frozen=True, kw_only=True):
    """First line of a journal; plan is the plan's content id."""

    plan: str
    schema: str


def open_journal(path: Path, plan_id: str) -> tuple[tuple[RunRecord, ...], Torn | None]:
    """Reads the journal, or starts it. A torn last line is cut off and told about.

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
