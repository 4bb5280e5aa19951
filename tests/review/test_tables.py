# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a review: rows of patches, and cells that are wider than their column."""

import pytest
from msgspec import structs

from kassay.labs.review.model import CheckedClaim, PatchTable, PatchValue
from kassay.labs.review.report import REVIEW
from kassay.labs.review.report._tables import step_word
from kassay.labs.review.result import cells_of
from kassay.model.lines import ChangedLines
from tests.report.parts import KERNELS, finding, report_of
from tests.review.reviews import cell, review


@pytest.mark.parametrize(
    ("verdict", "change", "changed", "word"),
    [
        ("equivalent", 0.0, "not-executed", "not executed"),
        ("equivalent", 0.004, "executed", "below the margin"),
        ("equivalent", 0.0, "executed", "equivalent"),
        ("regression", 0.2, "not-executed", "regression"),
        ("", None, "", ""),
    ],
)
def test_a_row_of_a_patch_says_why_it_costs_nothing(
    verdict: str, change: float | None, changed: str, word: str
) -> None:
    value = PatchValue(row="1", value=100.0, change=change, verdict=verdict, changed=changed)
    assert step_word(value) == word
    step = PatchTable(workload="folio_fork", settings=(), phase="iteration", unit="instructions/page", values=(value,))
    assert word in REVIEW.form("mail").render(structs.replace(review(cell("equivalent", 0.0)), steps=(step,)))


def test_the_floor_is_that_of_the_comparison() -> None:
    found = structs.replace(finding(*KERNELS[:2], (100.0, 103.0)), workload="mprotect_toggle", floor=0.0042)
    report = report_of(KERNELS[:2], findings=(found,))
    assert [one.floor for one in cells_of(report, once=False)] == [0.0042]
    assert [one.floor for one in cells_of(report, once=True)] == [None]


@pytest.mark.parametrize(("state", "executes"), [("executed", True), ("not-executed", False), ("no-code", None)])
def test_lines_without_code_are_not_called_unexecuted(state: str, executes: bool | None) -> None:
    changed = ChangedLines(state=state, hunks=1)
    found = structs.replace(finding(*KERNELS[:2], (100.0, 100.4)), workload="mprotect_toggle", changed=changed)
    (one,) = cells_of(report_of(KERNELS[:2], findings=(found,)), once=False)
    assert one.executes is executes
    assert ("lines not executed" in REVIEW.form("terminal").render(review(one))) == (executes is False)


@pytest.mark.parametrize(("form", "width"), [("terminal", 132), ("mail", 72)])
def test_a_long_cell_goes_on_in_the_next_line(form: str, width: int) -> None:
    detail = "changes of counts lie in eight phases of folio_fork and of each of its neighbours with other folio orders"
    claim = CheckedClaim(
        sentence="", figure="from 671.6 to 303.6 ns/page", line=4, outcome="not-measurable", detail=detail
    )
    text = REVIEW.form(form).render(structs.replace(review(cell("regression", 0.5)), claims=(claim,)))
    lines = text[text.index("Claims") :].split("\n\n" if form == "terminal" else "Linux 7.3.4")[0].splitlines()
    assert set(f"{claim.figure} {detail}".split()) <= set(" ".join(lines).replace(":", "").split())
    assert max(map(len, lines)) <= width
