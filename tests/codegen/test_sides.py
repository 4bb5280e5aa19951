# SPDX-License-Identifier: GPL-2.0-only
"""Two listings beside each other."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.codegen import Instruction
from kassay.report import sides
from kassay.report.sides import aligned_sides, count_text, folded

listings = st.lists(st.sampled_from(("push", "pop", "jne .L1", "jne .L2", "ret")), max_size=12)


def code(texts: Sequence[str]) -> tuple[Instruction, ...]:
    return tuple(Instruction(part="f", offset=at, size=1, text=text) for at, text in enumerate(texts))


@given(listings, listings, st.booleans())
def test_every_instruction_stands_there_once_in_its_order(left: list[str], right: list[str], large: bool) -> None:
    limit = sides._MOST_PAIRS
    sides._MOST_PAIRS = 0 if large else limit
    try:
        rows = aligned_sides(code(left), code(right))
    finally:
        sides._MOST_PAIRS = limit
    assert [row.left.text for row in rows if row.left] == left
    assert [row.right.text for row in rows if row.right] == right
    for row in rows:
        if not row.mark:
            assert row.left and row.right and row.left.text.split(" ")[0] == row.right.text.split(" ")[0]


def test_marks_say_who_has_an_instruction() -> None:
    rows = aligned_sides(code(("push", "mov a", "pop", "ret")), code(("push", "mov b", "pop", "nop", "ret")))
    assert [row.mark for row in rows] == ["", "|", "", ">", ""]


def test_other_numbers_of_labels_are_no_difference() -> None:
    assert not any(row.mark for row in aligned_sides(code(("jne .L1",)), code(("jne .L12",))))


def test_equal_instructions_far_from_a_difference_are_counted() -> None:
    same = [f"i{n}" for n in range(20)]
    rows = folded(aligned_sides(code([*same, "a", *same]), code([*same, "b", *same])), 2)
    assert [row.gap for row in rows] == [18, 0, 0, 0, 0, 0, 18]


def test_a_count_that_is_not_known_is_no_zero() -> None:
    assert [count_text(count) for count in (None, 0.0, 0.001, 2.0)] == ["", "0", "<0.01", "2.00"]
