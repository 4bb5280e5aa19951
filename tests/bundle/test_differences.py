# SPDX-License-Identifier: GPL-2.0-only
"""Every field that differs is named with both values; later additions are fine."""

import json
from math import isclose
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.tools.bundle.verify import differences

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
REPORT = {"findings": [{"change": 0.5, "interval": [0.4, 0.6], "verdict": "regression"}], "plan_id": "p"}


def copy() -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(REPORT))
    return copied


@given(JSON)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert differences(value, json.loads(json.dumps(value))) == ()


@given(SCALARS, SCALARS)
def test_two_scalars_differ_unless_they_are_equal(packed: Any, found: Any) -> None:
    same = packed == found and isinstance(packed, bool) == isinstance(found, bool)
    if isinstance(packed, float) and isinstance(found, float):
        same = isclose(packed, found, rel_tol=1e-12)
    assert (differences(packed, found) == ()) == same


def test_last_digit_of_a_computed_value_may_be_rounded_otherwise() -> None:
    assert differences([2.227531398526151, 0.1], [2.2275313985261502, 0.1]) == ()
    (found,) = differences([2.2275314], [2.2275315])
    assert found.path == "[0]"


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("change", 0.51, "findings[0].change is 0.51, computed 0.5"),
        ("verdict", "equivalent", "findings[0].verdict is 'equivalent', computed 'regression'"),
        ("interval", None, "findings[0].interval is None, computed [0.4, 0.6]"),
        ("interval", [0.4], "length of findings[0].interval is 1, computed 2"),
        ("more", 1, "findings[0].more is 1, computed absent"),
    ],
)
def test_a_field_that_was_tampered_with_is_named(place: str, value: Any, said: str) -> None:
    packed = copy()
    packed["findings"][0][place] = value
    assert [str(one) for one in differences(packed, copy())] == [said]


def test_a_finding_that_was_taken_out_or_put_in_is_named() -> None:
    packed = copy()
    packed["findings"] *= 2
    assert [one.path for one in differences(packed, copy())] == ["length of findings"]
    packed["findings"] = []
    assert [one.path for one in differences(packed, copy())] == ["length of findings"]


def test_a_field_that_a_later_version_added_is_fine() -> None:
    found = copy()
    found["findings"][0]["standing"] = "confirmed"
    found["families"] = []
    assert differences(copy(), found) == ()


def test_what_names_a_place_or_a_version_is_no_finding() -> None:
    packed = {**copy(), "commands": ["kassay run a"], "kassay_version": "0.0.1", "next_steps": []}
    assert differences(packed, {**copy(), "commands": [], "kassay_version": "9", "next_steps": ["x"]}) == ()


def test_true_is_not_one_and_long_values_are_cut() -> None:
    assert len(differences({"a": True}, {"a": 1})) == 1
    assert len(str(differences({"a": "x" * 500}, {"a": "y" * 500})[0])) < 200
