# SPDX-License-Identifier: GPL-2.0-only
"""A row of a difference by function of the sources: it adds up exactly, and points at the line that differs."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.attribution import itemise
from kassay.analysis.source_shares import Lines, lines_of, source_parts
from kassay.model.profile import FunctionCost, LineCount, Profile

FILE = "mm/mprotect.c"
_Counts = dict[tuple[str, int], int]
line_counts: st.SearchStrategy[_Counts] = st.dictionaries(
    st.tuples(st.sampled_from(("f", "g", "h")), st.integers(1, 9)), st.integers(1, 1000), min_size=1
)


def lines(counts: _Counts) -> tuple[LineCount, ...]:
    return tuple(LineCount(function=f, file=FILE, line=line, count=n) for (f, line), n in counts.items())


def profile(operations: int, **functions: _Counts) -> Profile:
    costs = tuple(
        FunctionCost(function=name, place="kernel", context="kernel", instructions=sum(counts.values()),
                     lines=lines(counts))
        for name, counts in functions.items()
    )  # fmt: skip
    ticks = sum(cost.instructions for cost in costs)
    return Profile(kernel="k", run="r", mode="counts", phase="p", rounds=(0,), operations=operations, ticks=ticks,
                   functions=costs, edges=())  # fmt: skip


@given(line_counts, line_counts, st.integers(1, 50), st.integers(1, 50))
def test_the_parts_of_a_row_add_up_to_it_exactly(base: _Counts, head: _Counts, per_base: int, per_head: int) -> None:
    parts = source_parts(Lines(lines(base), per_base), Lines(lines(head), per_head))
    assert sum(part.base for part in parts) == Fraction(sum(base.values()), per_base)
    assert sum(part.head for part in parts) == Fraction(sum(head.values()), per_head)
    assert {part.function for part in parts} == {function for function, _ in (*base, *head)}


def test_the_line_is_the_one_that_differs_not_the_one_that_costs_most() -> None:
    base = {("g", 10): 500, ("g", 11): 20, ("g", 12): 90}
    head = {("g", 13): 500, ("g", 14): 20, ("g", 15): 40, ("g", 16): 90}  # three lines were added above, one between
    (part,) = source_parts(Lines(lines(base), 10), Lines(lines(head), 10))
    assert (part.function, part.file, part.line, float(part.delta)) == ("g", FILE, 15, 4.0)
    (part,) = source_parts(Lines(lines(head), 10), Lines(lines(base), 10))  # the same line, in the source that has it
    assert (part.line, float(part.delta)) == (15, -4.0)


def test_an_added_line_is_named_not_a_costly_one_that_hardly_changed() -> None:
    base = {("g", 10): 100, ("g", 20): 3}
    head = {("g", 10): 101, ("g", 15): 50, ("g", 21): 3}
    assert [part.line for part in source_parts(Lines(lines(base), 1), Lines(lines(head), 1))] == [15]
    assert [part.line for part in source_parts(Lines(lines(head), 1), Lines(lines(base), 1))] == [15]


def test_every_count_may_differ_when_operations_do() -> None:
    base, head = {("g", line): 1000 * line for line in range(1, 9)}, {("g", line): 1001 * line for line in range(1, 9)}
    (part,) = source_parts(Lines(lines(base), 7), Lines(lines({**head, ("g", 9): 20}), 7))
    assert part.line == 9


def test_a_function_that_only_base_executes_has_its_line_there() -> None:
    parts = source_parts(Lines(lines({("f", 3): 10, ("g", 7): 50}), 10), Lines(lines({("f", 3): 10}), 10))
    assert [(part.function, part.line, float(part.delta)) for part in parts] == [("g", 7, -5.0), ("f", 3, 0.0)]


def test_a_side_without_lines_gives_no_parts() -> None:
    cost = FunctionCost(function="f", place="kernel", context="kernel", instructions=5)
    assert lines_of((cost,), 1) is None
    assert source_parts(lines_of((cost,), 1), Lines(lines({("f", 1): 5}), 1)) == ()


def test_an_itemised_difference_names_inlined_functions_with_their_lines() -> None:
    base = profile(10, outer={("outer", 5): 100, ("inner", 20): 300})
    head = profile(10, outer={("outer", 5): 100, ("inner", 20): 300, ("inner", 21): 400})
    found = itemise(base, head, 40.0, 80.0, unit="instructions/page")
    assert found.sentence == "+40 instructions/page: outer +40 (of it inner +40 at mm/mprotect.c:21)"
    (row,) = found.rows
    assert [(one.function, one.line, one.delta) for one in row.source] == [("inner", 21, 40.0), ("outer", 5, 0.0)]


def test_a_function_of_its_own_is_named_once_with_its_line() -> None:
    found = itemise(profile(1, f={("f", 5): 10}), profile(1, f={("f", 6): 14}), 10.0, 14.0, unit="x")
    assert found.sentence == "+4 x: f +4 (mm/mprotect.c:6)"


def test_without_lines_on_one_side_nothing_is_said_of_sources() -> None:
    cost = FunctionCost(function="f", place="kernel", context="kernel", instructions=14)
    head = Profile(kernel="k", run="r", mode="counts", phase="p", rounds=(0,), operations=1, ticks=14,
                   functions=(cost,), edges=())  # fmt: skip
    found = itemise(profile(1, f={("f", 5): 10}), head, 10.0, 14.0, unit="x")
    assert (found.sentence, found.rows[0].source) == ("+4 x: f +4", ())
