# SPDX-License-Identifier: GPL-2.0-only
"""A change of words leaves every number of a report as it was."""

import pytest
from benchmarks.same_reports import Printed, compare, numbers_of, only_numbers


def differs(before: str, after: str) -> bool:
    (row,) = compare("runs", only_numbers({"mail": Printed(before)}), only_numbers({"mail": Printed(after)}))
    return bool(row.diff)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("671.6 to 303.6 instructions/page", ["303.6", "671.6"]),
        ("1 304 and 1,048 faults", ["1048", "1304"]),
        ("sha256 9dcdff91 and x86_64", []),
        ("n = 2 + 2, -0.5 %", ["0.5", "2", "2"]),
    ],
)
def test_numbers_of_a_report(text: str, numbers: list[str]) -> None:
    assert numbers_of(text).split() == numbers


def test_other_words_with_the_same_numbers_are_the_same() -> None:
    assert not differs("It costs 3.5 % more: 100 to 103.5.", "From 100 to 103.5, which is 3.5 % more.")


@pytest.mark.parametrize("after", ["It costs 3.6 % more: 100 to 103.5.", "It costs 3.5 % more.", "100 100 103.5 3.5"])
def test_another_number_a_missing_one_and_one_more_differ(after: str) -> None:
    assert differs("It costs 3.5 % more: 100 to 103.5.", after)
