# SPDX-License-Identifier: GPL-2.0-only
"""Hosts are held against each other as their runs come in."""

from pathlib import Path

import pytest
from msgspec import UNSET

from kassay.errors import HostLacks
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory, started
from kassay.model.run import RunRecord, WallTime
from kassay.run.agreement import Agreement
from tests.analysis.plans import plan_of
from tests.history.directories import stream


@pytest.fixture
def folder(tmp_path: Path) -> RunDirectory:
    return started(tmp_path, plan_of(2, repeats=2, perturb=1))


def record(folder: RunDirectory, run: int, host: str, cost: int) -> RunRecord:
    data = stream([cost, cost, cost])
    return RunRecord(
        run=folder.plan.runs[run].id, attempt=1, outcome="ok", detail="",
        stream_sha256=artifacts.put(folder.path, data), console_sha256=None, wall=WallTime(), argv=(), started_utc="",
        host=host or UNSET,
    )  # fmt: skip


def repeats(folder: RunDirectory) -> tuple[int, int, int]:
    """The two plain runs of the first cell, and its moved one, as places in the plan."""
    cell = folder.plan.cells[0].id
    mine = sorted((run.repeat, place) for place, run in enumerate(folder.plan.runs) if run.cell == cell)
    first, second, moved = (place for _, place in mine)
    return first, second, moved


def test_two_hosts_with_other_counts_are_named_and_the_command_ends(folder: RunDirectory) -> None:
    first, second, _ = repeats(folder)
    agreement = Agreement(folder, (record(folder, first, "alpha", 30),))
    with pytest.raises(
        HostLacks,
        match=r"hosts alpha and beta counted the same run differently and are not merged: .* round 1: 300 .* 310",
    ):
        agreement.add(record(folder, second, "beta", 31))


def test_a_journal_in_which_they_disagree_is_not_gone_on_with(folder: RunDirectory) -> None:
    first, second, _ = repeats(folder)
    with pytest.raises(HostLacks, match="alpha and this host"):
        Agreement(folder, (record(folder, first, "alpha", 30), record(folder, second, "", 31)))


def test_perturbed_runs_and_repeats_never_disagree_between_hosts(folder: RunDirectory) -> None:
    first, second, moved = repeats(folder)
    agreement = Agreement(folder, (record(folder, first, "alpha", 30), record(folder, second, "alpha", 31)))
    agreement.add(record(folder, moved, "beta", 35))
    assert agreement.made_by(folder.plan.runs[second]) == ("alpha",)
    assert agreement.made_by(folder.plan.runs[moved]) == ("beta",)
