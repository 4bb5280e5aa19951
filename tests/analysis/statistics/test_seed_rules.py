# SPDX-License-Identifier: GPL-2.0-only
"""The rules of others that a report can show beside its own: published tables come out, and their limits are known."""

from math import isclose

import pytest

from kassay.analysis.statistics.seed_rules import WORDS, judge, side
from tests.analysis.statistics.pageout import ADVISE, CYCLE


@pytest.mark.parametrize(
    ("values", "old", "new", "lower", "ratio"),
    [(CYCLE, "1900.3", "3304.7", "42.5", "1.74"), (ADVISE, "1713.2", "2922.7", "41.4", "1.71")],
)
def test_the_table_of_seed_003_comes_out(
    values: dict[str, tuple[float, ...]], old: str, new: str, lower: str, ratio: str
) -> None:
    base, head = side(values["6.12"]), side(values["6.19"])
    assert base.mean is not None and head.mean is not None
    assert (f"{base.mean:.1f}", f"{head.mean:.1f}") == (old, new)
    assert f"{100 * (1 - base.mean / head.mean):.1f}" == lower
    found = judge(base, head)
    assert found.delta is not None and f"{1 + found.delta:.2f}" == ratio
    assert (found.classification, found.word, found.reliable, found.robust_reliable) == (
        "regression", "reliable", True, True
    )  # fmt: skip


@pytest.mark.parametrize(
    ("base", "head", "faster"),
    [
        (532.0, 497.0, "6.6"),
        (581.9, 503.3, "13.5"),
        (587.2, 524.2, "10.7"),
        (583.6, 534.2, "8.5"),
        (607.1, 547.8, "9.8"),
    ],
)
def test_the_improvements_of_seed_000_come_out(base: float, head: float, faster: str) -> None:
    found = judge(side([base]), side([head]))
    assert found.delta is not None and f"{-100 * found.delta:.1f}" == faster
    assert found.classification == "improvement"


def test_spreads_are_the_sample_deviation_and_the_plain_median_distance() -> None:
    made = side([15259.0, 15259.0, 0.0])
    assert made.mean is not None and made.cv is not None
    assert (f"{made.mean:.1f}", made.median, f"{made.cv:.3f}") == ("10172.7", 15259.0, "0.866")
    assert made.mad_ratio == 0 and not made.stable and made.robust_stable


def test_one_value_alone_passes_as_reliable() -> None:
    assert judge(side([1.0]), side([2.0])).word == "reliable"


@pytest.mark.parametrize(
    ("spread", "word"),
    [((100, 100, 100), "reliable"), ((100, 100, 100, 100, 400), "robust-only"), ((60, 100, 160, 250), "unstable")],
)
def test_words_follow_from_both_spreads(spread: tuple[float, ...], word: str) -> None:
    assert judge(side(spread), side([100.0, 101.0])).word == word
    assert judge(side([100.0, 101.0]), side(spread)).word == word
    assert word in WORDS


def test_one_failed_run_makes_both_flags_no() -> None:
    found = judge(side([100.0] * 8), side([140.0] * 8, failed=1))
    assert (found.word, found.classification, found.reliable, found.robust_reliable) == (
        "partial", "regression", False, False
    )  # fmt: skip


def test_a_side_without_values_has_no_numbers_and_no_classification() -> None:
    nothing = side([], failed=9)
    assert (nothing.mean, nothing.median, nothing.cv, nothing.status, nothing.runs) == (None, None, None, "failed", 9)
    found = judge(side([1.0]), nothing)
    assert (found.delta, found.classification, found.word) == (None, "absent", "partial")


@pytest.mark.parametrize(("head", "lower", "higher"), [
    (106.0, "regression", "improvement"), (94.0, "improvement", "regression"), (104.0, "neutral", "neutral"),
])  # fmt: skip
def test_where_more_is_better_the_same_delta_is_called_the_opposite(head: float, lower: str, higher: str) -> None:
    base = side([100.0, 100.0])
    assert judge(base, side([head, head])).classification == lower
    assert judge(base, side([head, head]), better="higher").classification == higher


def test_only_the_mean_classifies_though_the_median_says_otherwise() -> None:
    found = judge(side([100.0] * 5), side([85.0, 85.0, 85.0, 85.0, 640.0]))
    assert found.classification == "regression" and found.robust_reliable
    assert found.delta_median is not None and isclose(found.delta_median, -0.15)


def test_a_base_of_zero_has_no_delta() -> None:
    assert judge(side([0.0, 0.0]), side([1.0])).classification == "absent"


def test_the_limit_of_a_side_may_be_moved() -> None:
    values = [100.0, 130.0, 110.0]
    assert not side(values).stable and side(values, max_cv=0.2).stable
