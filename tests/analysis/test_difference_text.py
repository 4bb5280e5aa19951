# SPDX-License-Identifier: GPL-2.0-only
"""A difference in one sentence, whose figures add up as far as rounding allows."""

import re
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from kassay.analysis.difference_text import Share, difference_text

UNIT = "instructions/page"


def said(value: float, *deltas: float, total: float | None = None, unattributed: float = 0) -> str:
    shares = [Share(f"f{i}", Fraction(delta)) for i, delta in enumerate(deltas)]
    whole = Fraction(total) if total is not None else sum((one.delta for one in shares), Fraction(unattributed))
    return difference_text(whole, shares, Fraction(unattributed), value, UNIT).whole


def test_the_largest_four_are_named_and_the_others_summed() -> None:
    assert said(700, 1, 328, -20, 80, 12, 2, 0) == (
        "+403 instructions/page: f1 +328, f3 +80, f2 -20, f4 +12, and 2 smaller ones +3; "
        "those named are 99 % of the change"
    )


def test_no_share_is_given_of_terms_that_cancel_each_other() -> None:
    assert said(700, 100, -90, -60, 40, 9, 9).endswith("f3 +40, and 2 smaller ones +18")
    assert said(700, -100, 90, -60, 40, 9, 30).endswith("f3 +40, and 2 smaller ones +39")


def test_few_are_named_without_a_rest() -> None:
    assert said(700, -328.5) == "-328.5 instructions/page: f0 -328.5"
    assert said(20, 0.25, 0.001) == "+0.25 instructions/page: f0 +0.25"


def test_the_last_part_takes_the_rounding_unless_that_would_turn_it_round() -> None:
    assert said(700, 3.06, 1.06, -0.26) == "+3.9 instructions/page: f0 +3.1, f1 +1.1, f2 -0.3"
    assert said(700, 2.06, 1.06) == "+3.1 instructions/page: f0 +2.1, f1 +1"
    assert said(700, 1.06, 0.06) == "+1.1 instructions/page: f0 +1.1, f1 +0.1, and rounding -0.1"
    assert said(700, 9.04, 9.04, 9.04, 9.04, 0.04) == (
        "+36.2 instructions/page: f0 +9, f1 +9, f2 +9, f3 +9, and 1 smaller one +0.2; "
        "those named are 100 % of the change"
    )


def test_what_no_function_explains_is_said() -> None:
    assert said(700, 3, unattributed=2) == "+5 instructions/page: f0 +3; +2 not attributed"
    assert said(700, unattributed=2) == "+2 instructions/page: in no function; +2 not attributed"


def test_no_difference_is_said_with_what_bounds_it() -> None:
    assert said(700, 0, 0) == "no difference in instructions/page: no function changed"
    assert said(700, 0.34, -0.34) == (
        "no difference in instructions/page: no function changed by more than 0.4"
    )  # fmt: skip
    assert said(700, 0.31, -0.3) == (
        "a difference of less than 0.1 instructions/page: no function changed by more than 0.4"
    )  # fmt: skip


def test_code_that_moved_is_not_called_one_function() -> None:
    moved = [Share("f with g", Fraction(1, 10), exchanged=True), Share("h", Fraction(-1, 10))]
    assert difference_text(Fraction(0), moved, Fraction(0), 700, UNIT).parts.endswith(
        "no function or group that exchanged code changed by more than 0.1"
    )


@example([1], 9949, 10**5)  # 9.95 is a little less as a float
@given(st.lists(st.integers(-(10**6), 10**6), max_size=12), st.integers(-(10**4), 10**4), st.integers(10**5, 10**7))
def test_the_printed_parts_add_up_to_the_printed_total(deltas: list[int], rest: int, value: int) -> None:
    shares = [Share(f"f{i}", Fraction(delta, 1000)) for i, delta in enumerate(deltas)]
    total = Fraction(sum(deltas) + rest, 1000)
    text = difference_text(total, shares, Fraction(rest, 1000), value / 1000, UNIT).whole
    if text.startswith(("no difference", "a difference")):
        assert abs(total) <= Fraction(1, 20)
        return
    text = text.partition("; those named")[0]
    figures = [
        Fraction(found.replace(" ", "")) for found in re.findall(r"(?<![\w-])[+-]\d+(?: \d{3})*(?:\.\d+)?", text)
    ]
    assert abs(figures[0] - total) <= Fraction(1, 20)
    assert figures[0] == sum(figures[1:])
