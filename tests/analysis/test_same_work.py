# SPDX-License-Identifier: GPL-2.0-only
"""The rule of the gate that a program must do the same work: what a refusal says, and where its limits lie."""

import pytest

from kassay.analysis.gate.same_work import RULE
from kassay.model.run import CellEvidence
from tests.analysis.sides import evidence
from tests.analysis.works import CALL, CLOCK, PAGE_FAULT, USER, Items, changed, did

TICKS = 1_000_000
WORK: Items = {(CALL, "read"): (10, 100_000), (PAGE_FAULT, "page fault"): (100, 400_000), (USER, ""): (500_000, 0),
               (CLOCK, ""): (6, 0)}  # fmt: skip
"""Work of TICKS instructions: 10 000 for each read(), 4 000 for each fault."""


def side(ref: str, items: Items, perturbed: Items | None = None, ticks: int = TICKS) -> CellEvidence:
    """Two plain runs that did `items`, and a perturbed one."""
    runs = [did(items, ticks), did(items, ticks, repeat=1), did(perturbed or items, ticks, repeat=2, perturbation=1)]
    return evidence(ref, *runs, index=int(ref == "7.3"))


PAGES = changed(WORK, user=(520_000, 0), fault=(200, 800_000))
"""The program touches 100 pages more."""


@pytest.mark.parametrize(
    ("head", "what", "more", "share"),
    [
        (changed(WORK, user=(520_000, 0)), "user code", None, pytest.approx(0.02)),
        (PAGES, "page fault", 1, pytest.approx(0.42)),
        (changed(PAGES, read=(12, 120_000)), "read()", 2, pytest.approx(0.44)),
        (changed(PAGES, getpid=(1, 1_000)), "page fault", 2, pytest.approx(0.421)),
        (changed(PAGES, getpid=(1, 2_500)), "page fault", 2, pytest.approx(0.4225)),
        (changed(WORK, user=(2_700_000, 0)), "user code", None, 1.0),
    ],
)
def test_refusal_leads_with_a_system_call_that_carries_cost_and_counts_the_rest(
    head: Items, what: str, more: int | None, share: float
) -> None:
    (refusal,) = RULE.check(side("6.12", WORK), side("7.3", head))
    why = refusal.reason
    assert (why["what"], why["more"], why["reads"], why["unit"]) == (what, more, 6, "round")
    assert why["share"] == share
    assert len(refusal.differences) == 1 + (more or 0)


def test_work_that_carries_the_limit_and_no_more_is_admitted() -> None:
    assert RULE.check(side("6.12", WORK), side("7.3", changed(WORK, getpid=(1, 2_500)))) == ()
    assert RULE.check(side("6.12", WORK), side("7.3", changed(WORK, getpid=(1, 2_501)))) != ()


TWICE: Items = {key: (2 * times, 2 * count) for key, (times, count) in WORK.items()}


@pytest.mark.parametrize(
    ("perturbed", "what", "more", "share"),
    [
        (changed(WORK, user=(600_000, 0)), "user code", None, pytest.approx(0.1, rel=0.03)),
        (changed(WORK, user=(600_000, 0), read=(30, 300_000)), "read()", 1, pytest.approx(0.3, rel=0.03)),
        (TWICE, "user code", 2, 1.0),
        ({**TWICE, (USER, ""): (3_000_000, 0)}, "user code", 2, 1.0),
    ],
)
@pytest.mark.parametrize("unsteady", ["6.12", "7.3"])
def test_work_by_chance_names_the_kernel_whose_runs_differ(
    unsteady: str, perturbed: Items, what: str, more: int | None, share: float
) -> None:
    """The head costs 2 % less, and the runs of one kernel differ by more than that."""
    slow = side("6.12", WORK, perturbed if unsteady == "6.12" else None)
    fast = side("7.3", WORK, perturbed if unsteady == "7.3" else None, ticks=TICKS - 20_000)
    (refusal,) = RULE.check(slow, fast)
    why = refusal.reason
    assert (why.code, why.kernel, why["what"], why["more"], why["reads"]) == ("work-by-chance", unsteady, what, more, 6)
    assert why["change"] == pytest.approx(-0.02) and why["share"] == share
    assert len(refusal.differences) == 1 + (more or 0)
    steady = [d.head if unsteady == "6.12" else d.base for d in refusal.differences]
    assert set(steady) == {"-"}


def test_runs_of_one_kernel_may_differ_by_one_percent_and_no_more() -> None:
    """More than a quarter of that is a doubt."""
    steady, at_limit, beyond = (
        side("6.12", WORK, changed(WORK, user=(user, 0))) for user in (502_500, 510_000, 510_100)
    )
    assert RULE.doubt(steady) is None and RULE.check(at_limit, side("7.3", WORK)) == ()
    for varied in (at_limit, beyond):
        doubt = RULE.doubt(varied)
        assert doubt is not None and doubt.code == "work-varies"
    assert [refusal.reason.code for refusal in RULE.check(beyond, side("7.3", WORK))] == ["work-by-chance"]


def test_doubt_names_the_work_that_differs_most() -> None:
    doubt = RULE.doubt(side("6.12", WORK, {**TWICE, (USER, ""): (3_000_000, 0)}))
    assert doubt is not None and (doubt["what"], doubt["share"]) == ("user code", 1.0)
