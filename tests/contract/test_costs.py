# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every cost that discovery finds, and the numbers of those that there are."""

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.model.costs import DEFAULT, Cost, cost_of, costs, counted, weighed
from kassay.model.profile import FunctionCost
from tests.analysis.profiles import HEAD

ROW = FunctionCost(function="f", place="kernel", context="kernel", instructions=10, iterations=5, loads=3, stores=4)
each = pytest.mark.parametrize("cost", costs().values(), ids=costs())


@each
def test_it_says_what_it_counts(cost: Cost) -> None:
    assert cost_of(cost.name) is cost
    assert cost.unit and cost.definition and "\n" not in cost.unit + cost.definition


@each
def test_of_counters_it_makes_a_whole_number_that_is_not_negative(cost: Cost) -> None:
    empty = msgspec.structs.replace(ROW, instructions=0, iterations=0, loads=0, stores=0)
    assert cost.of(empty) == 0
    found = cost.of(ROW)
    assert isinstance(found, int) and found > 0


def test_the_default_is_what_the_guests_clock_counts() -> None:
    assert cost_of(DEFAULT).of(ROW) == counted(ROW) == 15
    assert weighed(HEAD, cost_of(DEFAULT)) == sum(row.instructions + row.iterations for row in HEAD.functions)


def test_accesses_are_known_only_where_the_run_counted_them() -> None:
    accesses = cost_of("accesses")
    assert accesses.of(ROW) == 7
    assert weighed(msgspec.structs.replace(HEAD, functions=(ROW, ROW)), accesses) == 14
    with pytest.raises(BadInput, match="did not count it") as caught:
        weighed(HEAD, accesses)
    assert "--profile memory" in caught.value.remedy


def test_an_unknown_cost_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="unknown 'nanoseconds'") as caught:
        cost_of("nanoseconds")
    assert all(name in caught.value.remedy for name in costs())
