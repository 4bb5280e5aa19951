# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on exact counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.exact import judge_counts
from tests.analysis.sides import side

positive = st.floats(1, 1e6)


@pytest.mark.parametrize(
    ("base", "head", "verdict", "evidence"),
    [
        (side("a", 300, 300, perturbed=[300, 301]), side("b", 660, 660, perturbed=[661, 660]), "regression", "exact"),
        (side("a", 660, 660, perturbed=[661]), side("b", 300, 300, perturbed=[301]), "improvement", "exact"),
        (side("a", 300, 300, perturbed=[300.1]), side("b", 300, 300, perturbed=[300]), "equivalent", "exact"),
        (side("a", 300, 300), side("b", 660, 660), "regression", "partial"),
        (side("a", 300, perturbed=[300]), side("b", 660, 660, perturbed=[660]), "regression", "partial"),
        (side("a", 300, 300, perturbed=[340]), side("b", 320, 320, perturbed=[320]), "inconclusive", "partial"),
        (side("a", 300, 300, perturbed=[300]), side("b", 301, 301, perturbed=[306]), "inconclusive", "partial"),
        (side("a"), side("b", 301), "incomplete", "partial"),
        (side("a", 300, 300, perturbed=[300], failed=1), side("b", 300, 300, perturbed=[300]), "equivalent", "partial"),
    ],
)  # fmt: skip
def test_a_difference_counts_when_it_stands_apart_from_what_should_not_matter(base, head, verdict, evidence) -> None:  # type: ignore[no-untyped-def]
    judged = judge_counts(base, head, 0.01, None)
    assert (judged.verdict, judged.evidence) == (verdict, evidence)


def test_repeats_that_disagree_are_a_defect_not_a_verdict() -> None:
    judged = judge_counts(side("a", 300, 301), side("b", 660, 660), 0.01, "round 3: 300 and 301")
    assert (judged.verdict, judged.evidence) == ("inconclusive", "unstable")


@given(st.lists(positive, min_size=1, max_size=5), st.lists(positive, min_size=1, max_size=5))
def test_swapping_the_sides_swaps_the_verdict(a: list[float], b: list[float]) -> None:
    forth = judge_counts(side("a", *a), side("b", *b), 0.01, None)
    back = judge_counts(side("b", *b), side("a", *a), 0.01, None)
    swap = {"regression": "improvement", "improvement": "regression"}
    # Near the margin h/b - 1 > m and b/h - 1 < -m differ, as a margin in ratios is not symmetric.
    if {forth.verdict, back.verdict} <= set(swap):
        assert back.verdict == swap[forth.verdict]


@given(st.lists(positive, min_size=2, max_size=6), st.lists(positive, max_size=6))
def test_a_kernel_against_itself_is_never_called_changed(runs: list[float], perturbed: list[float]) -> None:
    same = side("a", *[runs[0]] * 2, perturbed=perturbed)
    other = side("a", *[runs[0]] * 2, perturbed=runs[1:])
    assert judge_counts(same, other, 0.01, None).verdict in ("equivalent", "inconclusive")


@given(st.lists(positive, min_size=1, max_size=5), st.lists(positive, min_size=1, max_size=5))
def test_the_change_lies_in_its_interval(a: list[float], b: list[float]) -> None:
    judged = judge_counts(side("a", *a), side("b", *b), 0.01, None)
    assert judged.interval is not None and judged.change is not None
    assert judged.interval[0] <= judged.change <= judged.interval[1]
