# SPDX-License-Identifier: GPL-2.0-only
"""A program that fails on every kernel: the error has its last words, and nothing is tried again."""

from pathlib import Path

import pytest

from kassay.commands import _answer
from kassay.errors import BadInput
from kassay.journal.directory import RunDirectory, started
from kassay.journal.journal import append, open_journal
from kassay.model.run import RunRecord, WallTime
from tests.history.directories import plan_with

WORDS = "program: ended with status 2, not 0; it last printed: no such thing"


def failed(directory: Path, *details: str) -> RunDirectory:
    """A directory in which the first run of each kernel has failed."""
    plan = plan_with(["6.12.1", "6.17.2"])
    folder = started(directory, plan)
    open_journal(folder.journal, folder.plan_id)
    firsts = {run.cell: run.id for run in reversed(plan.runs) if not run.perturbation.number}
    for run, detail in zip(firsts.values(), details, strict=False):
        append(folder.journal, RunRecord(
            run=run, attempt=1, outcome="guest-error", detail=detail, stream_sha256=None, console_sha256=None,
            wall=WallTime(), argv=(), started_utc="",
        ))  # fmt: skip
    return folder


@pytest.mark.parametrize(("status", "advised"), [(2, True), (127, False), (134, False)])
def test_the_error_has_the_last_words_of_the_program(tmp_path: Path, status: int, advised: bool) -> None:
    """A status from 126 on is that of a program which was not executed, or was killed: no success of its own."""
    words = WORDS.replace("status 2", f"status {status}")
    failed(tmp_path / "d", words, words)
    with pytest.raises(BadInput, match="fails on every kernel") as raised:
        _answer._refuse_failure_everywhere(tmp_path / "d")
    assert raised.value.what.endswith(words)
    assert (f"--require status=={status}" in raised.value.remedy) == advised
    assert f"kassay report {tmp_path}/d" in raised.value.remedy


@pytest.mark.parametrize("details", [(WORDS,), (WORDS, "program: killed by signal 6 (Aborted)")])
def test_other_failures_are_answered_as_before(tmp_path: Path, details: tuple[str, ...]) -> None:
    failed(tmp_path / "d", *details)
    _answer._refuse_failure_everywhere(tmp_path / "d")
