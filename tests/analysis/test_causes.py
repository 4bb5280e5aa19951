# SPDX-License-Identifier: GPL-2.0-only
"""One change of a kernel that shows in many workloads is one cause, with all of them."""

import pytest

from kassay.analysis.causes import causes
from kassay.model.finding import Attribution, AttributionGroup, AttributionRow, Finding
from tests.report.parts import finding

KERNELS = ("a", "b", "c")


def _finding(workload: str, rows: tuple[AttributionRow, ...], groups: tuple[AttributionGroup, ...] = (),
             pair: tuple[str, str] = ("a", "b")) -> Finding:  # fmt: skip
    from msgspec.structs import replace

    total = sum(row.delta for row in rows)
    itemised = Attribution(total=total, rows=rows, unattributed=0.0, groups=groups)
    return replace(finding(*pair, (1000.0, 1000.0 + total)), workload=workload, attribution=itemised)


def _row(function: str, base: float, head: float, calls: tuple[float, float] = (1.0, 1.0),
         group: int | None = None) -> AttributionRow:  # fmt: skip
    return AttributionRow(
        function=function, base=base, head=head, delta=head - base, base_calls=calls[0], head_calls=calls[1],
        group=group,
    )  # fmt: skip


def test_a_function_that_changed_in_three_workloads_is_one_cause_and_comes_first() -> None:
    found = causes(
        (
            _finding("w1", (_row("only_here", 0, 200), _row("shared", 10, 19))),
            _finding("w2", (_row("shared", 20, 38, (2.0, 2.0)),)),
            _finding("w3", (_row("shared", 50, 95, (5.0, 5.0)),)),
        ),
        KERNELS,
    )
    assert [cause.function for cause in found] == ["shared", "only_here"]
    assert [row.workload for row in found[0].rows] == ["w3", "w2", "w1"]
    assert found[0].per_call == pytest.approx(9.0)


def test_small_shares_and_skipped_steps_are_no_causes() -> None:
    small = _finding("w1", (_row("f", 10, 14),))
    far = _finding("w1", (_row("f", 10, 500),), pair=("a", "c"))
    assert causes((small, far), KERNELS) == ()


def test_calls_that_differ_have_no_figure_a_call() -> None:
    (cause,) = causes((_finding("w1", (_row("f", 10, 30, (1.0, 3.0)),)), _finding("w2", (_row("f", 10, 40),))), KERNELS)
    assert cause.per_call is None


def test_a_group_counts_by_its_sum_and_under_its_root() -> None:
    group = AttributionGroup(root="root", functions=("root", "callee"), base=100.0, head=112.0, delta=12.0)
    (cause,) = causes((_finding("w1", (_row("root", 100, 20, group=0), _row("callee", 0, 92, (0, 1), 0)), (group,)),),
                      KERNELS)  # fmt: skip
    assert (cause.function, cause.callees, cause.rows[0].delta) == ("root", 1, 12.0)


def test_a_renamed_function_is_what_is_left_of_both() -> None:
    old, new = _row("__f", 60, 0, (3.0, 0.0)), _row("f", 0, 84, (0.0, 3.0))
    (cause,) = causes((_finding("w1", (old, new)),), KERNELS)
    assert (cause.function, cause.was, cause.rows[0].delta, cause.per_call) == ("f", "__f", 24.0, 8.0)
    same = _row("f", 0, 60, (0.0, 3.0))
    assert causes((_finding("w1", (old, same)),), KERNELS) == ()


def test_functions_called_in_other_numbers_are_no_renaming() -> None:
    old, new = _row("g", 60, 0, (3.0, 0.0)), _row("f", 0, 70, (0.0, 7.0))
    assert {cause.function for cause in causes((_finding("w1", (old, new)),), KERNELS)} == {"f", "g"}


def test_a_group_whose_root_is_in_a_module_too_counts_once() -> None:
    from msgspec.structs import replace

    group = AttributionGroup(root="root", functions=("root", "callee"), base=150.0, head=162.0, delta=12.0)
    rows = (
        _row("root", 100, 20, group=0), replace(_row("root", 50, 50, (3.0, 3.0), group=0), place="zsmalloc"),
        _row("callee", 0, 92, (0, 1), 0),
    )  # fmt: skip
    (cause,) = causes((_finding("w1", rows, (group,)),), KERNELS)
    assert [(row.delta, row.head_calls) for row in cause.rows] == [(12.0, 4.0)]


def test_a_renamed_function_is_paired_on_each_machine() -> None:
    from msgspec.structs import replace

    one = _finding("w1", (_row("old", 100, 0, (1, 0)), _row("new", 0, 110, (0, 1))))
    other = _finding("w1", (_row("old", 200, 0, (2, 0)), _row("new", 0, 230, (0, 2))))
    other = replace(other, machine=replace(other.machine, cpus=4))
    (cause,) = causes((one, other), KERNELS)
    assert [(row.machine.cpus, row.delta, row.base_calls) for row in cause.rows] == [(4, 30, 2), (1, 10, 1)]
