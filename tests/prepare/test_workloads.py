# SPDX-License-Identifier: GPL-2.0-only
"""A workload's matrix is complete, and its settings are checked before anything is built."""

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import Axis, WorkloadUse
from kassay.model.program import ProgramUse
from kassay.supply.prepare import workloads
from kassay.supply.prepare.workloads import check_memory, check_settings, matrix
from tests.analysis.plans import plan_of


def test_a_matrix_has_every_point_with_the_last_axis_fastest() -> None:
    points = matrix((Axis(name="a", values=("1", "2")), Axis(name="b", values=("x", "y", "z"))))
    assert [tuple(s.value for s in point) for point in points] == [
        ("1", "x"), ("1", "y"), ("1", "z"), ("2", "x"), ("2", "y"), ("2", "z"),
    ]  # fmt: skip
    assert {tuple(s.name for s in point) for point in points} == {("a", "b")}
    assert matrix(()) == ((),)


@pytest.mark.parametrize(
    "use",
    [
        WorkloadUse(name="mincore_scan", axes=(Axis(name="colour", values=("red",)),)),
        WorkloadUse(name="python_start", axes=(Axis(name="colour", values=("red",)),)),
        WorkloadUse(name="p", program=ProgramUse(path="p.c"), axes=(Axis(name="colour", values=("red",)),)),
    ],
    ids=["workload", "application", "program"],
)
def test_a_parameter_that_does_not_exist_is_refused_before_anything_is_fetched(use: WorkloadUse) -> None:
    with pytest.raises(BadInput, match="unknown parameter 'colour'"):
        check_settings(plan_of(1, workloads=(use,)).experiment)


def test_the_same_setting_twice_is_refused() -> None:
    use = WorkloadUse(name="mincore_scan", axes=(Axis(name="size", values=("1MiB", "1024KiB")),))
    with pytest.raises(BadInput, match="appears twice"):
        check_settings(plan_of(1, workloads=(use,)).experiment)


def test_a_guest_may_have_more_memory_than_the_host_but_not_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workloads, "memory_bytes", lambda: 8 << 30)
    check_memory(plan_of(1, memory_bytes=(32 << 30,)).experiment, (), remote=False)
    huge = plan_of(1, memory_bytes=(64 << 30,)).experiment
    check_memory(huge, (), remote=True)
    with pytest.raises(HostLacks, match=r"64GiB on a host with 8GiB"):
        check_memory(huge, (), remote=False)
