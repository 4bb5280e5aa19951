# SPDX-License-Identifier: GPL-2.0-only
"""The gate refuses what may not be compared, with the reason; and every rule can refuse."""

import re

import pytest
from msgspec import structs

from kassay.analysis.analyse import refusals_of
from kassay.analysis.gate import GateRule, Refusal, rules
from kassay.analysis.gate.quiet_region import without_disturbed
from kassay.analysis.kernel_side import build_side
from kassay.analysis.rounds import method_of
from kassay.evidence.collect import _compared_state
from kassay.model.printed_values import Printed
from kassay.model.profile import RegionSummary
from kassay.model.reason_texts import reason_text
from kassay.model.run import Measurement
from kassay.registry import discover
from tests.analysis.sides import STATE, evidence, measurement

GOOD = measurement([100, 100, 100])


def verdict_of(base: Measurement = GOOD) -> tuple[Refusal, ...]:
    return refusals_of(evidence("a", base), evidence("b", GOOD, index=1))


def test_equal_states_are_admitted() -> None:
    assert verdict_of() == ()


def test_huge_pages_on_one_side_only_are_a_state_mismatch_with_both_values() -> None:
    huge = (("range.AnonHugePages", "16384"), *STATE[1:])
    found = verdict_of(measurement([100], before=huge))
    assert found[0].verdict == "state-mismatch"
    assert (found[0].differences[0].field, found[0].differences[0].base, found[0].differences[0].head) == (
        "range.AnonHugePages", "16384 kB", "0 kB",
    )  # fmt: skip


def test_a_difference_only_afterwards_is_refused_too() -> None:
    swapped = (("range.AnonHugePages", "512"), *STATE[1:])
    assert verdict_of(measurement([100], after=swapped))[0].differences[0].moment == "after"


def test_memory_that_a_user_asked_for_may_move_with_the_stack_of_perturbed_runs() -> None:
    def ran(kb: int, perturbation: int = 0) -> Measurement:
        after = (*STATE, ("program.Rss", str(kb)), ("state.Rss", str(kb)), ("state.count", "7"))
        return measurement([100], after=after, repeat=perturbation, perturbation=perturbation)

    same, moved, other = ran(700), ran(704, 1), ran(708)
    assert refusals_of(evidence("a", same, moved), evidence("b", same, moved, index=1)) == ()
    (refusal,) = refusals_of(evidence("a", same, other), evidence("b", same, index=1))
    assert refusal.differences[0].field == "state.Rss"
    counted = structs.replace(moved, after=(*moved.after[:-1], ("state.count", "8")))
    (refusal,) = refusals_of(evidence("a", same, counted), evidence("b", same, index=1))
    assert refusal.differences[0].field == "state.count"


def test_a_field_that_was_asked_for_may_not_be_absent_on_one_kernel() -> None:
    asked = measurement([100], after=(*STATE, ("state.pages", "512")))
    lacking = measurement([100], after=(*STATE, ("state.pages", None)))
    (refusal,) = refusals_of(evidence("6.1", asked), evidence("7.3", lacking, index=1))
    assert (refusal.differences[0].base, refusal.differences[0].head) == ("512", "absent")
    assert not refusals_of(evidence("6.1", lacking), evidence("7.3", lacking, index=1))


def test_what_a_user_asked_to_be_the_same_must_be() -> None:
    asked = measurement([100], after=(*STATE, ("state.pages", "512")))
    other = measurement([100], after=(*STATE, ("state.pages", "511"), ("program.Rss", "8")))
    (refusal,) = refusals_of(evidence("a", asked), evidence("b", other, index=1))
    (found,) = refusal.differences
    assert (refusal.verdict, found.field, found.base, found.head) == ("state-mismatch", "state.pages", "512", "511")


@pytest.mark.parametrize(
    "field", ["range.Dirty", "range.THPeligible", "pageflags.compound_head", "pageflags.compound_tail"]
)
def test_dirty_memory_eligibility_and_folio_order_must_agree_where_both_kernels_report_them(field: str) -> None:
    ours, theirs = (measurement([100], before=(*STATE, (field, value))) for value in ("512", "0"))
    (refused,) = refusals_of(evidence("a", ours), evidence("b", theirs, index=1))
    assert (refused.verdict, refused.differences[0].field) == ("state-mismatch", field)
    assert refused.differences[0].base == ("512 kB" if field == "range.Dirty" else "512")
    for absent in (measurement([100], before=STATE), measurement([100], before=(*STATE, (field, None)))):
        assert refusals_of(evidence("a", ours), evidence("b", absent, index=1)) == ()


def test_an_absent_field_is_not_taken_for_zero() -> None:
    silent = (("range.AnonHugePages", None), *STATE[1:])
    assert verdict_of(measurement([100], before=silent)) == ()  # not comparable: shown, not refused
    assert verdict_of(measurement([100], holds=None))[0].verdict == "semantic-failure"


def test_a_broken_requirement_is_a_semantic_failure() -> None:
    found = verdict_of(measurement([100], holds=False))
    assert found[0].verdict == "semantic-failure"
    assert found[0].reason.code == "state-not-as-needed" and "range.vmas must be == 1" in reason_text(found[0].reason)


def test_other_tasks_in_the_region_contaminate() -> None:
    found = verdict_of(measurement([100], foreign=(("kworker/0:1", 470_000), ("rcu", 10))))
    assert found[0].verdict == "contaminated"
    assert (found[0].reason.code, found[0].reason["task"]) == ("others-took-time", "kworker/0:1")
    assert verdict_of(measurement([100], foreign=(("kworker/0:1", 9_000),))) == ()
    assert verdict_of(measurement([100], foreign=(("rcu_preempt", 470_000),))) == ()  # the workload's own freeing


def region(other: int, interrupt: int = 0, problem: str = "") -> RegionSummary:
    counts = (("user", 100_000), ("kernel", 900_000 - other - interrupt), ("interrupt", interrupt), ("other", other))
    functions = (("mpihelp_submul_1", other // 2), ("mpihelp_addmul_1", other // 3))
    return RegionSummary(mode="counts", counts=counts, others=functions if other else (), problem=problem)


def test_instructions_of_other_tasks_contaminate_and_their_functions_are_named() -> None:
    found = verdict_of(measurement([100], foreign=(("cryptomgr_test", 470_000),), region=region(470_000)))
    assert found[0].verdict == "contaminated"
    why = found[0].reason
    assert (why.code, why["share"], why["tasks"]) == ("others-executed", 0.47, (("cryptomgr_test", 470_000),))
    assert "most in mpihelp_submul_1 (235000), mpihelp_addmul_1" in reason_text(why)
    assert verdict_of(measurement([100], region=region(9_000))) == ()


def test_other_tasks_outside_phases_do_not_contaminate() -> None:
    merging = structs.replace(region(470_000), unreported=465_000)
    assert verdict_of(measurement([100], region=merging)) == ()
    busy = structs.replace(region(470_000), unreported=400_000)
    (refusal,) = verdict_of(measurement([100], region=busy))
    assert (refusal.verdict, refusal.reason["share"]) == ("contaminated", 70_000 / 600_000)


def test_a_perturbed_run_that_others_disturbed_is_left_out_and_reported() -> None:
    busy = (("kworker/0:1", 470_000),)
    clean, dirty = measurement([100], perturbation=1), measurement([900], perturbation=2, foreign=busy)
    (kept,) = without_disturbed([evidence("a", GOOD, clean, dirty)])
    assert kept.measurements == (GOOD, clean)
    side = build_side(kept, "iteration", method_of((kept,), "iteration"))
    assert [doubt.code for doubt in side.doubts] == ["perturbed-left-out"] and len(side.perturbed) == 1


def test_a_comparison_is_refused_if_no_perturbed_run_is_clean_or_a_plain_one_is_not() -> None:
    busy = (("kworker/0:1", 470_000),)
    clean, dirty = measurement([100], perturbation=1), measurement([100], perturbation=2, foreign=busy)
    for runs in ((GOOD, dirty), (GOOD, measurement([100], foreign=busy), clean)):
        (kept,) = without_disturbed([evidence("a", *runs)])
        assert kept.measurements == runs
        assert refusals_of(kept, evidence("b", GOOD, index=1))[0].verdict == "contaminated"


def test_disturbed_boots_of_a_timed_side_are_reported() -> None:
    boots = [measurement([100], foreign=(("kworker/0:1", 470_000),) if i == 0 else ()) for i in range(8)]
    side = evidence("a", *boots)
    machine = structs.replace(side.cell.machine, clock="tcg")
    (doubt,) = (
        found
        for rule in rules()
        if (found := rule.doubt(structs.replace(side, cell=structs.replace(side.cell, machine=machine)))) is not None
        and found.code == "others-in-boots"
    )
    assert (doubt["count"], doubt["boots"]) == (1, 8)


def test_what_threads_do_for_the_workload_is_taken_off_and_no_more() -> None:
    mixed = (("rcu_preempt", 300_000), ("kworker/0:1", 170_000))
    assert verdict_of(measurement([100], foreign=mixed[:1], region=region(300_000))) == ()
    (mixed_in,) = verdict_of(measurement([100], foreign=mixed, region=region(470_000)))
    assert mixed_in.reason["tasks"] == (("kworker/0:1", 170_000),)
    assert verdict_of(measurement([100], foreign=None, region=region(300_000)))[0].verdict == "contaminated"


def test_threads_that_serve_are_taken_off_by_instructions_however_long_the_guest_was_idle() -> None:
    """A region of 1 ms with 50,000 instructions: 20,000 of RCU's thread are 2 % of its time."""
    counts = (("user", 10_000), ("kernel", 18_000), ("interrupt", 0), ("other", 22_000))
    waiting = RegionSummary(mode="counts", counts=counts, others=())
    assert verdict_of(measurement([100], foreign=(("rcu_preempt", 21_800),), region=waiting)) == ()
    (refusal,) = verdict_of(measurement([100], foreign=(("rcu_preempt", 20_000),), region=waiting))
    assert (refusal.reason.code, refusal.reason["share"]) == ("others-executed", 2_000 / 50_000)


@pytest.mark.parametrize(
    ("task", "refused"), [("kworker/0:1-rcu_gp", False), ("kworker/0:1-events", True), ("cc1", True)]
)
def test_kworkers_that_end_grace_periods_serve_and_no_other_task_does(task: str, refused: bool) -> None:
    """They ran for 80,000 ns. The workload's own items took 100,000 of another kworker."""
    counts = (("kernel", 2_000_000), ("other", 80_000), ("work-item", 100_000))
    seen = RegionSummary(mode="counts", counts=counts, others=())
    tasks = ((task, 80_000), ("kworker/u4:0-events", 100_000))
    assert bool(verdict_of(measurement([100], foreign=tasks, region=seen))) == refused


def test_what_a_serving_thread_calls_for_the_workload_is_not_taken_off_twice() -> None:
    """ksoftirqd ran for 300,000 ns, of which the workload's callbacks are 280,000; a foreign kworker did the rest."""
    counts = (
        ("user", 100_000),
        ("kernel", 510_000),
        ("other", 100_000),
        ("work-item", 10_000),
        ("rcu-callback", 280_000),
    )
    callbacks = RegionSummary(mode="counts", counts=counts, others=())
    tasks = (("ksoftirqd/0", 300_000), ("kworker/0:1-events", 100_000))
    (refusal,) = verdict_of(measurement([100], foreign=tasks, region=callbacks))
    assert refusal.reason["share"] == 0.08


def test_interrupts_are_no_other_tasks() -> None:
    assert verdict_of(measurement([100], region=region(0, interrupt=400_000))) == ()


def test_a_profile_with_a_problem_leaves_the_question_to_the_run_times() -> None:
    unsound = region(470_000, problem="the symbol table does not match")
    assert verdict_of(measurement([100], region=unsound)) == ()
    (refusal,) = verdict_of(measurement([100], foreign=(("kworker/0:1", 470_000),), region=unsound))
    assert refusal.reason["task"] == "kworker/0:1"
    assert refusal.reason["problem"] == "the symbol table does not match"


def test_guest_that_was_never_quiet_is_refused() -> None:
    (busy,) = verdict_of(measurement([100], quiescence="busy cryptomgr"))
    assert (busy.reason.code, busy.reason["quiescence"]) == ("guest-busy", "busy cryptomgr")
    assert verdict_of(measurement([100], quiescence="skipped")) == ()
    assert verdict_of(measurement([100], quiescence="skipped", foreign=(("cryptomgr_test", 470_000),))) != ()


def test_no_run_is_incomplete_and_an_undone_work_is_semantic() -> None:
    lost = evidence("b", index=1, failures=("timeout", "panic"))
    assert refusals_of(evidence("a", GOOD), lost)[0].verdict == "incomplete"
    undone = evidence("b", index=1, failures=("check-failed", "check-failed"))
    assert refusals_of(evidence("a", GOOD), undone)[0].verdict == "semantic-failure"


def test_runs_of_one_kernel_in_two_states_are_refused() -> None:
    huge = measurement([100], before=(("range.AnonHugePages", "2048"), *STATE[1:]), repeat=1)
    found = refusals_of(evidence("a", GOOD, huge), evidence("b", GOOD, index=1))
    assert found[0].verdict == "state-mismatch"
    assert (found[0].reason.code, found[0].reason.kernel) == ("runs-differ", "a")


def test_every_rule_is_named_like_its_file_and_has_a_place_of_its_own() -> None:
    rules = discover("kassay.analysis.gate", "RULE", GateRule)
    assert [rule.name for rule in rules.values()] == list(rules)
    assert len({rule.order for rule in rules.values()}) == len(rules)


@pytest.mark.parametrize("name", ["Rss", "program.Rss", "thp.enabled"])
def test_every_name_that_state_takes_is_compared(name: str) -> None:
    fields = {"program.Rss": "8", "thp.enabled": "always"}
    assert _compared_state((name,), (), fields) == {f"state.{name}": fields.get(f"program.{name}") or fields[name]}


def test_a_value_that_changes_from_execution_to_execution_is_compared_execution_by_execution() -> None:
    def state_of(*values: str | None) -> dict[str, str | None]:
        return _compared_state(("n",), (Printed(name="n", kind="number", values=values),), {})

    assert state_of("5", "5", "5") == {"state.n": "5"}
    assert state_of("5", "7", "5", "7") != state_of("5", "7", "7", "7")
    assert state_of("5", None, "5") != state_of("5", None, None)
    many = state_of(*"57" * 50)["state.n"]
    assert many is not None and re.fullmatch(r"5 7 5 7 5 7 5 7 and 92 more \(sha256 [0-9a-f]{8}\)", many)
    assert state_of(*"57" * 49, "7", "7") != {"state.n": many}


def test_a_field_that_the_first_run_could_not_read_is_compared_by_the_others() -> None:
    unread = measurement([100], after=(*STATE[1:], (STATE[0][0], None)))
    base = evidence("a", unread, measurement([100], after=STATE, repeat=1))
    other = measurement([100], after=((STATE[0][0], "7"), *STATE[1:]), repeat=1)
    assert not refusals_of(base, evidence("b", measurement([100], after=STATE), index=1))
    (refusal,) = refusals_of(base, evidence("b", unread, other, index=1))
    assert refusal.differences[0].field == STATE[0][0]
    (unsteady,) = refusals_of(evidence("a", unread, other, measurement([100], after=STATE, repeat=2)), base)
    assert unsteady.reason.code == "runs-differ"
