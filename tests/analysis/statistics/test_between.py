# SPDX-License-Identifier: GPL-2.0-only
"""Hosts are found to differ in a change only by the change itself, not by their levels or their noise."""

from collections.abc import Sequence
from math import expm1, log1p

import pytest

from kassay.analysis.statistics import blocked
from kassay.analysis.statistics.between import Between, between
from kassay.analysis.statistics.blocked import Boot, Comparison
from tests.analysis.statistics.sessions import drawn


def hosts_of(effects: Sequence[float], each: int = 10, cv: float = 0.02) -> list[list[Boot]]:
    """Boots of one session a host, whose levels are far apart. effects: relative."""
    return [
        [boot._replace(value=boot.value * 3**place) for boot in drawn(place, each // 2, effect=log1p(effect), cv=cv)]
        for place, effect in enumerate(effects)
    ]


def found(effects: Sequence[float], **how: float) -> Between:
    return between(hosts_of(effects, **how))  # type: ignore[arg-type]


def test_hosts_whose_change_is_one_do_not_differ_however_fast_they_are() -> None:
    same = found((0.3, 0.3, 0.3))
    assert same.p > 0.05
    assert expm1(same.common) == pytest.approx(0.3, abs=0.02)
    assert same.scatter is not None and same.scatter < 0.02


def test_five_per_cent_here_and_fifty_five_there_are_no_variance() -> None:
    apart = found((0.05, 0.55))
    assert apart.p < 0.001
    assert apart.scatter == pytest.approx((log1p(0.55) - log1p(0.05)) / 2**0.5, abs=0.03)


def test_wide_boots_can_look_like_different_hosts_and_are_not_taken_for_it() -> None:
    assert found((0.05, 0.25), each=6, cv=0.3).p > 0.05


def test_a_host_without_an_interval_leaves_the_scatter_open() -> None:
    assert found((0.05, 0.55), each=2).scatter is None


def test_one_host_is_compared_with_nothing() -> None:
    with pytest.raises(ValueError, match="two hosts"):
        between(hosts_of((0.1,)))


def test_boots_of_two_hosts_are_never_ranked_together() -> None:
    """A host three times as slow would hide a change, or be one, if its boots stood among the others'."""
    first, second = hosts_of((0.1, 0.1), each=6)
    together = [boot._replace(host=host) for host, boots in (("a", first), ("b", second)) for boot in boots]
    assert blocked.test(together) == Comparison((first, second)).p(0.0) < blocked.test(first)
    assert Comparison((together,)).estimate() == Comparison((first, second)).estimate()


def test_a_host_that_measured_one_kernel_tells_nothing() -> None:
    first, second = hosts_of((0.1, 0.1), each=6)
    lone = [boot._replace(host="b") for boot in second if boot.head]
    named = [boot._replace(host="a") for boot in first]
    assert blocked.test([*named, *lone]) == blocked.test(first)
