# SPDX-License-Identifier: GPL-2.0-only
"""The value of one kernel alone."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.analysis.analyse import with_itself
from kassay.analysis.itemised import chosen
from kassay.analysis.value import primary_values, values
from kassay.model.question import Answered
from kassay.model.records import Setting
from kassay.model.run import CellEvidence
from kassay.questions.value import QUESTION
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement
from tests.report.reports import SAMPLES


def test_one_kernel_has_a_value_without_being_compared() -> None:
    plan = plan_of(1, question="value", repeats=1, perturb=0)
    (found,) = primary_values(plan, (evidence("a", measurement([130, 100, 100, 100])),))
    assert found.side.value == measured(100)
    assert (found.metric, found.unit, found.refused) == ("iteration", "instructions/page", ())


def measured(ticks: int) -> float | None:
    plan = plan_of(1, question="value", repeats=1, perturb=0)
    (found,) = primary_values(plan, (evidence("a", measurement([ticks] * 4)),))
    return found.side.value


def test_twice_the_ticks_are_twice_the_value() -> None:
    one, other = measured(100), measured(200)
    assert one is not None and other == pytest.approx(2 * one)


def test_what_the_gate_says_of_it_is_told_once() -> None:
    plan = plan_of(1, question="value")
    dirty = measurement([100, 100], foreign=(("kworker/0:1", 470_000),))
    (found,) = primary_values(plan, (evidence("a", dirty),))
    assert [one.code for one in found.refused] == ["others-took-time"]


def test_without_a_run_there_is_no_value() -> None:
    plan = plan_of(1, question="value")
    (found,) = values(plan, (evidence("a", failures=("panic",)),))
    assert found.side.value is None and [one.code for one in found.refused] == ["no-plain-run"]


def at_size(size: str, ticks: int) -> CellEvidence:
    item = evidence("a", measurement([ticks] * 4))
    cell = structs.replace(item.cell, settings=(Setting(name="size", value=size),), setting_key=size)
    return structs.replace(item, cell=cell)


def test_each_setting_has_a_value_of_its_own() -> None:
    plan = plan_of(1, question="value")
    found = primary_values(plan, (at_size("1MiB", 100), at_size("2MiB", 200)))
    assert [(value.point.settings[0].value, value.side.value) for value in found] == [("1MiB", 10.0), ("2MiB", 20.0)]


def test_the_answer_names_the_setting_of_each_value() -> None:
    cells = (at_size("1MiB", 100), at_size("2MiB", 200), at_size("4MiB", 300))
    failed = structs.replace(cells[2], measurements=())
    answered = Answered(
        report=SAMPLES["compare"](), plan=plan_of(1, question="value"), evidence=(*cells[:2], failed), directory=Path()
    )
    assert QUESTION.complete is not None
    assert QUESTION.complete(answered).verdict == (
        "10 instructions/page (iteration) on 6.0 at size=1MiB; 20 instructions/page (iteration) on 6.0 at size=2MiB. "
        "They are compared with nothing. iteration of 6.0 at size=4MiB is not known: a: no unmodified run succeeded: "
        "none was made yet."
    )


def test_one_kernel_alone_is_chosen_for_its_profile() -> None:
    plan = plan_of(1, question="value")
    findings = with_itself(plan, (at_size("1MiB", 100), at_size("2MiB", 200)))
    (side,) = chosen(findings, ("a",), None, {"size": "2MiB"})
    assert (side.side.value, side.verdict) == (20.0, "")
