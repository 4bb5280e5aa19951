# SPDX-License-Identifier: GPL-2.0-only
"""The answer in words claims what was found, and nothing of a kernel that was not measured."""

import pytest
from msgspec.structs import replace

from kassay.model.finding import Ladder, LadderPoint, LadderStep
from kassay.model.records import Setting
from kassay.report.sentences import compare_sentence, ladder_sentence, measured_sentence, subject
from tests.analysis.plans import WORKLOAD
from tests.report.reports import MACHINE, SETTINGS, finding, side
from tests.report.timed_reports import timing

Steps = tuple[tuple[int, int, float | None, str], ...]


def said(values: tuple[float | None, ...], steps: Steps) -> str:
    names = "ABCDEFGH"[: len(values)]
    ladder = Ladder(
        workload="w", metric="m", unit="instructions/page", primary=True, settings=SETTINGS, machine=MACHINE,
        points=tuple(LadderPoint(kernel=n, value=v, n=2, side=side(n, v)) for n, v in zip(names, values, strict=True)),
        steps=tuple(
            LadderStep(from_kernel=names[a], to_kernel=names[b], change=change, verdict=verdict)
            for a, b, change, verdict in steps
        ),
    )  # fmt: skip
    return ladder_sentence("Toggling", ladder, names)


@pytest.mark.parametrize(
    ("values", "steps", "sentence"),
    [
        ((300, 300, 672), ((1, 2, 1.24, "regression"),),
         "Toggling executes 2.24× the instructions per page since C. A and B are the same to the digit."),
        ((300, 306, 306), ((0, 1, 0.02, "regression"),),
         "Toggling executes 2.0 % more instructions per page since B. B and C are the same to the digit."),
        ((300, 100, 101), ((0, 1, -2 / 3, "improvement"),),
         "Toggling executes 0.33× the instructions per page since B. B and C are the same within 1 %."),
        ((900, 300, 330, 360), ((0, 1, -2 / 3, "improvement"), (1, 2, 0.1, "regression"), (2, 3, 0.09, "regression")),
         "Toggling executes 10.0 % more instructions per page since C. From A to B: -66.7 %. From C to D: +9.0 %."),
        ((300, 300, 300), (), "Toggling costs the same on all 3 kernels to the digit."),
        ((300, None, 300), ((0, 1, None, "incomplete"),),
         "Toggling costs the same on A and C to the digit. No verdict from A to B (incomplete)."),
        ((300, None, 300, 600), ((0, 1, None, "incomplete"), (2, 3, 1.0, "regression")),
         "Toggling executes 2.00× the instructions per page since D. A and C are the same to the digit."
         " No verdict from A to B (incomplete)."),
        ((300, None, 600), ((0, 1, None, "incomplete"), (0, 2, 1.0, "regression")),
         "Toggling executes 2.00× the instructions per page on C compared with A."
         " No verdict from A to B (incomplete)."),
        ((300, 302, 304), ((0, 2, 4 / 300, "regression"),),
         "Toggling executes 1.3 % more instructions per page on C compared with A."
         " A and B are the same within 0.67 %."),
        ((None, None), ((0, 1, None, "incomplete"),),
         "No step could be admitted for toggling. No verdict from A to B (incomplete)."),
        ((300, 300), ((0, 1, None, "state-mismatch"),),
         "No step could be admitted for toggling. No verdict from A to B (state-mismatch)."),
    ],
)  # fmt: skip
def test_a_ladder_in_words(values: tuple[float | None, ...], steps: Steps, sentence: str) -> None:
    assert said(values, steps) == sentence


def test_a_compare_in_words() -> None:
    more = compare_sentence("Toggling", finding("a", "b", (300.0, 672.0)), "A", "B")
    assert (
        more.startswith("Toggling executes 2.24× the instructions per ") and " on B compared with A (+124.0 %" in more
    )
    assert "; 672 against 300 instructions/" in more
    percent = compare_sentence("Toggling", finding("a", "b", (324.3, 319.27)), "A", "B")
    assert percent.startswith("Toggling executes 1.6 % fewer") and "compared with A (319.3 against 324.3 " in percent
    close = replace(finding("a", "b", (1000.0, 1001.0)), verdict="equivalent")
    close_text = compare_sentence("Toggling", close, "A", "B")
    assert "the same on A and B within the margin" in close_text and "; 1 000 and 1 001 instructions/" in close_text
    same = compare_sentence("Toggling", finding("a", "b", (300.0, 300.0)), "A", "B")
    assert same.startswith("Toggling costs the same on A and B, to the digit (300 instructions/")
    none = compare_sentence("Toggling", finding("a", "b", (300.0, None)), "A", "B")
    assert none.startswith("No verdict on toggling (incomplete)")


def test_a_setting_stands_with_its_plural() -> None:
    workload = replace(WORKLOAD, subject="Faulting with {tasks} task(s)", phases=())
    one, two = (subject(workload, (Setting(name="tasks", value=n),), "fault") for n in ("1", "2"))
    assert (one, two) == ("Faulting with 1 task", "Faulting with 2 tasks")


def test_imported_values_stand_in_the_order_of_their_kernels() -> None:
    more = finding("a", "b", (300.0, 672.0))
    assert "higher on b than on a (672 against 300 instructions/" in measured_sentence(more)
    assert "the same on a and b" in (same := measured_sentence(replace(more, verdict="equivalent")))
    assert "; 300 and 672 instructions/" in same


def test_medians_that_differ_the_other_way_than_the_ranks_are_named_as_such() -> None:
    boots = finding("a", "b", (300.0, 372.0))
    ranks = replace(boots, timing=timing(), change=-0.29, verdict="improvement")
    named = "; the medians differ the other way: 372 against 300 "
    assert named in compare_sentence("It", ranks, "a", "b") and named[2:] in measured_sentence(ranks)
    assert "medians" not in compare_sentence("It", replace(ranks, change=0.24), "a", "b")
    assert "medians" not in compare_sentence("It", replace(ranks, head_value=300.0), "a", "b")
