# SPDX-License-Identifier: GPL-2.0-only
"""How often each branch went each way and each loop iterated, from counts of blocks alone."""

from kassay.evidence.profile.function_branches import branches_of
from kassay.evidence.profile.raw import parse
from kassay.model.branches import FunctionBranches, Times
from kassay.model.lines import Frame, LineTable
from tests.profile.files import CALL_RAX, JMP_RAX, KERNEL, NOP, RET, File, call, jmp, report, symbols

SIZE = 0x100
OTHER = KERNEL + SIZE
SYMBOLS = symbols((KERNEL, SIZE, "walk"), (OTHER, SIZE, "walk.cold"), (OTHER + SIZE, SIZE, "helper"))


def je(site: int, target: int) -> bytes:
    return b"\x74" + (target - site - 2).to_bytes(1, "little", signed=True)


def jne(site: int, target: int) -> bytes:
    return b"\x75" + (target - site - 2).to_bytes(1, "little", signed=True)


def found(file: File, function: str = "walk", lines: LineTable | None = None) -> FunctionBranches:
    return branches_of(parse(file.bytes()), SYMBOLS, report(1), function, phase="work", rounds=(0,), lines=lines)


def times(least: int, most: int | None = None) -> Times:
    return Times(least=least, most=least if most is None else most)


def blocks(*parts: tuple[int, bytes, int]) -> File:
    """Blocks of a no-op and this instruction (none if empty), each at an address, with a count."""
    file = File()
    for address, code, count in parts:
        file.count(file.block(address, NOP, *([code] if code else [])), count)
    return file


def test_each_way_is_counted_by_the_block_that_it_leads_to() -> None:
    a, b, c = KERNEL, KERNEL + 3, KERNEL + 0x20
    seen = found(blocks((a, je(a + 1, c), 10), (b, RET, 7), (c, RET, 3)))
    (branch,) = seen.branches
    assert (branch.instruction, branch.place.symbol, branch.place.offset) == ("je", "walk", 1)
    assert (branch.executed, branch.taken, branch.passed, branch.leads_to) == (10, times(3), times(7), 0x20)
    assert seen.calls == 10


def test_a_place_that_several_lead_to_is_told_apart_by_the_other_way_of_each() -> None:
    """Both branches lead to c, and b is only reached by not taking the first."""
    a, b, d, c = KERNEL, KERNEL + 3, KERNEL + 6, KERNEL + 0x20
    seen = found(blocks((a, je(a + 1, c), 10), (b, je(b + 1, c), 7), (d, RET, 2), (c, RET, 8)))
    assert [(branch.taken, branch.passed) for branch in seen.branches] == [
        (times(3), times(7)),
        (times(5), times(2)),
    ]


def test_a_jump_to_the_next_instruction_is_subtracted() -> None:
    """The cold part jumps back behind the branch, so fewer came there by not taking it."""
    a, b, c = KERNEL, KERNEL + 7, OTHER + 0x10
    file = File()
    near = b"\x0f\x84" + (c - (a + 1) - 6).to_bytes(4, "little")  # je to the cold part
    file.count(file.block(a, NOP, near), 10)
    file.count(file.block(b, RET), 10)
    file.count(file.block(c, NOP, jmp(c + 1, b)), 4)
    (branch,) = found(file).branches
    assert (branch.taken, branch.passed) == (times(4), times(6))


def test_what_counts_do_not_decide_stays_a_range() -> None:
    """The target follows a call, so it is reached by returns as well; so is the next instruction, through a pointer."""
    a, b, t = KERNEL + 0x40, KERNEL + 0x43, KERNEL + 0x60
    file = blocks((a, je(a + 1, t), 10), (b, RET, 9), (t, RET, 6))
    site = file.block(KERNEL + 0x10, JMP_RAX)
    into = file.block(b, NOP, RET)
    file.count(site, 6)
    file.count(file.jump(site, into), 6)
    call = file.block(t - 2, CALL_RAX)
    file.count(call, 5)
    (branch,) = found(file).branches
    assert (branch.executed, branch.taken, branch.passed) == (10, times(1, 6), times(4, 9))
    assert not branch.taken.is_exact


def test_a_function_may_lead_to_its_own_entry_and_so_may_any_other() -> None:
    a, b = KERNEL, KERNEL + 3
    (branch,) = found(blocks((a, je(a + 1, a), 10), (b, RET, 6))).branches
    assert (branch.taken, branch.passed) == (times(4), times(6))


def test_a_loop_with_its_test_at_the_end() -> None:
    """Entered from above inside of a block, 5 times; the branch leads back 35 times."""
    a, head, end = KERNEL, KERNEL + 1, KERNEL + 5
    file = File()
    file.count(file.block(a, NOP, NOP, NOP, jne(a + 3, head)), 5)
    file.count(file.block(head, NOP, NOP, jne(a + 3, head)), 35)
    file.count(file.block(end, RET), 5)
    seen = found(file)
    (branch,) = seen.branches
    assert (branch.executed, branch.taken) == (40, times(35))
    (loop,) = seen.loops
    assert (loop.place.offset, loop.iterations, loop.entered) == (1, 40, times(5))


def test_a_loop_inside_a_loop_and_one_that_is_entered_at_its_test() -> None:
    """outer: inner: ... jne inner; ... jmp test; body: nop; test: jne body."""
    outer, inner, after = KERNEL + 1, KERNEL + 2, KERNEL + 5
    file = File()
    file.count(file.block(KERNEL, NOP, NOP, NOP, jne(KERNEL + 3, inner)), 1)
    file.count(file.block(inner, NOP, jne(KERNEL + 3, inner)), 27)
    file.count(file.block(outer, NOP, NOP, jne(KERNEL + 3, inner)), 2)
    file.count(file.block(after, jne(after, outer)), 3)
    jump, body = after + 2, after + 0x20
    test = body + 1
    file.count(file.block(jump, jmp(jump, test)), 1)
    file.count(file.block(test, jne(test, body)), 1)
    file.count(file.block(body, NOP, jne(test, body)), 8)
    file.count(file.block(test + 2, RET), 1)
    seen = [(loop.place.offset, loop.iterations, loop.entered) for loop in found(file).loops]
    assert seen == [(1, 3, times(1)), (2, 30, times(3)), (test - KERNEL, 9, times(1))]


def test_a_jump_back_to_a_place_that_is_reached_past_it_is_no_loop() -> None:
    """Code that the compiler placed behind the rest jumps back to where the others meet."""
    a, b, c = KERNEL, KERNEL + 3, KERNEL + 0x20
    file = blocks((a, je(a + 1, c), 10), (b, RET, 10), (c, jmp(c + 1, b), 4))
    assert found(file).loops == ()


def test_inlined_copies_are_found_by_lines() -> None:
    a, b = KERNEL, KERNEL + 3
    inner = Frame(function="pte_write", file="include/linux/pgtable.h", line=7)
    outer = Frame(function="walk", file="mm/walk.c", line=30)
    table = LineTable(version=1, chains=((outer,), (inner, outer)), places=((a, 0), (a + 1, 1), (b, 0)))
    file = blocks((a, je(a + 1, KERNEL + 0x20), 10), (b, RET, 10))
    assert found(file, "pte_write").branches == ()
    seen = found(file, "pte_write", table)
    assert [branch.place.frames for branch in seen.branches] == [(inner, outer)]
    assert (seen.calls, seen.has_lines) == (0, True)


def test_the_part_in_which_a_function_goes_on_is_no_call_and_its_loop_is_one_loop() -> None:
    """5 calls: 2 go on in the part by a jump, 1 by a branch. Another function calls the part 4 times."""
    whole, near, part, other = KERNEL, KERNEL + 0x20, KERNEL + 0x40, KERNEL + 0x80
    at = symbols((whole, 0x40, "walk"), (part, 0x40, "walk.part.0"), (other, 0x40, "helper"))
    file = blocks((whole, je(whole + 1, part), 5), (whole + 3, je(whole + 4, near), 4), (whole + 6, RET, 2),
                  (near, jmp(near + 1, part), 2), (other, call(other + 1, part), 4), (part + 4, RET, 7))  # fmt: skip
    file.count(file.block(part, NOP, NOP, jne(part + 2, part + 1)), 7)
    file.count(file.block(part + 1, NOP, jne(part + 2, part + 1)), 20)
    seen = branches_of(parse(file.bytes()), at, report(1), "walk", phase="work", rounds=(0,))
    assert [(loop.place.symbol, loop.place.offset, loop.iterations) for loop in seen.loops] == [("walk.part.0", 1, 27)]
    assert seen.branches[0].taken == times(1)
    assert seen.calls == 9


def test_another_functions_branches_are_not_shown() -> None:
    a = KERNEL
    file = blocks((a, je(a + 1, a + 0x20), 10), (a + 3, RET, 10))
    assert found(file, "helper") == FunctionBranches(branches=(), loops=(), calls=0, has_lines=False)
