# SPDX-License-Identifier: GPL-2.0-only
"""A sentence names the phase that it is about, and a change of another phase stands in the answer."""

from msgspec.structs import replace

from kassay.model.finding import Ladder, LadderStep
from kassay.model.workload import Phase, Workload
from kassay.report.formats import format_named
from kassay.report.sentences import other_phases, other_steps, subject
from tests.report.parts import KERNELS, ladder_of
from tests.report.reports import attribution, compare, finding, ladder


def workload(*phases: str) -> Workload:
    made = tuple(Phase(name=name, operation="page", definition="x", primary=name == phases[0]) for name in phases)
    return Workload(describe="kassay-workload/1", name="w", summary="s", subject="Faulting in and unmapping",
                    state="none", parameters=(), phases=made)  # fmt: skip


def test_the_subject_names_a_phase_unless_the_metric_covers_all() -> None:
    assert subject(workload("fault", "unmap", "iteration"), (), "fault") == "Faulting in and unmapping, phase fault"
    assert subject(workload("iteration", "unmap"), (), "iteration") == "Faulting in and unmapping"
    assert subject(workload("fault"), (), "fault") == "Faulting in and unmapping"


def test_a_phase_that_changed_otherwise_is_named_with_its_verdict() -> None:
    whole = replace(finding(KERNELS[0], KERNELS[1], (300.0, 300.0), "iteration"), verdict="equivalent")
    unmap = replace(whole, metric="unmap", primary=False, verdict="improvement", change=-0.025)
    touch = replace(whole, metric="touch", primary=False, verdict="inconclusive")
    elsewhere = replace(unmap, workload="other")
    assert other_phases(whole, (whole, unmap, touch, elsewhere)) == (
        "Other phases: unmap -2.5 % (improvement), no verdict on touch."
    )
    assert other_phases(whole, (whole, replace(unmap, verdict="equivalent"))) == ""
    assert other_phases(replace(whole, verdict="improvement"), (whole, unmap)) == ""


def test_a_step_of_another_phase_is_named_unless_all_phases_have_it() -> None:
    step = LadderStep(from_kernel=KERNELS[0], to_kernel=KERNELS[1], change=0.03, verdict="regression")
    flat = _with(ladder_of("iteration", KERNELS, (300.0,) * 5))
    own, unmap = flat, replace(_with(flat, step), metric="unmap")
    assert other_steps(own, (own, unmap), {KERNELS[0]: "a", KERNELS[1]: "b"}) == (
        "Other phases: unmap +3.0 % from a to b (regression)."
    )
    assert other_steps(_with(own, step), (own, unmap)) == ""


def _with(made: Ladder, *steps: LadderStep) -> Ladder:
    return replace(made, steps=steps)


def test_the_mail_of_a_ladder_speaks_of_no_step_twice() -> None:
    report = ladder()
    (iteration,) = (made for made in report.ladders if made.primary)
    assert other_steps(iteration, report.ladders) == ""


def test_a_mail_about_another_phase_has_its_values_and_its_functions() -> None:
    report = compare()
    first = report.findings[0]
    base, head = first.kernels
    sides = tuple(replace(side, value=3.0) for side in first.sides)
    same = replace(first, base_value=3.0, head_value=3.0, change=0.0, verdict="equivalent", unit="instructions/turn",
                   sides=sides, attribution=attribution())  # fmt: skip
    call = finding(base, head, (301.6, 672.6), "touch")
    call = replace(call, unit="instructions/call", attribution=replace(attribution(), base_run="r7"))
    text = format_named("mail").render(replace(report, findings=(same, call)))
    assert "phase touch" in " ".join(text.partition("\n\n")[0].split())
    assert "The parts of it" not in text
    table = text.partition("\nThe other phases:\n\n")[2].partition("\n\n")[0]
    assert [line.split() for line in table.splitlines()] == [
        ["kernel", "touch", "[instructions", "per", "call]"], ["v6.16.12", "301.6"], ["v6.17.13", "672.6"]
    ]  # fmt: skip
    assert "(phase touch; instructions per call, one boot of each" in " ".join(text.split())
