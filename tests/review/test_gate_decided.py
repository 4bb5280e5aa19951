# SPDX-License-Identifier: GPL-2.0-only
"""`kassay ci`: which phases are equal, which are not decided, and which are measured."""

import pytest
from msgspec import structs

from kassay.analysis.exact import judge_counts
from kassay.analysis.rounds import summarise
from kassay.labs.review.gate import _differing, _screened, _settled, at_margin, exit_status
from kassay.labs.review.gate_model import EQUAL, NOT_MEASURED
from kassay.labs.review.model import Cell
from kassay.labs.review.result import cells_of
from kassay.model.finding import Side
from kassay.model.reason import reason
from tests.report.parts import finding, side
from tests.report.reports import ladder
from tests.review.reviews import cell, gate


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [({}, EQUAL), ({"perturbed": (300.0, 330.0)}, EQUAL), ({"rounds": (300.0, 301.0) * 5}, "equivalent"),
     ({"perturbed": (300.0, 330.0), "rounds": (301.0, 300.0)}, "equivalent")],
)  # fmt: skip
def test_equal_rounds_are_equal_whatever_the_perturbed_runs_do(fields: dict[str, object], verdict: str) -> None:
    base = structs.replace(side("a", 300.0), perturbed=(300.0, 300.0), rounds=(300.0,) * 10)
    assert settled(base, structs.replace(base, kernel="b", **fields)).verdict == verdict


def settled(base: Side, head: Side, limit: float = 0.005) -> Cell:
    """The phase of two sides, as it is judged after the measurement."""
    judged = judge_counts(base, head, 0.005, None)
    made = structs.replace(
        finding("a", "b", (base.value or 0.0, head.value or 0.0), "iteration"), workload="folio_fork", settings=(),
        sides=(base, head), change=judged.change, verdict=judged.verdict, evidence=judged.evidence,
        reasons=judged.reasons, floor=judged.floor,
    )  # fmt: skip
    found = at_margin(made, 0.005)
    (row,) = cells_of(structs.replace(ladder(), findings=(found,), ladders=()), once=False)
    return _settled(row, found, limit)


@pytest.mark.parametrize(
    ("head", "limit", "verdict"),
    [(1007.0, 0.005, "inconclusive"), (1007.0, 0.03, "equivalent"), (1010.0, 0.03, "equivalent"),
     (1020.0, 0.005, "regression"), (993.0, 0.005, "equivalent")],
)  # fmt: skip
def test_a_change_within_the_difference_between_runs_of_one_kernel_is_not_decided(
    head: float, limit: float, verdict: str
) -> None:
    apart = 10 if head > 1000 else -10
    base = structs.replace(side("a", 1000.0), perturbed=(1000.0, 1000.0), rounds=(1000.0,) * 10)
    found = settled(base, structs.replace(side("b", head), perturbed=(head, head + apart), rounds=(head,) * 10), limit)
    assert found.verdict == verdict
    assert exit_status(gate(found)) == {"inconclusive": 4, "regression": 1}.get(verdict, 0)
    assert ("at least as much as the kernels do" in found.reason) == (verdict == "inconclusive")


def test_a_refused_phase_stays_refused() -> None:
    refused = structs.replace(finding("a", "b", (300.0, 300.0)), change=None, verdict="state-mismatch")
    assert _settled(cell("state-mismatch", None), refused, 0.005).verdict == "state-mismatch"


@pytest.mark.parametrize("change", [0.0, 0.004])
def test_kernels_whose_own_runs_disagree_are_not_equal(change: float) -> None:
    found = structs.replace(cell("inconclusive", change), floor=0.01, evidence="unstable")
    unstable = structs.replace(finding("a", "b", (300.0, 300.0)), evidence="unstable")
    assert _settled(found, unstable, 0.005).verdict == "inconclusive"


def test_a_setting_some_of_whose_rounds_changed_is_measured() -> None:
    whole = structs.replace(finding("a", "b", (300.0, 300.0), "iteration"), workload="page_fault", change=0.0)
    base, head = whole.sides
    odd = structs.replace(whole, sides=(base, structs.replace(head, rounds=(300.0, 305.7) * 2)))
    for one, verdict, left in ((odd, NOT_MEASURED, 1), (whole, EQUAL, 0)):
        screened = structs.replace(ladder(), findings=(one,), ladders=())
        assert [found.verdict for found, *_ in _screened(screened, {}).values()] == [verdict]
        assert len(_differing(screened)) == left


@pytest.mark.parametrize(
    ("head", "verdict"),
    [((393.0, 300.0, 300.0, 300.0), EQUAL), ((410.0, 300.0, 300.0, 300.0), EQUAL),
     ((300.0, 300.0, 300.0, 300.0), EQUAL), ((393.0, 300.0, 300.0, 300.1), NOT_MEASURED),
     ((410.0, 330.0, 300.0, 300.0), NOT_MEASURED)],
)  # fmt: skip
def test_rounds_of_the_warm_up_need_not_be_equal(head: tuple[float, ...], verdict: str) -> None:
    """Half of all rounds is no warm-up any more."""
    whole = structs.replace(finding("a", "b", (300.0, 300.0), "iteration"), workload="page_fault", change=0.0)
    sides = tuple(
        structs.replace(
            side, rounds=rounds, warmup=rounds[: (found := summarise(rounds, "mode")).warmup],
            doubts=() if found.settled else (reason("never-settles"),),
        )
        for side, rounds in zip(whole.sides, ((393.0, 300.0, 300.0, 300.0), head), strict=True)
    )  # fmt: skip
    screened = structs.replace(ladder(), findings=(structs.replace(whole, sides=sides),), ladders=())
    assert [found.verdict for found, *_ in _screened(screened, {}).values()] == [verdict]
    assert len(_differing(screened)) == (verdict == NOT_MEASURED)


def test_a_doubt_stays_at_another_margin() -> None:
    runs = structs.replace(side("a", 300.0), perturbed=(300.0,))
    doubt = reason("rounds-otherwise", change=0.0, low=0.2, high=0.3)
    odd = structs.replace(finding("a", "b", (300.0, 300.0), "iteration"), sides=(runs, runs), reasons=(doubt,))
    assert at_margin(odd, 0.05).verdict == "inconclusive"
    assert at_margin(odd, 0.25).verdict == "equivalent"


@pytest.mark.parametrize(
    ("change", "limit", "verdict"),
    [(0.004, 0.005, "equivalent"), (-0.004, 0.005, "equivalent"), (0.02, 0.005, "inconclusive"),
     (0.009, 0.005, "inconclusive"), (-0.009, 0.005, "equivalent"), (0.009, 0.03, "equivalent")],
)  # fmt: skip
def test_a_change_that_is_not_larger_than_the_floor_and_the_limit_lies_below_them(
    change: float, limit: float, verdict: str
) -> None:
    differs = finding("a", "b", (300.0, 300.0 * (1 + change)))
    assert _settled(structs.replace(cell("inconclusive", change), floor=0.01), differs, limit).verdict == verdict
