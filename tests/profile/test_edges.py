# SPDX-License-Identifier: GPL-2.0-only
"""Calls from function to function, from the ends of blocks; calls that lead nowhere show a wrong symbol table."""

import pytest

from kassay.evidence.profile.functions import profile_of
from kassay.evidence.profile.raw import parse
from kassay.model.profile import CallEdge, Profile
from tests.profile.files import CALL_RAX, JMP_RAX, KERNEL, NOP, RET, File, call, jmp, report, symbols

A, B, THUNK, BACK = KERNEL, KERNEL + 0x100, KERNEL + 0x200, KERNEL + 0x300
TABLE = symbols(
    (A, 0x100, "a"), (B, 0x100, "b"), (THUNK, 0x20, "__x86_indirect_thunk_rax"), (BACK, 0x20, "__x86_return_thunk")
)


def edges(file: File) -> tuple[CallEdge, ...]:
    found: Profile = profile_of(
        parse(file.bytes()), TABLE, report(0, rate=1), phase="work", rounds=(0,), kernel="k", run="r"
    )
    return found.edges


def edge(calls: int, *, indirect: bool = False, tail: bool = False, context: str = "kernel") -> CallEdge:
    return CallEdge(caller="a", callee="b", context=context, calls=calls, indirect=indirect, tail=tail)


def test_a_call_counts_when_its_block_was_executed_to_the_end() -> None:
    file = File()
    block = file.block(A, NOP, call(A + 1, B))
    file.count(block, 9)
    file.count(block, 2, slot=1)
    file.count(file.stop(block, 1), 3)
    file.count(file.unknown(block), 1)
    assert edges(file) == (edge(5), edge(2, context="interrupt"))


def test_a_jump_to_another_functions_entry_is_a_tail_call() -> None:
    file = File()
    file.count(file.block(A, jmp(A, B)), 4)
    file.count(file.block(A + 8, jmp(A + 8, B + 4)), 5)  # into the middle
    file.count(file.block(A + 16, jmp(A + 16, A)), 6)  # within the function
    file.count(file.block(A + 32, b"\x0f\x84" + (B - A - 38).to_bytes(4, "little")), 7)  # conditional
    assert edges(file) == (edge(4, tail=True),)


def test_an_indirect_call_leads_where_it_was_seen_to() -> None:
    file = File()
    site, target, middle = file.block(A, CALL_RAX), file.block(B, RET), file.block(B + 8, RET)
    tail = file.block(A + 8, JMP_RAX)
    file.count(file.jump(site, target), 3)
    file.count(file.jump(tail, target), 2)
    file.count(file.jump(tail, middle), 7)
    file.count(file.jump(tail, site), 8)
    assert edges(file) == (edge(3, indirect=True), edge(2, indirect=True, tail=True))


def test_an_edge_leads_past_a_thunk() -> None:
    file = File()
    site, tail = file.block(A, call(A, THUNK)), file.block(A + 8, jmp(A + 8, THUNK))
    inner = file.block(THUNK, call(THUNK, THUNK + 0x10))
    target, back = file.block(B, RET), file.block(B + 8, jmp(B + 8, BACK))
    for counter in (site, tail, inner, target, back):
        file.count(counter, 10)
    file.count(file.jump(site, target), 6)
    file.count(file.jump(tail, target), 4)
    file.count(file.jump(back, site), 5)  # a return
    assert edges(file) == (edge(6, indirect=True), edge(4, indirect=True, tail=True))


def test_a_call_over_a_few_bytes_calls_nothing() -> None:
    file = File()
    file.count(file.block(A, call(A, A + 12)), 4)
    file.count(file.block(A + 32, call(A + 32, A)), 5)
    assert edges(file) == (CallEdge(caller="a", callee="a", context="kernel", calls=5),)


@pytest.mark.parametrize(("wrong", "told"), [(1, ""), (2, "10 of 12"), (12, "0 of 12")])
def test_calls_that_lead_to_no_function_show_a_wrong_symbol_table(wrong: int, told: str) -> None:
    functions = [(KERNEL + 64 * n, 64, f"f{n}") for n in range(13)]
    file = File()
    for number in range(12):
        site, target = KERNEL + 64 * 12 + number, KERNEL + 64 * number + (4 if number < wrong else 0)
        file.count(file.block(site, call(site, target)), 1)
    raw, table = parse(file.bytes()), symbols(*functions)
    found = profile_of(raw, table, report(12), phase="work", rounds=(0,), kernel="k", run="r")
    sentence = f"the symbol table does not match the image: {told} call targets are functions"
    assert found.problem == (sentence if told else "")


def test_few_calls_prove_nothing_about_a_symbol_table() -> None:
    file = File()
    for number in range(9):
        file.count(file.block(A + 8 * number, call(A + 8 * number, B + 64)), 1)
    found = profile_of(parse(file.bytes()), TABLE, report(9), phase="work", rounds=(0,), kernel="k", run="r")
    assert found.problem == ""
