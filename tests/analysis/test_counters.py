# SPDX-License-Identifier: GPL-2.0-only
"""Counters of kernels are shown per operation: events, interrupts of all CPUs added up, calls with their meaning."""

import msgspec

from kassay.analysis.counters import at_points, called, counted
from kassay.model.finding import Attribution, AttributionRow
from kassay.model.run import CellEvidence
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement


def side(label: str, *runs: dict[str, str | None]) -> CellEvidence:
    """Runs of two rounds."""
    made = [msgspec.structs.replace(measurement([100, 100]), counters=tuple(sorted(run.items()))) for run in runs]
    return evidence(label, *made)


def rows(base: CellEvidence, head: CellEvidence) -> dict[str, tuple[float | None, float | None]]:
    phase = base.measurements[0].phases[0] if base.measurements else head.measurements[0].phases[0]
    scale = phase.operations * len(phase.ticks)
    found = counted(base, head, phase.phase)
    return {
        c.name: tuple(None if value is None else value * scale for value in (c.base, c.head))  # type: ignore[misc]
        for c in found
    }


def test_events_that_changed_are_rows_and_levels_are_not() -> None:
    base = side("a", {"pgfault": "40", "nr_free_pages": "-7", "pgmajfault": "0", "pcp.0.Normal.0.count": "3"})
    head = side("b", {"pgfault": "80", "pgmajfault": "0"})
    assert rows(base, head) == {"pgfault": (40, 80)}


def test_a_counter_that_a_kernel_does_not_have_is_unknown_and_a_task_that_did_not_run_is_zero() -> None:
    base = side("a", {"pgfault": "40"})
    head = side("b", {"pgfault": "40", "nr_tlb_remote_flush": "4", "ran.kworker.cpu0": "7"})
    assert rows(base, head) == {"nr_tlb_remote_flush": (None, 4), "pgfault": (40, 40), "ran.kworker.cpu0": (0, 7)}


def test_a_counter_is_the_mean_of_the_plain_runs() -> None:
    assert rows(side("a", {"pgfault": "40"}, {"pgfault": "60"}), side("b", {"pgfault": "50"})) == {"pgfault": (50, 50)}


def test_interrupts_are_added_up_over_the_cpus() -> None:
    base = side("a", {"ipi.tlb_shootdown.cpu0": "1", "ipi.tlb_shootdown.cpu1": "5"})
    found = rows(base, base)
    assert found["ipi.tlb_shootdown"] == (6, 6)
    assert found["ipi.tlb_shootdown.cpu1"] == (5, 5)


def test_of_a_side_without_runs_nothing_is_known() -> None:
    found = counted(side("a", {"pgfault": "4"}), evidence("b"), side("a", {}).measurements[0].phases[0].phase)
    assert [(one.name, one.head) for one in found] == [("pgfault", None)]


def test_every_definition_says_what_was_counted_and_over_what() -> None:
    names = (
        "ipi.reschedule.cpu0", "ipi.call_function.cpu1", "cpu0.ran", "cpu0.turns", "ran.a.b.cpu3",
        "ran.kworker/0:1.cpu0", "pgfault",
    )  # fmt: skip
    one = side("a", dict.fromkeys(names, "2"))
    definitions = {c.name: c.definition for c in counted(one, one, one.measurements[0].phases[0].phase)}
    assert set(names) <= set(definitions)
    assert all("over all rounds and phases" in text for text in definitions.values())
    assert "from when they were given it, also before the region" in definitions["cpu0.ran"]
    assert "to the last tick or switch" in definitions["ran.a.b.cpu3"]
    assert "tasks named 'a.b' ran" in definitions["ran.a.b.cpu3"] and "CPU3" in definitions["ran.a.b.cpu3"]


def row(function: str, base: float, head: float) -> AttributionRow:
    return AttributionRow(function=function, base=1, head=1, delta=0, base_calls=base, head_calls=head)


def test_calls_of_functions_are_added_up_under_what_they_mean() -> None:
    made = (row("flush_tlb_func", 3, 2), row("do_kernel_range_flush", 1, 0), row("other", 9, 9))
    found = called(Attribution(total=0, rows=made, unattributed=0))
    assert [(one.name, one.base, one.head) for one in found] == [("tlb.flush_targets", 4, 2)]
    assert "flush_tlb_func, do_kernel_range_flush" in found[0].definition
    assert called(None) == ()


def test_of_each_point_every_plain_run_has_its_figures() -> None:
    """Events in all, levels as they stood; what no kernel counted is left out."""
    base = side("a", {"pgfault": "40", "pgmajfault": "0"}, {"pgfault": "42", "pgmajfault": "0"})
    levels = (("memory.MemFree", "900"), ("nr_free_pages", "225"), ("pgfault", "1000"), ("pcp.0.DMA32.0.high", "0"))
    moved = msgspec.structs.replace(side("b", {"pgfault": "9"}).measurements[0], perturbation=1)
    head = side("b", {"pgfault": "44", "nr_tlb_remote_flush": "3"})
    measured = msgspec.structs.replace(head.measurements[0], levels=levels)
    cell = msgspec.structs.replace(head.cell, id="c1", kernel=1)
    head = msgspec.structs.replace(head, cell=cell, measurements=(measured, moved))
    (point,) = at_points(plan_of(2), (head, base))
    assert (point.kernels, point.metric, point.operations) == (("a", "b"), "iteration", ((20, 20), (20,)))
    assert {(one.name, one.kind): one.runs for one in point.counters} == {
        ("nr_tlb_remote_flush", "events"): ((None, None), (3,)),
        ("pgfault", "events"): ((40, 42), (44,)),
        ("memory.MemFree", "level"): ((None, None), (900,)),
        ("nr_free_pages", "level"): ((None, None), (225,)),
    }


def test_a_level_of_a_page_list_says_whose_it_is() -> None:
    levels = (("pcp.1.Normal.3.high", "9"), ("memory.Active(anon)", "4"))
    one = side("a", {})
    measured = msgspec.structs.replace(one.measurements[0], levels=levels)
    (point,) = at_points(plan_of(1), (msgspec.structs.replace(one, measurements=(measured,)),))
    texts = {counter.name: counter.definition for counter in point.counters}
    assert texts["pcp.1.Normal.3.high"].startswith("high of CPU3's page list, node 1, zone Normal: /proc/zoneinfo")
    assert texts["memory.Active(anon)"].startswith("Active(anon) of /proc/meminfo (kB)")
