# SPDX-License-Identifier: GPL-2.0-only
"""Findings of a timed session share controls that void it, cells that stand or fall together, and its end."""

import random
from collections.abc import Mapping
from math import exp
from types import MappingProxyType

import msgspec
import pytest

from kassay.analysis.analyse import analyse
from kassay.model.experiment import WorkloadUse
from kassay.model.plan import Plan
from kassay.model.report import Comparisons
from kassay.model.run import CellEvidence, Fields
from kassay.plan.expand import expand
from kassay.spec.rules import question_of
from tests.analysis.plans import WORKLOAD, plan_input, plan_of
from tests.analysis.sides import STATE, evidence, measurement

pytestmark = pytest.mark.slow  # seconds for the whole file

SCALE = 1_000_000


def session(plan: Plan, boots: int, level: dict[int, float], *, cv: float = 0.01, control: float = 1.0,
            seed: int = 1, states: Mapping[int, Fields] = MappingProxyType({})) -> Comparisons:  # fmt: skip
    """The analysis of the first `boots` of each kernel. level: by kernel. states: of kernels with another one."""
    draw = random.Random(seed)
    made = []
    for cell in plan.cells:
        runs = [run for run in plan.runs if run.cell == cell.id and (run.block < boots // 2)]
        state = states.get(cell.kernel, STATE)
        measured = [
            measurement(
                [int(SCALE * level[cell.kernel] * (control if run.control else 1.0) * exp(draw.gauss(0, cv)))] * 5,
                repeat=run.repeat, run=run.id, block=run.block, control=run.control, before=state, after=state,
            )
            for run in runs
        ]  # fmt: skip
        made.append(item(cell.id, plan, measured))
    return analyse(plan, made, question_of(plan.experiment))


def item(cell_id: str, plan: Plan, measured: list) -> CellEvidence:  # type: ignore[type-arg]
    cell = next(cell for cell in plan.cells if cell.id == cell_id)
    like = evidence(plan.kernels[cell.kernel].ref, *measured, index=cell.kernel)
    return CellEvidence(cell=cell, kernel=plan.kernels[cell.kernel], label=like.label, measurements=like.measurements,
                        failures=(), lost=0)  # fmt: skip


def timed(kernels: int = 2, **changes: object) -> Plan:
    question = "compare" if kernels == 2 else "ladder"
    return plan_of(
        kernels, **({"clock": "kvm", "repeats": 24, "perturb": 0, "margin": 0.02, "question": question} | changes)
    )


def test_a_clear_change_stops_the_session_at_the_first_look() -> None:
    found = session(timed(), 6, {0: 1.0, 1: 1.4})
    assert (found.findings[0].verdict, found.look, found.decided) == ("regression", 6, True)
    assert found.findings[0].timing is not None and found.findings[0].timing.stopped
    assert found.findings[0].timing.control is not None and found.findings[0].timing.control.passed


def test_what_decides_is_the_same_without_the_other_metrics() -> None:
    plan = timed()
    made = []
    for cell in plan.cells:
        runs = [run for run in plan.runs if run.cell == cell.id and run.block < 3]
        ticks = [[SCALE * (1 + cell.kernel) + run.repeat] * 5 for run in runs]
        measured = [
            measurement(one, repeat=run.repeat, run=run.id, block=run.block, control=run.control)
            for one, run in zip(ticks, runs, strict=True)
        ]
        made.append(item(cell.id, plan, measured))
    whole, primary = (
        analyse(plan, made, question_of(plan.experiment)),
        analyse(plan, made, question_of(plan.experiment), primary_only=True),
    )
    assert (whole.decided, primary.decided) == (True, True)
    assert [f for f in whole.findings if f.primary] == list(primary.findings)


def test_boots_after_the_last_look_are_not_judged() -> None:
    """Eight boots are no look: what stands is what six said."""
    six, eight = (session(timed(), boots, {0: 1.0, 1: 1.4}) for boots in (6, 8))
    assert six.look == eight.look == 6
    assert eight.findings[0].n_base == 6


def test_noise_leaves_the_session_open() -> None:
    found = session(timed(), 6, {0: 1.0, 1: 1.0}, cv=0.05)
    assert (found.findings[0].verdict, found.decided) == ("inconclusive", False)


def test_before_the_first_look_nothing_is_judged() -> None:
    found = session(timed(), 4, {0: 1.0, 1: 1.4})
    assert (found.look, found.decided, found.findings[0].verdict) == (None, False, "inconclusive")


def test_a_kernel_that_differs_from_itself_voids_the_session() -> None:
    found = session(timed(), 10, {0: 1.0, 1: 1.4}, control=1.2)
    f = found.findings[0]
    assert (f.verdict, f.evidence, found.decided) == ("inconclusive", "unstable", True)
    assert (f.reasons[0].code, f.reasons[0]["which"]) == ("kernel-differs-from-itself", "debian:6.0")


def test_without_control_boots_nothing_is_held_against_itself() -> None:
    f = session(timed(control=False), 6, {0: 1.0, 1: 1.4}).findings[0]
    assert f.verdict == "regression" and f.timing is not None and f.timing.control is None


SIZES = tuple(size << 30 for size in (1, 2, 3, 4, 5))


def test_many_cells_get_one_statement_first_and_each_its_standing() -> None:
    plan = timed(memory_bytes=SIZES)
    found = session(plan, 10, {0: 1.0, 1: 1.1})
    (family,) = found.families
    assert (family.cells, family.confirmed) == (5, 5)
    assert 0.09 < family.change < 0.11 and family.p < 1e-6
    assert {f.standing for f in found.findings} == {"confirmed"}


def test_one_small_p_among_many_cells_is_no_verdict() -> None:
    """At p just below a look's level one cell alone would be a change; among five it is what chance gives."""
    plan = timed(memory_bytes=SIZES)
    found = session(plan, 6, {0: 1.0, 1: 1.0}, cv=0.05, seed=84)
    (alone,) = [f for f in found.findings if f.standing == "alone"]
    assert alone.verdict == "inconclusive"
    assert (alone.reasons[0].code, alone.reasons[0]["settings"]) == ("lost-among-settings", 5)


def test_workloads_of_a_suite_are_as_many_chances_as_settings_of_one() -> None:
    names = tuple(f"w{number}" for number in range(len(SIZES)))
    one = timed()
    experiment = msgspec.structs.replace(one.experiment, workloads=tuple(WorkloadUse(name=name) for name in names))
    workloads = tuple(msgspec.structs.replace(WORKLOAD, name=name) for name in names)
    plan = expand(experiment, plan_input(one.kernels, tuple((name, ()) for name in names), workloads=workloads))
    found = session(plan, 6, {0: 1.0, 1: 1.0}, cv=0.05, seed=5)
    assert [f.standing for f in found.findings if f.standing] == ["alone"]
    assert all(f.verdict == "inconclusive" for f in found.findings)
    assert found.families == ()


def test_a_timed_ladder_finds_the_step_that_all_kernels_show_together() -> None:
    found = session(timed(5), 10, {0: 1.0, 1: 1.0, 2: 1.3, 3: 1.3, 4: 1.3}, cv=0.03)
    (ladder,) = found.ladders
    steps = [(s.from_kernel, s.to_kernel) for s in ladder.steps if s.verdict == "regression"]
    assert steps == [("debian:6.1", "debian:6.2")]
    assert all(f.verdict in ("inconclusive", "equivalent") for f in found.findings[:4] if f.base != "debian:6.1")


def test_a_timed_ladder_finds_a_step_past_a_refused_kernel() -> None:
    huge = (("range.AnonHugePages", "4096"), *STATE[1:])
    found = session(timed(4), 10, {0: 1.0, 1: 1.0, 2: 1.3, 3: 1.3}, cv=0.03, states={2: huge})
    steps = [(s.from_kernel, s.to_kernel, s.verdict) for s in found.ladders[0].steps if s.verdict != "inconclusive"]
    assert steps == [
        ("debian:6.1", "debian:6.2", "state-mismatch"), ("debian:6.1", "debian:6.3", "regression"),
        ("debian:6.2", "debian:6.3", "state-mismatch"),
    ]  # fmt: skip


def test_a_timed_ladder_without_steps_has_none() -> None:
    found = session(timed(5), 10, dict.fromkeys(range(5), 1.0), cv=0.03, seed=4)
    assert {s.verdict for s in found.ladders[0].steps} == {"inconclusive"}  # neither shown nor excluded
    assert len(found.ladders[0].steps) == 4


def test_a_void_ladder_claims_no_step() -> None:
    found = session(timed(3), 10, {0: 1.0, 1: 1.0, 2: 1.5}, control=1.3)
    assert {s.verdict for s in found.ladders[0].steps} == {"inconclusive"}
    assert {f.evidence for f in found.findings} == {"unstable"} and found.decided
    assert not any(f.timing.stopped for f in found.findings if f.timing)


def test_a_void_matrix_has_no_statement_and_nothing_stands() -> None:
    found = session(timed(memory_bytes=SIZES), 10, {0: 1.0, 1: 1.4}, control=1.3)
    assert found.families == ()
    assert {(f.verdict, f.standing) for f in found.findings} == {("inconclusive", "")}


def test_controls_of_many_settings_together_show_at_the_first_look_what_none_can_alone() -> None:
    found = session(timed(memory_bytes=SIZES), 6, {0: 1.0, 1: 1.4}, control=1.3)
    assert found.findings[0].reasons[0].code == "kernels-differ-from-themselves"


def test_a_session_whose_control_boots_all_failed_says_so() -> None:
    plan = timed()
    made = []
    for cell in plan.cells:
        runs = [run for run in plan.runs if run.cell == cell.id and run.block < 3 and not run.control]
        level = 1.0 if cell.kernel == 0 else 1.4
        measured = [
            measurement([int(SCALE * level) + run.repeat] * 5, repeat=run.repeat, run=run.id, block=run.block)
            for run in runs
        ]
        one = item(cell.id, plan, measured)
        lost = [run for run in plan.runs if run.cell == cell.id and run.block < 3 and run.control]
        failures = tuple(
            msgspec.structs.replace(record, run=run.id, attempt=2)
            for run in lost
            for record in evidence("x", failures=("panic",)).failures
        )
        made.append(msgspec.structs.replace(one, control_failures=failures))
    f = analyse(plan, made, question_of(plan.experiment)).findings[0]
    assert (f.verdict, f.evidence) == ("regression", "partial")
    assert f.reasons[-1].code == "control-missing"


def test_early_statement_about_some_settings_is_provisional() -> None:
    plan = timed(memory_bytes=SIZES[:2])
    draw = random.Random(3)
    made = []
    for cell in plan.cells:
        quiet = cell.machine.memory_bytes == SIZES[0]
        measured = [
            measurement(
                [int(SCALE * (1.5 if cell.kernel and quiet else 1) * exp(draw.gauss(0, 0.001 if quiet else 0.2)))] * 5,
                repeat=run.repeat, run=run.id, block=run.block, control=run.control,
            )
            for run in plan.runs if run.cell == cell.id and run.block < 5
        ]  # fmt: skip
        made.append(item(cell.id, plan, measured))
    found = analyse(plan, made, question_of(plan.experiment))
    assert not found.decided
    (f,) = [f for f in found.findings if f.verdict == "regression"]
    assert f.evidence == "partial" and f.reasons[-1].code == "provisional"


def test_a_sequential_ladder_still_sees_a_step_but_never_more_than_partial() -> None:
    found = session(timed(3, order="sequential", repeats=10), 10_000, {0: 1.0, 1: 2.0, 2: 2.0}, cv=0.01)
    assert [(s.from_kernel, s.verdict) for s in found.ladders[0].steps if s.verdict == "regression"] == [
        ("debian:6.0", "regression")
    ]
    assert {f.evidence for f in found.findings} == {"partial"}
