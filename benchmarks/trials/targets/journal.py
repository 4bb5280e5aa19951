# SPDX-License-Identifier: GPL-2.0-only
"""The journal of a run directory."""

from collections.abc import Iterator
from pathlib import Path

from tests.journal.test_journal import record

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import mended_lines, scratch, written
from kassay.journal.journal import append, open_journal, read_journal


def _seeds(made: Path | None) -> Iterator[bytes]:
    path = scratch() / "seed.jsonl"
    path.unlink(missing_ok=True)
    open_journal(path, "0" * 64)
    for run in ("a-0", "b-1"):
        append(path, record(run))
    yield path.read_bytes()
    if made is not None:
        yield (made / "journal.jsonl").read_bytes()


def _run(data: bytes) -> None:
    read_journal(written("journal.jsonl", mended_lines(data)))


TARGET = Target("journals of runs", _seeds, _run)
