# SPDX-License-Identifier: GPL-2.0-only
"""From the two profiles of a finding to the functions in which its difference lies."""

import pytest

from kassay.errors import BadInput
from kassay.labs.notice.paths import KernelPath, KernelPaths
from kassay.labs.notice.subject import named, sought_of
from tests.notice.paths import paths

WAY = "mprotect > do_mprotect_pkey > mprotect_fixup"


def test_code_that_was_split_out_is_one_change_with_the_function_that_held_it() -> None:
    base = paths({WAY: 20, f"{WAY} > change_protection": 271, f"{WAY} > change_protection > commit": 12})
    head = paths({
        WAY: 20, f"{WAY} > change_protection": 1, f"{WAY} > change_protection > change_pte_range": 238,
        f"{WAY} > change_protection > change_pte_range > vm_normal_page": 66,
        f"{WAY} > change_protection > change_pte_range > commit": 340,
    })  # fmt: skip
    found = sought_of(base, head)
    assert found.whole == {"change_protection"} and not found.alone
    assert found.callers == ("do_mprotect_pkey", "mprotect_fixup")


def test_a_function_whose_own_code_alone_grew_counts_without_what_it_calls() -> None:
    base = paths({"getpid > glue": 10, "getpid > glue > work": 100})
    head = paths({"getpid > glue": 60, "getpid > glue > work": 100})
    found = sought_of(base, head)
    assert found.alone == {"glue"} and not found.whole


def test_two_changes_below_one_caller_are_two_functions() -> None:
    base = paths({"munmap > unmap": 5, "munmap > unmap > zap": 100, "munmap > unmap > free": 100})
    head = paths({"munmap > unmap": 5, "munmap > unmap > zap": 160, "munmap > unmap > free": 150})
    found = sought_of(base, head)
    assert found.whole | found.alone == {"zap", "free"}


def test_entry_functions_of_other_names_are_the_same_system_call() -> None:
    base = paths({"clone > kernel_clone > copy": 100})
    head = paths({"clone > kernel_clone > copy": 150})
    renamed = head.paths[0]._replace(functions=("do_syscall_64", "__do_sys_clone", "kernel_clone", "copy"))
    assert sought_of(base, head._replace(paths=(renamed,))).alone == {"copy"}


def test_a_system_call_that_one_kernel_does_all_inline_is_a_change_of_the_whole_call() -> None:
    base = paths({"mincore": 100})
    head = paths({"mincore": 10, "mincore > do_mincore": 200})
    assert sought_of(base, head).whole == {"__x64_sys_mincore"}


def test_kernels_that_do_the_same_have_no_change_to_look_for() -> None:
    one = paths({"mincore > do_mincore": 1000})
    with pytest.raises(BadInput, match="no change to look for"):
        sought_of(one, one)


def test_what_lies_below_a_sought_function_belongs_to_the_outermost_one() -> None:
    sought = named(["handle_mm_fault", "do_wp_page"])
    (path,) = paths({"read > handle_mm_fault > do_wp_page > copy": 1}).paths
    assert sought.match(path) == "handle_mm_fault"


def test_the_code_that_every_system_call_enters_by_counts_only_where_a_user_names_it() -> None:
    (path,) = paths({"read > vfs_read": 1}).paths
    assert named(["do_syscall_64"]).match(path) == "do_syscall_64"
    assert named(["do_syscall_64"])._replace(inside=True).match(path) == ""


def glue(costs: dict[str, float]) -> KernelPaths:
    """Code that belongs to no entry, by function."""
    made = tuple(KernelPath("", tuple(text.split(" > ")), 0, cost) for text, cost in costs.items())
    return KernelPaths(made, {}, sum(costs.values()))


def test_shared_entry_code_counts_only_its_own_instructions() -> None:
    found = sought_of(
        glue({"do_syscall_64": 20, "do_syscall_64 > exit": 9}), glue({"do_syscall_64": 70, "do_syscall_64 > exit": 9})
    )
    assert found.alone == {"do_syscall_64"} and not found.whole


def test_shared_code_under_another_name_is_no_change() -> None:
    base = paths({"read > vfs_read": 100})
    head = paths({"read > vfs_read": 150})
    named_a, named_b = glue({"error_return": 40}).paths, glue({"restore_regs": 41}).paths
    found = sought_of(base._replace(paths=(*base.paths, *named_a)), head._replace(paths=(*head.paths, *named_b)))
    assert found.alone == {"vfs_read"} and not found.whole


def test_interrupts_are_no_part_of_a_change() -> None:
    base, head = paths({"read > vfs_read": 100}), paths({"read > vfs_read": 150})
    tick = KernelPath("interrupt", ("asm_common_interrupt", "tick"), 0, 500, interrupt=True)
    assert sought_of(base, head._replace(paths=(*head.paths, tick))).alone == {"vfs_read"}
