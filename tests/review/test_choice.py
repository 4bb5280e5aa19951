# SPDX-License-Identifier: GPL-2.0-only
"""Settings that are run and measured."""

from kassay.labs.review.choice import chosen, neighbours, use_of
from kassay.labs.review.model import Key
from kassay.labs.review.outcomes import Way
from kassay.model.experiment import Axis, WorkloadUse
from kassay.model.records import Setting
from kassay.supply.guest import catalog


def key(name: str) -> Key:
    return name, (Setting(name="order", value="0"),)


def way(address: int) -> tuple[str, Way]:
    return "head", Way("f", "mm/x.c", 1, address, True)


def test_neighbours_are_all_combinations_of_choices_at_the_size_of_the_suite() -> None:
    use = WorkloadUse(name="madvise_pageout", axes=(Axis(name="size", values=("2MiB",)),))
    near = neighbours(use, catalog.workloads()["madvise_pageout"])
    settings = [{axis.name: axis.values for axis in one.axes} for one in near]
    assert len(settings) == 6  # pages of three kinds, with and without swap
    assert {one["size"] for one in settings} == {("2MiB",)}
    assert {one["pages"] + one["swap"] for one in settings} == {
        (pages, swap) for pages in ("default", "thp", "base") for swap in ("none", "zram")
    }


def test_neighbours_are_settings_that_can_be_measured() -> None:
    use = WorkloadUse(name="mincore_range", axes=(Axis(name="holds", values=("none",)),))
    near = neighbours(use, catalog.workloads()["mincore_range"])
    settings = [{axis.name: axis.values[0] for axis in one.axes} for one in near]
    assert len(settings) > 1
    assert {one["holds"] for one in settings if one["order"] != "0"} <= {"present"}


def test_too_many_combinations_become_one_choice_at_a_time() -> None:
    workload = catalog.workloads()["mprotect_toggle"]  # 2 * 2 * 3 * 2 combinations
    near = neighbours(WorkloadUse(name="mprotect_toggle"), workload)
    usual = {p.name: p.default for p in workload.parameters}
    for use in near:
        assert sum(axis.values != (usual[axis.name],) for axis in use.axes) <= 1
    assert len(near) == 6


def test_orders_of_folios_are_four() -> None:
    use = WorkloadUse(name="folio_fork", axes=(Axis(name="order", values=("0", "9")),))
    near = neighbours(use, catalog.workloads()["folio_fork"])
    assert [{a.name: a.values for a in one.axes}["order"] for one in near] == [("0",), ("2",), ("4",), ("9",)]


def test_the_extremes_come_first_and_then_the_fewest_that_take_every_way() -> None:
    took = {key("a"): {way(1)}, key("b"): {way(1), way(2), way(3)}, key("c"): {way(3)}, key("d"): {way(4)}}
    changes = {key("a"): 0.5, key("b"): 0.0, key("c"): -0.2, key("d"): 0.0}
    assert chosen(took, changes, 1, 12) == (key("c"), key("a"), key("b"), key("d"))
    assert chosen(took, changes, 1, 2) == (key("c"), key("a"))
    assert chosen(took, {}, 1, 12) == (key("b"), key("d"))
    assert chosen({}, {}, 2, 12) == ()


def test_a_setting_that_changes_nothing_is_no_extreme() -> None:
    assert chosen({}, {key("a"): 0.0, key("b"): 0.1}, 2, 12) == (key("b"),)


def test_a_key_becomes_a_use_with_one_value_for_each_parameter() -> None:
    assert use_of(key("a")) == WorkloadUse(name="a", axes=(Axis(name="order", values=("0",)),))
