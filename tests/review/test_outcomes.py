# SPDX-License-Identifier: GPL-2.0-only
"""Ways out of a conditional branch, from counts of blocks."""

from kassay.evidence.profile.raw import parse
from kassay.labs.review.outcomes import Way, Ways, functions_executed, together, ways_of
from kassay.model.lines import Frame, LineTable
from tests.profile.files import KERNEL, NOP, RET, File

JE_OVER_ONE = b"\x74\x01"  # je over the next byte
BRANCH, NEXT, TARGET = KERNEL + 1, KERNEL + 3, KERNEL + 4
INNER = Frame(function="helper", file="include/h.h", line=3)
FRAME = Frame(function="change", file="mm/x.c", line=12)
TABLE = LineTable(version=1, chains=((FRAME,), (INNER, FRAME)), places=((KERNEL, 1), (BRANCH, 0), (NEXT, 0)))


def ways(branch: int, following: int, target: int) -> Ways:
    """Ways of a branch that ran so often, as did its successors."""
    file = File()
    for block, count in (
        (file.block(KERNEL, NOP, JE_OVER_ONE), branch), (file.block(NEXT, NOP), following),
        (file.block(TARGET, RET), target),
    ):  # fmt: skip
        if count:
            file.count(block, count, round=1)
    return ways_of(parse(file.bytes()), TABLE, frozenset({"change"}))


def way(*, taken: bool) -> Way:
    return Way("change", "mm/x.c", 12, BRANCH, taken)


def test_a_branch_that_always_falls_through() -> None:
    assert ways(5, 5, 0) == Ways(frozenset({way(taken=False)}), frozenset({way(taken=True)}), frozenset())


def test_a_branch_that_is_always_taken() -> None:
    assert ways(5, 0, 5) == Ways(frozenset({way(taken=True)}), frozenset({way(taken=False)}), frozenset())


def test_a_branch_that_goes_both_ways() -> None:
    assert ways(5, 2, 3) == Ways(frozenset({way(taken=True), way(taken=False)}), frozenset(), frozenset())


def test_successors_that_others_lead_to_leave_a_way_open() -> None:
    # The next instruction ran as often as the branch, but the target ran, too: after it, or by the branch?
    assert ways(5, 5, 5) == Ways(frozenset(), frozenset(), frozenset({way(taken=True), way(taken=False)}))
    assert ways(5, 5, 2) == Ways(frozenset({way(taken=False)}), frozenset(), frozenset({way(taken=True)}))


def test_a_branch_of_another_function_has_no_ways() -> None:
    file = File()
    file.count(file.block(KERNEL, NOP, JE_OVER_ONE), 1, round=1)
    assert ways_of(parse(file.bytes()), TABLE, frozenset({"helper"})) == Ways(frozenset(), frozenset(), frozenset())


def test_functions_that_are_inlined_ran_as_well() -> None:
    file = File()
    file.count(file.block(KERNEL, NOP, JE_OVER_ONE), 1, round=1)
    assert functions_executed(TABLE, parse(file.bytes())) == {"change", "helper"}


def test_a_way_that_one_run_took_is_not_missed() -> None:
    taken, passed = frozenset({way(taken=True)}), frozenset({way(taken=False)})
    runs = (Ways(taken, passed, frozenset()), Ways(passed, frozenset(), taken))
    assert together(runs) == Ways(taken | passed, frozenset(), frozenset())
    assert together([Ways(taken, passed, frozenset())]).missed == passed
