# SPDX-License-Identifier: GPL-2.0-only
"""A workload's matrix is complete, and its settings are checked before anything is built."""

import pytest
from msgspec import structs

from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import Axis, WorkloadUse
from kassay.model.program import ProgramUse
from kassay.spec.load import suite_workloads
from kassay.spec.suites import suites
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


def test_a_parameter_that_one_of_two_workloads_has_is_suggested_for_it_alone() -> None:
    axes = (Axis(name="share", values=("private", "shared")),)
    uses = tuple(WorkloadUse(name=name, axes=axes) for name in ("mprotect_toggle", "folio_munmap"))
    with pytest.raises(BadInput, match="workload folio_munmap: unknown parameter 'share'") as refused:
        check_settings(plan_of(1, workloads=uses).experiment)
    assert "--set mprotect_toggle.share=private,shared" in refused.value.remedy
    check_settings(plan_of(1, workloads=(uses[0], WorkloadUse(name="folio_munmap"))).experiment)


@pytest.mark.parametrize(
    ("name", "settings", "state", "said"),
    [
        ("memcg_charge", {}, {"memcg": "64MiB"},
         "memcg_charge cannot be measured with --memcg: its process enters a memory control group of its own"),
        ("madvise_pageout", {"swap": ("zram",)}, {"swap": "zram:64MiB"},
         "madvise_pageout cannot be measured with swap=zram and --swap: it makes the swap area itself"),
        ("swap_refault", {}, {"swap": "zram:64MiB"}, "swap_refault cannot be measured with --swap"),
        ("mincore_range", {"holds": ("present", "none"), "order": ("0", "4")}, {},
         "mincore_range cannot be measured with holds=none and order=4: order is the size of the folios of holds=pres"),
        ("folio_protect_shared", {"memory": ("file",), "order": ("2",)}, {}, "with memory=file and order=2: a ramfs"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_measured_together_are_refused(
    name: str, settings: dict[str, tuple[str, ...]], state: dict[str, str], said: str
) -> None:
    use = WorkloadUse(name=name, axes=tuple(Axis(name=key, values=values) for key, values in settings.items()))
    experiment = structs.replace(plan_of(1, workloads=(use,)).experiment, **state)
    with pytest.raises(BadInput) as refused:
        check_settings(experiment)
    assert said in refused.value.what
    assert len(refused.value.what.splitlines()) == 1


def test_settings_that_do_not_touch_a_conflict_are_taken() -> None:
    axes = (Axis(name="holds", values=("present",)), Axis(name="order", values=("0", "4")))
    taken = WorkloadUse(name="mincore_range", axes=axes), WorkloadUse(name="mprotect_toggle")
    for use, state in zip(taken, ({"swap": "zram:64MiB"}, {"memcg": "64MiB"}), strict=True):
        check_settings(structs.replace(plan_of(1, workloads=(use,)).experiment, **state))


@pytest.mark.parametrize("suite", suites())
def test_no_suite_has_settings_that_cannot_be_measured(suite: str) -> None:
    check_settings(plan_of(1, workloads=suite_workloads(suite)).experiment)


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
