# SPDX-License-Identifier: GPL-2.0-only
"""A timed block belongs to one host: what another one made of it does not count."""

from msgspec import UNSET, structs

from kassay.analysis.planned_looks import between_looks, within
from kassay.journal.host_blocks import LOST, counted_records, hosts_of_sequences, sequence_of
from kassay.model.plan import Plan
from kassay.model.run import RunRecord, WallTime
from kassay.run.scheduler import owed
from tests.analysis.plans import plan_of

PLAN = plan_of(2, repeats=12, perturb=0, retries=1, clock="kvm", control=False)
FIRST = [run.id for run in PLAN.runs if run.block == 0]
SECOND = [run.id for run in PLAN.runs if run.block == 1]


def record(run: str, host: str, outcome: str = "ok", attempt: int = 1) -> RunRecord:
    return RunRecord(run=run, attempt=attempt, outcome=outcome, detail="", stream_sha256=None, console_sha256=None,
                     wall=WallTime(), argv=(), started_utc="", host=host or UNSET)  # fmt: skip


def owed_ids(plan: Plan, records: tuple[RunRecord, ...]) -> list[str]:
    return [run.id for run, _ in owed(plan, records)]


def test_a_block_is_a_sequence_and_exact_counts_have_none() -> None:
    sequence = sequence_of(PLAN)
    assert len(FIRST) == 4 and len({sequence(run) for run in PLAN.runs}) == 6
    sequential = structs.replace(PLAN, experiment=structs.replace(PLAN.experiment, order="sequential"))
    assert len({sequence_of(sequential)(run) for run in PLAN.runs}) == 1
    exact = plan_of(2, repeats=2, perturb=1)
    assert {sequence_of(exact)(run) for run in exact.runs} == {""}


def test_a_block_whose_host_is_lost_is_made_again_as_a_whole_elsewhere() -> None:
    before = (record(FIRST[0], "alpha"), record(FIRST[1], "alpha"), record(SECOND[0], "alpha"))
    lost = (*before, record(FIRST[2], "alpha", LOST))
    assert owed_ids(PLAN, lost)[:2] == FIRST[2:]  # it may still come back
    moved = (*lost, record(FIRST[2], "beta"))
    assert owed_ids(PLAN, moved)[:3] == [FIRST[0], FIRST[1], FIRST[3]]
    assert {one.host for one in counted_records(PLAN, moved) if one.run in FIRST} == {"beta"}
    assert SECOND[0] not in owed_ids(PLAN, moved)
    assert set(hosts_of_sequences(PLAN, moved).values()) == {"alpha", "beta"}


def test_failures_on_a_host_that_a_block_has_left_are_no_attempts() -> None:
    left = (record(FIRST[0], "alpha", "panic"), record(FIRST[0], "alpha", "panic", 2), record(FIRST[1], "beta"))
    assert owed(PLAN, left)[0] == (next(run for run in PLAN.runs if run.id == FIRST[0]), 1)


def test_a_run_that_loses_its_host_again_and_again_is_given_up() -> None:
    lost = tuple(record(FIRST[0], "alpha", LOST) for _ in range(6))
    assert FIRST[0] not in owed_ids(PLAN, lost) and FIRST[0] in owed_ids(PLAN, lost[:5])


def test_runs_of_this_host_and_of_exact_counts_all_stand() -> None:
    here = tuple(record(run, "") for run in FIRST)
    assert counted_records(PLAN, here) == here
    exact = plan_of(2, repeats=2, perturb=0)
    mixed = tuple(record(run.id, host) for run, host in zip(exact.runs, "abab", strict=True))
    assert counted_records(exact, mixed) == mixed


def test_between_two_looks_stand_all_blocks_that_the_second_needs() -> None:
    stages = between_looks(PLAN)
    assert sorted(run.id for stage in stages for run in stage) == sorted(run.id for run in PLAN.runs)
    assert [len({run.block for run in stage}) for stage in stages] == [3, 3]
    assert all(within(run, 6) for run in stages[0])
