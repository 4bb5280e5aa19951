# SPDX-License-Identifier: GPL-2.0-only
"""Clones merged into their function."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.pairing import folded
from kassay.model.profile import base_name
from tests.analysis.profiles import HEAD, profile


@pytest.mark.parametrize(
    ("clone", "name"),
    [
        ("f.isra.0", "f"), ("f.part.12", "f"), ("f.constprop.0.isra.3", "f"), ("f.cold", "f"), ("f.isra.0.cold", "f"),
        ("f.llvm.1234567890", "f"), ("f", "f"), ("f.cold.b", "f.cold.b"), (".cold", ".cold"),
        ("[no symbol]", "[no symbol]"),
        ("__ksymtab.f", "__ksymtab.f"),
    ],
)  # fmt: skip
def test_a_clone_has_the_name_of_its_function(clone: str, name: str) -> None:
    assert base_name(clone) == name


@given(st.text(max_size=20))
def test_a_folded_name_folds_no_further(name: str) -> None:
    assert base_name(base_name(name)) == base_name(name)


def test_counts_add_up_and_a_cold_part_is_entered_from_inside() -> None:
    calls = {("g", "f.part.0"): 2, ("g", "f"): 1, ("f", "f.cold"): 3}
    made = folded(profile({"f": (10, 1), "f.part.0": (20, 2), "f.cold": (5, 3), "g": (1, 1)}, calls))
    assert [(one.function, one.instructions, one.calls) for one in made.functions] == [("f", 35, 3), ("g", 1, 1)]
    assert [(edge.caller, edge.callee, edge.calls) for edge in made.edges] == [("g", "f", 3)]


def test_a_function_that_goes_on_in_its_part_is_entered_once() -> None:
    calls = {("g", "f"): 3, ("f", "f.part.0"): 2, ("f.part.0", "f"): 1, ("g", "f.part.0"): 4}
    made = folded(profile({"f": (10, 4), "f.part.0": (20, 6), "g": (1, 1)}, calls))
    assert [(one.function, one.calls) for one in made.functions] == [("f", 8), ("g", 1)]


def test_a_function_that_calls_itself_still_does() -> None:
    made = folded(profile({"f": (10, 4)}, {("f", "f"): 3}))
    assert [(edge.caller, edge.callee, edge.calls) for edge in made.edges] == [("f", "f", 3)]


def test_paths_that_become_equal_are_one() -> None:
    made = folded(profile({}, stacks={("kernel", "f.isra.0"): 2, ("kernel", "f"): 3, ("kernel", "f", "g.cold"): 1}))
    assert made.stacks is not None
    assert {stack.path: stack.count for stack in made.stacks} == {("kernel", "f"): 5, ("kernel", "f", "g"): 1}


def test_without_clones_nothing_changes() -> None:
    assert folded(HEAD) == HEAD
