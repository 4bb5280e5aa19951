# SPDX-License-Identifier: GPL-2.0-only
"""Kernels that a chain of comparisons connects are in one group."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.tools.history.linked import linked

nodes = st.integers(0, 7)


@given(st.lists(st.tuples(nodes, nodes), max_size=8))
def test_two_are_in_one_group_if_pairs_lead_from_one_to_the_other(pairs: list[tuple[int, int]]) -> None:
    groups = linked(pairs)
    assert groups.keys() == {node for pair in pairs for node in pair}
    for start in groups:
        reached, size = {start}, 0
        while len(reached) > size:
            size = len(reached)
            reached |= {node for pair in pairs if reached & {*pair} for node in pair}
        assert reached == {node for node, group in groups.items() if group == groups[start]}
