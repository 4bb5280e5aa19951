# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every clock that discovery finds."""

import pytest

from kassay.errors import BadInput
from kassay.model.timing import LOOKS
from kassay.supply.clocks import Clock, clock_of, clocks, in_words, listed, measuring, profiling

each = pytest.mark.parametrize("name", clocks())


@each
def test_it_says_what_it_is_in_one_sentence_each(name: str) -> None:
    clock = clock_of(name)
    assert clock.name == name
    texts = (clock.scope, clock.definition, clock.meaning, clock.mechanism, clock.where, clock.doubt)
    assert clock.scope and clock.meaning
    assert all("\n" not in text for text in (*texts, clock.beside_counts, *clock.limits))
    assert all(text.endswith(".") for text in (clock.meaning, clock.mechanism, *clock.limits) if text)
    assert clock.imported or (clock.unit and clock.definition and clock.mechanism and clock.where and clock.limits)


@each
def test_it_is_of_one_kind(name: str) -> None:
    clock = clock_of(name)
    assert [clock.exact, clock.screening, clock.imported, clock.decides].count(True) == 1
    assert clock.imported or clock.exact == (clock.unit != "ns") == (clock.ticks != "monotonic")


@each
def test_an_experiment_that_names_no_numbers_gets_sound_ones(name: str) -> None:
    clock = clock_of(name)
    assert 0 < clock.margin < 1
    # A session of times is looked at when LOOKS says so, and perturbs nothing: there every boot counts.
    assert clock.exact or (clock.repeats in LOOKS and not clock.perturb)


def test_an_unknown_clock_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="clock: unknown 'sundial'") as caught:
        clock_of("sundial")
    assert all(name in caught.value.remedy for name in measuring())


def test_clocks_are_listed_by_their_order() -> None:
    assert [clock.order for clock in clocks().values()] == sorted(clock.order for clock in clocks().values())
    assert list(measuring()) == [name for name in clocks() if not clock_of(name).imported]
    assert profiling()[0] == "icount" and not {"host", "metal"} & set(profiling())
    assert [name for name in clocks() if clock_of(name).exact] == ["icount"]


def test_a_sentence_lists_exact_clocks_before_those_of_time() -> None:
    exact, time = in_words().split(" (exact instructions), ")
    assert exact == "icount" and time == f"{listed(tuple(measuring())[1:])} (time)"
    assert [listed("a"), listed("ab"), listed("abc")] == ["a", "a or b", "a, b or c"]


def test_a_clock_needs_no_more_than_a_name_and_what_it_is() -> None:
    clock = Clock(name="sundial", order=1, scope="hours of sunshine")
    assert (clock.decides, clock.unit, clock.repeats, clock.perturb) == (True, "ns", 24, 0)
