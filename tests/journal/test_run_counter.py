# SPDX-License-Identifier: GPL-2.0-only
"""A journal is counted per cell and host, with the time left at the pace so far."""

from collections.abc import Sequence

import msgspec
import pytest

from kassay.journal.run_counter import RunCounter
from kassay.model.plan import Plan
from kassay.model.run import RunRecord, WallTime
from tests.analysis.plans import plan_of

PLAN = plan_of(2, repeats=3, perturb=0, retries=1)


def record(run: str, start_s: int, outcome: str = "ok", attempt: int = 1, took_s: float = 4.0) -> RunRecord:
    return RunRecord(
        run=run, attempt=attempt, outcome=outcome, detail="", stream_sha256=None, console_sha256=None, argv=(),
        wall=WallTime(boot_s=took_s - 1, workload_s=1.0),
        started_utc=f"2026-11-21T17:{start_s // 60:02d}:{start_s % 60:02d}Z",
    )  # fmt: skip


def counter_of(records: Sequence[RunRecord], plan: Plan = PLAN) -> RunCounter:
    return RunCounter(plan, ("6.0", "6.1"), ("w",), records)


def runs(kernel: int) -> list[str]:
    return [run.id for run in PLAN.runs if run.cell == PLAN.cells[kernel].id]


def test_each_cell_has_its_runs_by_how_they_ended() -> None:
    first, second = runs(0), runs(1)
    made = [record(first[0], 0), record(first[1], 4), record(second[0], 8, "panic"), record(second[0], 12, "panic", 2),
            record(second[1], 16, "timeout")]  # fmt: skip
    cells = counter_of(made).counts().cells
    assert [(c.planned, c.ok, c.failed, c.lost) for c in cells] == [(3, 2, 0, 0), (3, 0, 3, 1)]


def test_a_run_is_under_way_from_its_beginning_to_its_record() -> None:
    counter = counter_of(())
    counter.begin(PLAN.runs[0])
    assert sum(cell.under_way for cell in counter.counts().cells) == 1
    counter.add(record(PLAN.runs[0].id, 0), begun=True)
    assert sum(cell.under_way for cell in counter.counts().cells) == 0


def test_what_is_left_takes_as_long_as_its_cells_runs_did() -> None:
    first, second = runs(0), runs(1)
    assert counter_of(()).counts().left_s is None
    slow = [record(first[0], 0, took_s=10), record(second[0], 10, took_s=2)]  # one at a time
    assert counter_of(slow).counts().left_s == pytest.approx(2 * 10 + 2 * 2)
    at_once = [record(first[0], 0), record(second[0], 0), record(first[1], 4), record(second[1], 4)]  # two at a time
    assert counter_of(at_once).counts().left_s == pytest.approx(2 * 4 / 2)


def test_a_pause_between_two_sessions_is_no_pace() -> None:
    first = runs(0)
    made = [record(first[0], 0), record(first[1], 3000)]
    assert counter_of(made).counts().left_s == pytest.approx(4 * 4)


def test_a_run_that_is_given_up_is_not_left() -> None:
    first, second = runs(0), runs(1)
    made = [record(run, 4 * i) for i, run in enumerate([*first, *second[:2]])]
    lost = [record(second[2], 40, "panic"), record(second[2], 44, "panic", 2)]
    assert counter_of([*made, *lost]).counts().left_s == 0


def test_counts_are_a_record_that_others_can_read() -> None:
    counts = counter_of([record(PLAN.runs[0].id, 0)]).counts()
    assert msgspec.json.decode(msgspec.json.encode(counts), type=type(counts)) == counts
    assert [(host.host, host.ok, host.seconds) for host in counts.hosts] == [("", 1, 4.0)]
