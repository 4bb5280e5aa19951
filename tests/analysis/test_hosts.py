# SPDX-License-Identifier: GPL-2.0-only
"""Findings host by host: whose boots are whose, and what the hosts' difference comes to."""

import random
from collections.abc import Sequence
from math import exp

import pytest
from msgspec.structs import replace

from kassay.analysis.hosts import across, across_parts, of_host
from kassay.model.finding import Finding, Side
from kassay.model.host_comparison import HostComparison
from kassay.model.reason import reason
from tests.analysis.sides import side
from tests.report.timed_reports import timed_finding

BOOTS = 8


def shared(kernel: str, factors: Sequence[float], seed: int, cv: float = 0.02) -> Side:
    """Boots of several hosts that take turns by blocks of two; factors: how slow each host is."""
    draw = random.Random(seed)
    values, hosts = [], []
    for number in range(BOOTS * len(factors)):
        host = number // 2 % len(factors)
        values.append(100 * factors[host] * exp(draw.gauss(0, cv)))
        hosts.append("abc"[host])
    return replace(side(kernel, *values), hosts=tuple(hosts))


def finding(base: Side, head: Side, **changes: object) -> Finding:
    return replace(timed_finding("old", "new", (100.0, 120.0)), sides=(base, head), **changes)


def only(found: Sequence[HostComparison]) -> HostComparison:
    (one,) = found
    return one


def test_each_host_has_its_own_values_boots_and_interval() -> None:
    one = only(across([finding(shared("old", (1, 3), 1), shared("new", (1.2, 3.6), 2))]))
    assert [(row.host, row.n_base, row.n_head) for row in one.rows] == [("a", BOOTS, BOOTS), ("b", BOOTS, BOOTS)]
    assert [row.base_value for row in one.rows] == [pytest.approx(100, rel=0.03), pytest.approx(300, rel=0.03)]
    for row in one.rows:
        assert row.interval is not None and row.interval[0] < 0.2 < row.interval[1]
    assert one.meaning.code == "hosts-agree" and one.common == pytest.approx(0.2, abs=0.02)


def test_a_change_that_is_another_one_on_another_host_is_said_with_both() -> None:
    one = only(across([finding(shared("old", (1, 1), 1), shared("new", (1.05, 1.55), 2))]))
    assert one.meaning.code == "hosts-differ"
    assert (one.meaning["low_host"], one.meaning["high_host"]) == ("a", "b")
    assert one.p is not None and one.threshold is not None and one.p < one.threshold


def test_the_level_is_shared_by_the_comparisons() -> None:
    one = finding(shared("old", (1, 3), 1), shared("new", (1.2, 3.6), 2))
    first, second = across([one, replace(one, metric="protect")])
    assert first.threshold == second.threshold == pytest.approx((1 - (first.level or 0)) / 2)


def test_too_few_boots_on_a_host_leave_it_open() -> None:
    both = (shared("old", (1, 1), 1), shared("new", (1.05, 1.55), 2))
    few = [replace(one, hosts=("a",) * 14 + ("b",) * 2) for one in both]
    one = only(across([finding(*few)]))
    assert (one.meaning.code, one.meaning["host"], one.meaning["boots"]) == ("hosts-not-told", "b", 2)
    assert one.p is None


def test_runs_of_one_host_are_no_matter_of_hosts() -> None:
    assert across([finding(side("old", *range(1, 9)), side("new", *range(1, 9)))]) == ()


def test_counts_agree_to_the_digit_or_are_named() -> None:
    counted = finding(side("old", 301.6, 301.6), side("new", 672.6, 672.6), timing=None)
    counted = replace(counted, sides=tuple(replace(one, blocks=()) for one in counted.sides))
    same = across_parts(counted, [of_host(counted, "", "a"), of_host(counted, "", "b")], 1)
    assert (same.meaning.code, same.level) == ("hosts-same-digits", None)
    assert [row.change for row in same.rows] == [672.6 / 301.6 - 1] * 2
    moved = replace(counted, sides=(counted.sides[0], replace(counted.sides[1], runs=(672.7, 672.7))))
    other = across_parts(counted, [of_host(counted, "", "a"), of_host(moved, "", "b")], 1)
    assert other.meaning.code == "hosts-other-digits"
    assert (other.meaning.kernel, other.meaning["host"], other.meaning["other"]) == ("new", "a", "b")


def test_a_comparison_that_was_refused_says_why() -> None:
    why = reason("no-successful-run")
    sides = (shared("old", (1, 3), 1), shared("new", (1.2, 3.6), 2))
    refused = only(across([finding(*sides, verdict="state-mismatch", reasons=(why,))]))
    assert (refused.meaning, refused.p) == (why, None)
