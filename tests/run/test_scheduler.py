# SPDX-License-Identifier: GPL-2.0-only
"""Nothing is run twice, nothing is forgotten, failures are bounded."""

import threading
import time
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.journal.repeats import failure_everywhere
from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import RunRecord, WallTime
from kassay.run.scheduler import owed, run_all, stages
from tests.analysis.plans import plan_of

PLAN = plan_of(3, repeats=2, perturb=1, retries=1)


def record(run: str, attempt: int, outcome: str = "ok") -> RunRecord:
    return RunRecord(run=run, attempt=attempt, outcome=outcome, detail="", stream_sha256=None, console_sha256=None,
                     wall=WallTime(), argv=(), started_utc="")  # fmt: skip


def test_ids_are_unique() -> None:
    assert len({run.id for run in PLAN.runs}) == len(PLAN.runs) == 9


@given(st.sets(st.integers(0, 8)), st.integers(1, 3))
def test_any_interruption_is_resumed_without_loss_or_double(done: set[int], jobs: int) -> None:
    before = tuple(record(PLAN.runs[i].id, 1) for i in sorted(done))
    made: list[str] = []
    lock = threading.Lock()

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        with lock:
            made.append(run.id)
        return record(run.id, attempt)

    kept: list[RunRecord] = []
    run_all(PLAN, before, measure, kept.append, lambda: jobs)
    counts = Counter([*made, *(r.run for r in before)])
    assert counts == Counter(run.id for run in PLAN.runs)
    assert {r.run for r in kept} == set(made)


def test_a_failed_run_is_tried_again_a_bounded_number_of_times() -> None:
    bad = PLAN.runs[0].id
    made: Counter[str] = Counter()

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        made[run.id] += 1
        return record(run.id, attempt, "panic" if run.id == bad else "ok")

    records = run_all(PLAN, (), measure, lambda _: None, lambda: 1)
    assert made[bad] == 2
    assert [r.attempt for r in records if r.run == bad] == [1, 2]
    assert owed(PLAN, records) == ()


def test_an_error_ends_the_loop_and_what_was_kept_stays() -> None:
    kept: list[RunRecord] = []

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        if len(kept) == 3:
            raise RuntimeError("disk")
        return record(run.id, attempt)

    with pytest.raises(RuntimeError):
        run_all(PLAN, (), measure, kept.append, lambda: 1)
    assert len(kept) == 3


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_every_run_that_has_ended_is_kept_where_keeping_some_fails(error: type[BaseException]) -> None:
    together, kept, ended = threading.Barrier(len(PLAN.runs), timeout=30), list[str](), list[str]()

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        together.wait()
        return record(run.id, attempt)

    def keep(one: RunRecord) -> None:
        """As in a journal that has each run, and then refuses those of one host."""
        if not kept:
            time.sleep(0.2)  # all have ended
        kept.append(one.run)
        if len(kept) == 2:
            raise error("two hosts disagree")
        if len(kept) > 2:
            raise RuntimeError(f"{one.run} as well")

    with pytest.raises(error, match="two hosts disagree") as caught:
        run_all(PLAN, (), measure, keep, lambda: 99, stop=lambda: ended.append("stop"))
    assert sorted(kept) == sorted(run.id for run in PLAN.runs)
    assert (ended, len(caught.value.__notes__)) == (["stop"], len(kept) - 2)


def test_the_threads_end_where_the_hosts_cannot_be_stopped() -> None:
    before = threading.active_count()

    def stop() -> None:
        raise OSError("connection lost")

    def keep(_: RunRecord) -> None:
        raise RuntimeError("disk")

    with pytest.raises(RuntimeError, match="disk"):
        run_all(PLAN, (), lambda run, attempt: record(run.id, attempt), keep, lambda: 2, stop=stop)
    assert threading.active_count() == before


def test_runs_of_a_sequence_are_made_one_after_another_and_sequences_side_by_side() -> None:
    sequence = {run.id: f"sequence {place % 3}" for place, run in enumerate(PLAN.runs)}
    both, begun, lock = threading.Barrier(3, timeout=30), Counter[str](), threading.Lock()
    order: list[str] = []

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        with lock:
            begun[sequence[run.id]] += 1
            assert begun[sequence[run.id]] == 1
            order.append(run.id)
        both.wait()  # only when one of each sequence is under way
        with lock:
            begun[sequence[run.id]] -= 1
        return record(run.id, attempt)

    records = run_all(PLAN, (), measure, lambda _: None, lambda: 3, sequence=lambda run: sequence[run.id])
    assert len(records) == 9
    for name in set(sequence.values()):
        assert [run for run in order if sequence[run] == name] == [
            run.id for run in PLAN.runs if sequence[run.id] == name
        ]


def test_who_waits_for_runs_is_stopped_when_the_loop_ends_early() -> None:
    stopped = threading.Event()

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        if run is PLAN.runs[0]:
            raise RuntimeError("disk")
        assert stopped.wait(30)
        return record(run.id, attempt)

    with pytest.raises(RuntimeError):
        run_all(PLAN, (), measure, lambda _: None, lambda: 2, stop=stopped.set)


def outcomes(plan: Plan, failing: dict[str, str]) -> tuple[tuple[RunRecord, ...], list[str]]:
    """All records, and the runs made. failing: outcome of each run that fails, by its id."""
    made: list[str] = []

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        made.append(run.id)
        return record(run.id, attempt, failing.get(run.id, "ok"))

    return run_all(plan, (), measure, lambda _: None, lambda: 1), made


@pytest.mark.parametrize("outcome", ["guest-error", "no-modules"])
def test_a_failure_that_must_repeat_ends_its_cell_after_one_attempt(outcome: str) -> None:
    bad = {run.id: outcome for run in PLAN.runs if run.cell == PLAN.runs[0].cell}
    records, made = outcomes(PLAN, bad)
    assert [run for run in made if run in bad] == [PLAN.runs[0].id]
    assert len(made) == 1 + 6
    assert owed(PLAN, records) == ()
    assert failure_everywhere(PLAN, records) is None


def test_a_kernel_that_panics_twice_alike_is_booted_no_more() -> None:
    """Its plain runs come first: the other runs of its cell are not made."""
    bad = {run.id: "panic" for run in PLAN.runs if run.cell == PLAN.runs[0].cell}
    records, made = outcomes(PLAN, bad)
    assert [run for run in made if run in bad] == [run.id for run in PLAN.runs if run.id in bad][:2]
    assert len(made) == 2 + 6 and owed(PLAN, records) == ()
    alone = {next(iter(bad)): "panic"}  # the next run of its cell succeeds
    assert len(outcomes(PLAN, alone)[1]) == 9 + 1
    assert failure_everywhere(PLAN, outcomes(PLAN, {run.id: "panic" for run in PLAN.runs})[0]) is None


def test_panics_that_differ_are_tried_again() -> None:
    bad = [run.id for run in PLAN.runs if run.cell == PLAN.runs[0].cell]
    consoles = iter("abcdef")

    def measure(run: PlannedRun, attempt: int) -> RunRecord:
        one = record(run.id, attempt, "panic" if run.id in bad else "ok")
        return msgspec.structs.replace(one, console_sha256=next(consoles)) if run.id in bad else one

    assert len(run_all(PLAN, (), measure, lambda _: None, lambda: 1)) == 9 + 3


def test_a_failure_of_every_kernel_is_made_once_for_each() -> None:
    records, made = outcomes(PLAN, {run.id: "check-failed" for run in PLAN.runs})
    assert len(made) == 3
    assert failure_everywhere(PLAN, records) == records[0]


def test_a_perturbed_run_that_fails_so_ends_alone() -> None:
    moved = next(run.id for run in PLAN.runs if run.perturbation.number)
    records, made = outcomes(PLAN, {moved: "guest-error"})
    assert (made.count(moved), len(made), owed(PLAN, records)) == (1, 9, ())


def test_where_time_is_measured_a_failed_boot_is_tried_again() -> None:
    plan = plan_of(2, clock="tcg", repeats=2, retries=1)
    bad = plan.runs[0].id
    _, made = outcomes(plan, {bad: "guest-error"})
    assert made.count(bad) == 2


def test_traced_runs_are_made_after_all_others() -> None:
    traced = plan_of(3, repeats=2, perturb=1, predict=("zen4",))
    first, last = stages(traced)
    assert {run.repeat for run in last} == {2} and len(last) == 3
    assert sorted(run.id for run in (*first, *last)) == sorted(run.id for run in traced.runs)
    assert stages(PLAN) == (PLAN.runs,)
