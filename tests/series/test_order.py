# SPDX-License-Identifier: GPL-2.0-only
"""Trees are built so that little is built twice."""

from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from kassay.tools.series.rows import cost, nearest_first


def changed(one: str, other: str) -> list[str]:
    """Trees are named after the files that differ from base: "ab" has a.c and b.c changed, "H" a common header."""
    return ["include/linux/mm.h" if name == "H" else f"mm/{name}.c" for name in sorted(set(one) ^ set(other))]


def total(order: tuple[str, ...]) -> int:
    return sum(cost(changed(a, b)) for a, b in pairwise(order))


def test_a_header_that_all_include_weighs_more_than_files() -> None:
    assert cost(["include/linux/mm.h"]) > cost(["mm/internal.h"]) > cost(["mm/mprotect.c"] * 3)
    assert cost(["Documentation/mm/x.rst"]) == 0


def test_rows_with_the_same_header_stand_together() -> None:
    order = nearest_first(("", "H", "a", "Ha", "b", "Hb"), changed)
    assert order[0] == ""
    headers = ["H" in tree for tree in order]
    assert headers == sorted(headers)
    assert total(order) == min(total(("", *rest)) for rest in permutations(order[1:]))


@given(st.lists(st.text("abcH", max_size=4).map(lambda t: "".join(sorted(set(t)))), min_size=1, max_size=8))
def test_every_tree_is_built_once_and_the_first_first(trees: list[str]) -> None:
    order = nearest_first(trees, changed)
    assert order[0] == trees[0]
    assert sorted(order) == sorted(set(trees))
