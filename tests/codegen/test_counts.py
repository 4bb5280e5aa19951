# SPDX-License-Identifier: GPL-2.0-only
"""Executions per instruction."""

from pathlib import Path

import pytest

from kassay.labs.codegen.objects import contains
from kassay.supply.machine_code.code import FunctionCode
from kassay.supply.machine_code.images import Image
from kassay.supply.machine_code.listing import Listing, counted, listing, same_shape, with_counts
from tests.codegen.compiled import SCAN, built, code_of, linked, stubs

TOP = 0xFFFFFFFF81000000


def scan(directory: Path) -> tuple[FunctionCode, Listing]:
    found = Image(linked((stubs(), built(SCAN)), TOP, directory)).find("scan")
    assert found is not None
    return found, listing(found)


def test_counts_are_per_operation_and_add_up(tmp_path: Path) -> None:
    function, code = scan(tmp_path)
    places = {spot[1]: 20 for spot in code.spots}
    found = counted(function, code, places, 10)
    assert found.counts == (2.0,) * len(code.instructions)
    assert found.executed == 2.0 * len(code.instructions)


def test_what_ran_outside_is_not_counted(tmp_path: Path) -> None:
    function, code = scan(tmp_path)
    start = function.parts[0].spot[1]
    found = counted(function, code, {start - 1: 5, start + len(function.parts[0].code): 5, start: 3}, 1)
    assert found.executed == 3.0


def test_code_patched_in_counts_for_the_instruction_it_replaced(tmp_path: Path) -> None:
    function, code = scan(tmp_path)
    number = next(i for i, one in enumerate(code.instructions) if one.size >= 5)
    at = code.spots[number][1]
    found = counted(function, code, {at: 4, at + 3: 4}, 1)
    assert (found.counts[number], found.executed) == (8.0, 8.0)


def test_counts_stand_beside_their_instructions() -> None:
    code = code_of(SCAN).instructions
    assert [one.count for one in with_counts(code, range(len(code)))] == list(range(len(code)))


def test_shapes_are_equal_but_for_names() -> None:
    other = SCAN.replace("visit(", "visited(")
    assert same_shape(code_of(SCAN).instructions, code_of(other).instructions)
    assert not same_shape(code_of(SCAN).instructions, code_of(SCAN.replace("+ 7", "* 7")).instructions)


@pytest.mark.parametrize(
    ("text", "function", "found"),
    [
        ("static void *s_start(int a)\n\t__acquires(&vn->lock) __cold\n{\n}\n", "s_start", True),
        ("SYSCALL_DEFINE2(mprotect, unsigned long, start, size_t, len)\n{\n}\n", "__do_sys_mprotect", True),
        ("SYSCALL_DEFINE2(mprotect_key, unsigned long, start, size_t, len)\n{\n}\n", "__do_sys_mprotect", False),
        ("void f(void)\n{\n\tif (s_start(1)) {\n\t}\n\ts_start(2);\n}\n", "s_start", False),
    ],
)
def test_a_definition_is_found_with_its_attributes(text: str, function: str, found: bool) -> None:
    assert contains(text, function) is found
