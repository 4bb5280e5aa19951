# SPDX-License-Identifier: GPL-2.0-only
"""What the findings of a timed session share: controls that void it, cells that stand or fall together, its end."""

import random
from math import exp

from kassay.analysis.analyse import Analysis, analyse
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement

SCALE = 1_000_000


def session(plan: Plan, boots: int, level: dict[int, float], *, cv: float = 0.01, control: float = 1.0,
            seed: int = 1) -> Analysis:  # fmt: skip
    """The analysis of the first `boots` of each kernel. level: by kernel."""
    draw = random.Random(seed)
    made = []
    for cell in plan.cells:
        runs = [run for run in plan.runs if run.cell == cell.id and (run.block < boots // 2)]
        measured = [
            measurement(
                [int(SCALE * level[cell.kernel] * (control if run.control else 1.0) * exp(draw.gauss(0, cv)))] * 5,
                repeat=run.repeat, run=run.id, block=run.block, control=run.control,
            )
            for run in runs
        ]  # fmt: skip
        made.append(item(cell.id, plan, measured))
    return analyse(plan, made)


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
    assert f.reasons[0].startswith("the session is void: debian:6.0 differs from itself by +2")


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
    assert "does not stand among 5 cells" in alone.reasons[0]


def test_a_timed_ladder_finds_the_step_that_all_kernels_show_together() -> None:
    found = session(timed(5), 10, {0: 1.0, 1: 1.0, 2: 1.3, 3: 1.3, 4: 1.3}, cv=0.03)
    (ladder,) = found.ladders
    assert [(s.from_kernel, s.to_kernel, s.verdict) for s in ladder.steps] == [
        ("debian:6.1", "debian:6.2", "regression")
    ]
    assert all(f.verdict in ("inconclusive", "equivalent") for f in found.findings[:4] if f.base != "debian:6.1")


def test_a_timed_ladder_without_steps_has_none() -> None:
    found = session(timed(5), 10, dict.fromkeys(range(5), 1.0), cv=0.03, seed=4)
    assert found.ladders[0].steps == ()
