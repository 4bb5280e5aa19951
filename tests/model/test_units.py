# SPDX-License-Identifier: GPL-2.0-only
"""Sizes as users write them, numbers as reports show them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.units import format_bytes, format_change, format_number, format_numbers, parse_bytes


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0.0, "0"),
        (301.6, "301.6"),
        (703.0, "703"),
        (15.25, "15.25"),
        (0.0123, "0.0123"),
        (99.96, "99.96"),
        (99.996, "100.0"),
        (999.96, "1 000.0"),
        (12_345.6, "12 345.6"),
        (1_234_567.0, "1 234 567"),
        (999_999_999_999_999.0, "999 999 999 999 999"),
        (1e15, "1e+15"),
        (-1.2345e300, "-1.234e+300"),
        (-301.6, "-301.6"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_reads_as_people_write_it(value: float | None, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((301.6, 698.8, 703.0), ("301.6", "698.8", "703.0")),
        ((703.0, 2.0, None), ("703", "2", "-")),
        ((13.89, 13.9013, 4.76), ("13.89", "13.90", "4.76")),
        ((13.9, 303.6), ("13.9", "303.6")),
        ((12_345.6, 0.0123, 7.0), ("12 345.6", "0.0123", "7.0")),
        ((1e300, 1.5e15 + 0.5, 301.6), ("1e+300", "1.5e+15", "301.6")),
        ((), ()),
    ],
)
def test_a_column_of_numbers_shows_the_same_decimals(values: tuple[float | None, ...], texts: tuple[str, ...]) -> None:
    assert format_numbers(values) == texts


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (None, "-"),
        (0.0, "0 %"),
        (1.23011, "+123.0 %"),
        (-0.039, "-3.9 %"),
        (0.0002, "+0.020 %"),
        (1e-9, "+<0.001 %"),
        (-1e-9, "-<0.001 %"),
        (567.1, "+56 710.0 %"),
        (1e300, "+1e+302 %"),
        (float("inf"), "+inf %"),
    ],
)
def test_a_change_has_a_sign_and_never_rounds_to_zero(change: float | None, text: str) -> None:
    assert format_change(change) == text


@given(st.floats(min_value=-1e307, max_value=1e307))
def test_a_shown_number_is_within_half_a_percent_or_half_a_digit(value: float) -> None:
    shown = float(format_number(value).replace(" ", ""))
    assert abs(shown - value) <= max(0.051, abs(value) * 0.005)


@given(st.integers(min_value=0, max_value=(1 << 63) - 1))
def test_bytes_survive_being_written_and_read(value: int) -> None:
    assert parse_bytes(format_bytes(value)) == value


@given(st.text(max_size=24))
def test_any_text_is_a_size_or_a_sentence(text: str) -> None:
    try:
        assert 0 <= parse_bytes(text) < 1 << 63
    except ValueError as error:
        assert "is not a size" in str(error) or "larger than" in str(error)
