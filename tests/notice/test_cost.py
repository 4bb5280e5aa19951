# SPDX-License-Identifier: GPL-2.0-only
"""The cost of sought functions in two profiles is given by function and by entry."""

from kassay.labs.notice.cost import cost_of
from kassay.labs.notice.subject import Sought, named
from tests.notice.paths import paths


def test_cost_is_told_by_function_and_by_system_call() -> None:
    calls = {"change_protection": 3.0, "__x64_sys_mprotect": 2.0, "__x64_sys_execve": 1.0}
    base = paths(
        {"mprotect > change_protection": 10, "execve > change_protection": 5, "read > vfs_read": 85}, calls=calls
    )
    head = paths({
        "mprotect > change_protection > change_pte_range": 30, "execve > change_protection": 6, "read > vfs_read": 85,
    }, calls=calls)  # fmt: skip
    cost = cost_of(named(["change_protection"]), base, head)
    assert (cost.base, cost.head) == (15, 36)
    (function,) = cost.functions
    assert (function.base_calls, function.head_calls) == (3, 3)
    assert [(one.entry, one.base, one.head, one.head_calls) for one in cost.entries] == [
        ("mprotect", 10, 30, 2), ("execve", 5, 6, 1),
    ]  # fmt: skip


def test_own_instructions_leave_out_what_is_called() -> None:
    base = paths({"read > glue": 10, "read > glue > work": 90})
    assert cost_of(Sought(frozenset(), frozenset({"glue"})), base, None).base == 10


def test_one_kernel_alone_has_no_second_side() -> None:
    cost = cost_of(named(["vfs_read"]), paths({"read > vfs_read": 7}), None)
    assert cost.head is None and cost.functions[0].head is None and cost.executed


def test_a_function_that_nothing_executes_costs_nothing_and_has_no_cause() -> None:
    cost = cost_of(named(["mincore_pte_range"]), paths({"read > vfs_read": 7}), paths({"read > vfs_read": 7}))
    assert not cost.executed and cost.entries == () and cost.functions[0].head == 0
