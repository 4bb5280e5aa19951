# SPDX-License-Identifier: GPL-2.0-only
"""From a plan and its evidence to the whole answer, without a boot."""

from pathlib import Path

import msgspec
import pytest

from kassay.analysis.analyse import analyse
from kassay.model.plan import Plan
from kassay.model.program import ProgramUse
from kassay.model.question import Answered
from kassay.model.reason import reason
from kassay.model.reason_texts import reason_text
from kassay.model.records import Setting
from kassay.model.report import Comparisons, Report
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import Found
from kassay.report.build import _next_steps, build_report
from kassay.report.conditions import memory_state
from kassay.report.formats import format_named
from kassay.report.sections.programs import next_step
from kassay.report.words import short_kernel_names
from kassay.spec.rules import question_of
from tests.analysis.plans import plan_of
from tests.analysis.sides import STATE, evidence, measurement
from tests.analysis.works import CALL, USER, Items, did
from tests.measured.test_measured import WORDS
from tests.report.reports import SAMPLES, attribution

USE = ProgramUse(path="a.c")


def runs(value: int, plain: int = 2, perturbed: int = 2) -> list[Measurement]:
    return [
        measurement([value * 1000] * 5, repeat=r, perturbation=max(0, r - plain + 1)) for r in range(plain + perturbed)
    ]


def answered(plan: Plan, *items: CellEvidence) -> Report:
    cells = [
        msgspec.structs.replace(item, cell=cell, label=plan.kernels[cell.kernel].ref)
        for item, cell in zip(items, plan.cells, strict=True)
    ]
    found = analyse(plan, cells, question_of(plan.experiment))
    return build_report(
        plan, found, cells, (), title="", cmdline="quiet", spec_toml="", directory="a b", plan_id="p",
        gate_fields=("range.vmas",),
    )  # fmt: skip


def test_a_ladder_is_answered_with_its_step_and_a_command_for_it() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=2)
    report = answered(plan, *(evidence(f"k{i}", *runs(v)) for i, v in enumerate((300, 300, 672))))
    assert report.verdict == (
        "Doing it executes 2.24× the instructions per page since 6.2. 6.0 and 6.1 are the same to the digit."
    )
    assert report.next_steps[0].startswith("kassay compare w debian:6.1 debian:6.2 --perturb 6  # ")
    assert report.commands == ("kassay run 'a b/pinned.toml' --out 'a b-again'",)
    assert reason_text(report.state).startswith("the same on all kernels, before and after; before: 8192 kB resident")
    assert (report.runs.planned, report.runs.refused) == (12, 0)


def test_a_step_that_small_changes_add_up_to_has_their_sum_in_its_row() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=2)
    report = answered(plan, *(evidence(f"k{i}", *runs(v)) for i, v in enumerate((1000, 1007, 1014))))
    screen, mail = (" ".join(format_named(name).render(report).split()) for name in ("terminal", "mail"))
    assert "2 + 2 +0.7 % ◄ regression, +1.4 % against debian:6.0" in screen
    assert "2+2 +0.7% <- +1.4% against 6.0 Change: from the kernel above; <- is a step" in mail


def test_a_kernel_behind_a_failed_one_names_the_one_that_it_is_compared_with() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=2)
    values = evidence("a", *runs(1000)), evidence("b", failures=["panic"] * 2), evidence("c", *runs(1001))
    report = answered(plan, *values)
    screen, mail = (" ".join(format_named(name).render(report).split()) for name in ("terminal", "mail"))
    assert "2 + 2 +0.100 % against debian:6.0" in screen
    assert "2+2 +0.100% against 6.0 Change" in mail


def test_a_larger_improvement_does_not_lead_a_ladder_that_has_a_regression() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=2)
    report = answered(plan, *(evidence(f"k{i}", *runs(v)) for i, v in enumerate((900, 300, 360))))
    assert report.verdict.startswith(
        "Doing it executes 20.0 % more instructions per page since 6.2. From 6.0 to 6.1: -66.7 %."
    )
    assert report.next_steps[0].startswith("kassay compare w debian:6.1 debian:6.2 ")


def test_weak_evidence_is_said_in_the_verdict_itself() -> None:
    plan = plan_of(2, repeats=1, perturb=0)
    report = answered(plan, evidence("a", *runs(300, 1, 0)), evidence("b", *runs(672, 1, 0)))
    assert (
        "Evidence: partial (debian:6.0 and debian:6.1: no run has a modified layout, so the noise floor is unknown; "
        "there is only one unmodified run, so no repeat confirms it)."
    ) in report.verdict
    screen = " ".join(format_named("terminal").render(report).split())
    assert "evidence partial: debian:6.0 and debian:6.1: no run has a modified layout, so the noise" in screen
    assert "something is missing or in doubt" not in screen
    assert report.next_steps[0] == "kassay compare w debian:6.0 debian:6.1 --perturb 6  # with a noise floor"


def test_functions_of_the_phase_that_changed_are_offered() -> None:
    same = SAMPLES["compare"]().findings[0]
    same = msgspec.structs.replace(same, verdict="equivalent", change=0.0)
    other = msgspec.structs.replace(same, metric="touch", primary=False, verdict="regression", change=0.04)
    plan = plan_of(2, repeats=2, perturb=2)
    assert _next_steps(plan, Comparisons(findings=(same, other), ladders=()), "d")[0] == (
        "kassay profile d --metric touch --top 0  # every function"
    )
    assert _next_steps(plan, Comparisons(findings=(same,), ladders=()), "d")[0].startswith("kassay profile d --top 0")


def test_functions_of_a_phase_are_offered_between_the_kernels_where_it_changed() -> None:
    """Without --base and --head the command compares the first kernel with the last one."""
    same = msgspec.structs.replace(SAMPLES["compare"]().findings[0], verdict="equivalent", change=0.0)
    named = zip(same.sides, ("debian:6.1", "debian:6.2"), strict=True)
    later = msgspec.structs.replace(
        same, sides=tuple(msgspec.structs.replace(side, kernel=name) for side, name in named)
    )
    other = msgspec.structs.replace(later, metric="touch", primary=False, verdict="regression", change=0.04)
    plan = plan_of(3, question="ladder", repeats=2, perturb=2)
    assert _next_steps(plan, Comparisons(findings=(same, later, other), ladders=()), "d")[0] == (
        "kassay profile d --base debian:6.1 --head debian:6.2 --metric touch --top 0  # every function"
    )
    slower = msgspec.structs.replace(same, verdict="regression", change=0.5)
    assert _next_steps(plan, Comparisons(findings=(slower, later, other), ladders=()), "d")[0] == (
        "kassay profile d --top 0  # every function"
    )


def test_weak_evidence_on_a_gap_is_mended_by_a_gap() -> None:
    plan = plan_of(3, question="gap", repeats=1, perturb=0)
    report = answered(plan, *(evidence(f"k{i}", *runs(v, 1, 0)) for i, v in enumerate((300, 672, 500))))
    assert report.next_steps[0].startswith("kassay gap w debian:6.0 debian:6.1 debian:6.2 --perturb 6  # ")


def test_repeats_that_disagree_are_said_before_anything_weaker() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=0)
    broken = evidence("b", measurement([672_000] * 5), measurement([672_001] * 5, repeat=1))
    report = answered(plan, evidence("a", *runs(300, 2, 0)), broken, evidence("c", *runs(300, 2, 0)))
    assert "Evidence: unstable (two identical runs disagree, which is a defect of kassay" in report.verdict


def test_the_state_of_one_setting_among_several_names_it() -> None:
    small, large = evidence("a", *runs(300)), evidence("a", measurement([100] * 5, before=(("range.Rss", "65536 kB"),)))
    items = [
        msgspec.structs.replace(
            item, cell=msgspec.structs.replace(item.cell, settings=(Setting(name="size", value=size),))
        )
        for item, size in ((small, "8MiB"), (large, "64MiB"))
    ]
    texts = [reason_text(memory_state((), cells)) for cells in (items, items[:1])]
    assert texts[0].startswith(
        "the same on all kernels, before and after; before (w size=8MiB; other settings differ):"
    )
    assert texts[1].startswith("the same on all kernels, before and after; before: 8192 kB resident")


def test_a_kernel_that_does_not_boot_leaves_the_others_their_state_and_steps() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=2)
    broken = evidence("c", failures=["panic"] * 2)
    report = answered(plan, evidence("a", *runs(300)), evidence("b", *runs(672)), broken)
    assert reason_text(report.state).startswith(
        "the same on all kernels with runs (none of debian:6.2 succeeded), before and after; before: 8192 kB resident"
    )
    assert report.next_steps[0] == "kassay try w debian:6.2  # how its runs end"
    assert report.next_steps[1].startswith("kassay compare w debian:6.0 debian:6.1 --perturb 6  # the step alone")
    alone = answered(plan_of(2), evidence("a", *runs(300)), broken)
    told = evidence("c", failures=["guest-error"] * 2)
    assert answered(plan_of(2), evidence("a", *runs(300)), told).next_steps == ()
    assert reason_text(alone.state) == "not proved to be the same (incomplete)"
    assert alone.next_steps == ("kassay try w debian:6.1  # how its runs end",)


def test_a_kernel_that_fails_on_one_machine_only_is_not_told_to_have_no_runs() -> None:
    plan = plan_of(2, cpus=(1, 2), repeats=2, perturb=2)
    fails = [cell.kernel == 1 and cell.machine.cpus == 2 for cell in plan.cells]
    report = answered(plan, *(evidence("k", failures=["panic"] * 2) if f else evidence("k", *runs(300)) for f in fails))
    assert reason_text(report.state).startswith("the same on all kernels, before and after; ")


def test_an_unequal_state_is_refused_in_words_and_its_runs_are_counted_as_refused() -> None:
    plan = plan_of(2, repeats=1, perturb=0)
    huge = (("range.AnonHugePages", "16384"), *STATE[1:])
    report = answered(plan, evidence("a", measurement([100] * 5)), evidence("b", measurement([100] * 5, before=huge)))
    assert report.verdict.startswith(
        "No verdict on doing it (state-mismatch): range.AnonHugePages before the region: 0 kB"
    )
    assert (report.state.code, report.state["base_value"], report.state["base"]) == (
        "memory-differs",
        "0 kB",
        "debian:6.0",
    )
    assert report.runs.refused == 2
    assert report.next_steps == ("kassay report 'a b' --format markdown  # the whole audit, side by side",)


def test_runs_with_a_verdict_on_one_side_are_not_counted_as_refused() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=0)
    report = answered(
        plan, evidence("a", *runs(300, 2, 0)), evidence("b", *runs(672, 2, 0)), evidence("c", failures=("panic",))
    )
    assert [finding.verdict for finding in report.findings][:2] == ["regression", "incomplete"]
    assert report.runs.refused == 0


def test_runs_that_were_not_made_yet_weaken_the_evidence() -> None:
    plan = plan_of(2, repeats=2, perturb=2)
    unfinished = msgspec.structs.replace(evidence("b", *runs(300)), unmade=1)
    report = answered(plan, evidence("a", *runs(300)), unfinished)
    assert report.findings[0].evidence == "partial"
    assert reason("runs-unmade", "debian:6.1", count=1) in report.findings[0].reasons
    assert report.runs.unmade == 8  # no record at all stands in this journal


def test_calls_that_found_other_memory_are_named_once_with_the_way_out() -> None:
    items: Items = {(CALL, "mprotect"): (40, 1_600_000), (USER, ""): (20_000, 0)}
    sides = [
        evidence(ref, *[did({**items, (CALL, "mprotect"): (40, cost)}, repeat=n, perturbation=n // 2, found=[found])
                        for n in range(3)])
        for ref, cost, found in (
            ("a", 1_600_000, Found(name="mprotect", calls=40, looked=40, bytes=40 << 22)),
            ("b", 400_000, Found(name="mprotect", calls=40, looked=40)),
        )
    ]  # fmt: skip
    report = answered(plan_of(2, repeats=2, perturb=1), *sides)
    assert "no verdict between 6.0 and 6.1" in report.verdict
    assert report.verdict.count("mprotect() found 4096 kB of memory on") == 1, report.verdict
    assert report.next_steps[0].startswith("let the program do the same on both kernels")


@pytest.mark.parametrize(
    ("program", "sched", "advice"),
    [
        (USE, "", "if its tasks take turns, repeat with --sched fifo"),
        (USE, "fifo", "or divide with --work NAME"),
        (msgspec.structs.replace(USE, start="work"), "fifo", "name another region with --from and --to"),
        (msgspec.structs.replace(USE, application=WORDS), "", "repeat with --sched fifo"),
        (msgspec.structs.replace(USE, application=WORDS), "fifo", "choose other settings"),
    ],
)
def test_other_work_leads_on_to_what_this_program_can_do(program: ProgramUse, sched: str, advice: str) -> None:
    text = next_step(program, sched, "madvise()", "")
    assert next_step(program, sched, "read() bytes of its children and threads", "") != text or program.application
    assert advice in text
    assert ("--sched" in text) == (not sched)


def test_tasks_that_wait_for_each_other_are_first_given_a_fixed_order() -> None:
    program = ProgramUse(path="p.c")
    assert next_step(program, "", "futex()", "").startswith("repeat with --sched fifo")
    assert "--sched" not in next_step(program, "fifo", "futex()", "")


def test_a_program_beside_which_others_ran_is_to_stay_awake() -> None:
    plan = plan_of(2, repeats=1, perturb=0)
    busy = [evidence(ref, measurement([100] * 5, quiescence="busy kworker")) for ref in ("a", "b")]
    assert len(answered(plan, *busy).next_steps) == 1
    (workload,) = plan.experiment.workloads
    asked = msgspec.structs.replace(workload, program=USE)
    experiment = msgspec.structs.replace(plan.experiment, workloads=(asked,))
    report = answered(msgspec.structs.replace(plan, experiment=experiment), *busy)
    assert "(contaminated)" in report.verdict
    assert "in which it does not" in report.next_steps[0]


def test_the_points_of_a_matrix_are_told_apart() -> None:
    plan = plan_of(2, repeats=1, perturb=0, cpus=(1, 2))
    sides = [evidence(ref, *runs(300, 1, 0)) for ref in ("a", "b", "a", "b")]
    report = answered(plan, *sides)
    assert "Doing it (1 CPU, 1GiB) costs the same" in report.verdict
    assert "Doing it (2 CPUs, 1GiB) costs the same" in report.verdict


def test_an_itemised_step_is_followed_by_the_command_that_shows_all_of_it() -> None:
    plan = plan_of(3, question="ladder", repeats=2, perturb=2)
    items = [evidence(f"k{i}", *runs(v)) for i, v in enumerate((300, 300, 672))]
    cells = [
        msgspec.structs.replace(item, cell=cell, label=plan.kernels[cell.kernel].ref)
        for item, cell in zip(items, plan.cells, strict=True)
    ]
    found = analyse(plan, cells, question_of(plan.experiment))
    known = tuple(msgspec.structs.replace(f, attribution=attribution()) for f in found.findings)
    report = build_report(
        plan, found._replace(findings=known, stacks=SAMPLES["compare"]().stacks), cells, (), title="", cmdline="",
        spec_toml="", directory="a b", plan_id="p", gate_fields=(),
    )  # fmt: skip
    assert report.next_steps[0] == (
        "kassay profile 'a b' --base debian:6.1 --head debian:6.2 --top 0  # every function"
    )  # fmt: skip
    assert report.next_steps[1].startswith("kassay compare w debian:6.1 debian:6.2")
    assert report.stacks == SAMPLES["compare"]().stacks


def test_one_kernel_alone_has_a_title_and_an_answer() -> None:
    plan = plan_of(1, question="value")
    value = question_of(plan.experiment)
    assert value.title("w", short_kernel_names(plan.experiment)) == "What does w cost on 6.0?"
    nothing = build_report(
        plan, Comparisons((), ()), (), (), title="", cmdline="", spec_toml="", directory="d", plan_id="p",
        gate_fields=(),
    )  # fmt: skip
    item = msgspec.structs.replace(evidence("k0", *runs(300)), cell=plan.cells[0])
    known = Answered(report=nothing, plan=plan, evidence=(item,), directory=Path("d"))
    assert value.complete is not None
    assert value.complete(known).verdict == "30 000 instructions/page (iteration) on 6.0. It is compared with nothing."
