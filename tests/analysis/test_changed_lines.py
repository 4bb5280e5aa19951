# SPDX-License-Identifier: GPL-2.0-only
"""A changed line is executed, not executed, or without code; what is not known is said to be unknown."""

from collections.abc import Collection

from kassay.analysis.changed_lines import changed_lines
from kassay.model.lines import (
    EXECUTED,
    NO_CODE,
    NOT_EXECUTED,
    NOTHING_OF_ITS_OWN,
    ChangedLines,
    LinesRan,
    Reached,
    SourceChange,
    SourcePart,
)

REACHED = {
    "g": Reached(function="g", workloads=("mremap_move",), count=1, kernel="7.3"),
    "f": Reached(function="f", workloads=(), count=0, kernel="7.3"),
}


def part(function: str, lines: tuple[int, ...], code: tuple[int, ...], removed: tuple[int, ...] = (),
         removed_code: tuple[int, ...] = ()) -> SourcePart:  # fmt: skip
    reason = "" if code or removed_code else NOTHING_OF_ITS_OWN
    return SourcePart(path="mm/a.c", function=function, lines=lines, removed=removed, code=code,
                      removed_code=removed_code, reason=reason)  # fmt: skip


def found(
    *parts: SourcePart, base: Collection[int] = (), head: Collection[int] = (), outside: Collection[int] = ()
) -> ChangedLines:
    """outside: lines that both kernels executed only outside of the measured part."""
    change = SourceChange(base="a", head="b", parts=parts, hunks=len(parts))
    return changed_lines(change, ran(base, outside), ran(head, outside), REACHED)


def ran(measured: Collection[int], outside: Collection[int] = ()) -> LinesRan:
    return LinesRan({"mm/a.c": measured}, {"mm/a.c": {*measured, *outside}})


def test_a_line_is_executed_if_head_executed_it() -> None:
    changed = found(part("f", (4, 5, 6), (4, 5)), head={5, 9})
    assert changed.state == EXECUTED
    assert (changed.parts[0].executed, changed.parts[0].not_executed, changed.parts[0].without_code) == ((5,), (4,), 1)


def test_changed_lines_that_never_ran_are_not_executed() -> None:
    changed = found(part("g", (4, 5), (4,)), part("f", (8,), (8,)), part("g", (20,), (20,)), head={1})
    assert changed.state == NOT_EXECUTED
    assert [one.function for one in changed.elsewhere] == ["g", "f"]


def test_lines_without_code_are_no_statement_about_the_workload() -> None:
    changed = found(part("g", (4, 5), ()), head={1})
    assert (changed.state, changed.parts[0].state) == (NO_CODE, NO_CODE)
    assert (changed.parts[0].reason, changed.parts[0].without_code, changed.elsewhere) == (NOTHING_OF_ITS_OWN, 2, ())


def test_a_removed_line_is_looked_up_in_base() -> None:
    removal = part("f", (), (), removed=(7,), removed_code=(7,))
    gone = found(removal, base={7})
    assert (gone.state, gone.parts[0].removed_executed, gone.parts[0].line) == (EXECUTED, (7,), 7)
    assert found(removal, head={7}).state == NOT_EXECUTED  # head's line 7 is another one


def test_a_line_that_ran_has_code_even_if_the_image_lists_none() -> None:
    """A call of a function that is inlined there may have no row of its own in the line table."""
    assert found(part("f", (4,), ()), head={4}).parts[0].reason == ""
    assert found(part("f", (4,), ()), head={4}).state == EXECUTED


def test_lines_that_ran_only_outside_of_the_measured_part_are_not_executed() -> None:
    changed = found(part("g", (4, 5, 6), (4, 5), (7,), (7,)), outside={5, 6, 7})
    (one,) = changed.parts
    assert (changed.state, one.executed, one.removed_executed) == (NOT_EXECUTED, (), ())
    assert (one.outside, one.removed_outside, one.not_executed, one.removed_not_executed) == ((5, 6), (7,), (4,), ())
    assert (one.without_code, [reach.function for reach in changed.elsewhere]) == (0, ["g"])
    partly = found(part("f", (4, 5), (4, 5)), head={4}, outside={5})
    assert (partly.state, partly.parts[0].executed, partly.parts[0].outside) == (EXECUTED, (4,), (5,))


def test_change_is_executed_if_one_part_is() -> None:
    changed = found(part("f", (4,), (4,)), part("g", (9,), (9,)), part("h", (12,), ()), head={4})
    assert changed.state == EXECUTED
    assert [one.state for one in changed.parts] == [EXECUTED, NOT_EXECUTED, NO_CODE]
    assert [one.function for one in changed.elsewhere] == ["g"]


def test_what_is_not_known_is_no_state() -> None:
    change = SourceChange(base="a", head="b", absent="no-line-tables")
    assert changed_lines(change, ran(()), ran(()), REACHED) == ChangedLines(absent="no-line-tables")
