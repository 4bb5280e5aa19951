# SPDX-License-Identifier: GPL-2.0-only
"""Do CPUs that run ahead meet at the zone lock as they would one event after the other; and who wakes whom?"""

from itertools import pairwise

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kassay.labs.pcp.engine import Config, run
from tests.pcp.configs import GROUP, ZONE, config
from tests.pcp.reference_machine import counted
from tests.pcp.reference_policies import REFERENCE
from tests.pcp.reference_tasks import run_tasks

CPUS = 4


@st.composite
def contended(draw: st.DrawFn) -> Config:
    group = {
        **GROUP, "tasks": CPUS, "cpu_count": CPUS, "slice": draw(st.sampled_from((1, 7, 1000))),
        "alloc_ns": draw(st.sampled_from((0, 1, 40, 217))), "free_ns": draw(st.sampled_from((0, 3, 59, 120))),
        "hold_ns": draw(st.sampled_from((0, 0, 5000))), "idle_ns": draw(st.sampled_from((0, 0, 20000))),
        "depth_min": (depth := draw(st.sampled_from((30, 90, 131, 300, 500)))), "depth_max": depth,
    }  # fmt: skip
    zone = {
        "cpu_count": CPUS,
        "pages": 4096,
        "batch": 7,
        "high_min": draw(st.sampled_from((28, 40, 90))),
        "high_max": 400,
    }
    made = config(
        draw(st.sampled_from(tuple(REFERENCE))), group, zone,
        cpus=CPUS, events=0, vmstat_ns=0, sample_ns=0,
        duration_ns=draw(st.sampled_from((1000, 90_000, 200_000, 350_001))),
    )  # fmt: skip
    return Config(made.policy, made.run, made.zones, (group,))


@settings(max_examples=settings().max_examples // 2, phases=(Phase.generate,))  # minutes, to find a smaller one
@given(setup=contended())
def test_the_order_of_time_is_that_of_one_event_after_the_other(setup: Config) -> None:
    expected, found = run_tasks(setup), run(setup)
    names = counted(expected).keys()
    assert {name: found.counters[name] for name in names} == dict(counted(expected))
    pcps = [(pcp.count, pcp.high) for row in expected.pcps for pcp in row]
    assert [(pcp.count, pcp.high) for pcp in found.pcps] == pcps


def test_a_drain_that_goes_on_at_the_very_end_is_not_done() -> None:
    group = {"tasks": CPUS, "cpu_count": CPUS, "slice": 7, "alloc_ns": 40, "free_ns": 0, "hold_ns": 5000, "idle_ns": 0,
             "depth_min": 500, "depth_max": 500}  # fmt: skip
    zone = {"cpu_count": CPUS, "pages": 4096, "batch": 7, "high_min": 28, "high_max": 400}
    made = config("auto_7_3", {**GROUP, **group}, zone, cpus=CPUS, events=0, vmstat_ns=0, sample_ns=0,
                  duration_ns=90_000)  # fmt: skip
    setup = Config(made.policy, made.run, made.zones, ({**GROUP, **group},))
    expected = counted(run_tasks(setup))
    found = run(setup).counters
    assert {name: found[name] for name in expected} == dict(expected)


@pytest.mark.parametrize("policy", ["fixed", "auto", "auto_7_3"])
def test_what_one_cpu_allocates_and_another_frees_goes_through_the_zone(policy: str) -> None:
    group = {"tasks": 1, "depth_min": 32, "depth_max": 32, "order3": 1000, "remote": 1000, "remote_offset": 1}
    sender, receiver = run(config(policy, group)).pcps
    assert sender.refilled_pages and not sender.drained_pages
    assert receiver.drained_pages and not receiver.refilled_pages
    assert sender.refilled_pages - receiver.drained_pages <= sender.count + receiver.count + 8 * (32 + 4096)


def test_a_full_backlog_makes_the_sender_wait() -> None:
    group = {"tasks": 1, "depth_min": 8, "depth_max": 8, "remote": 1000, "free_ns": 100_000, "backlog": 16}
    found = run(config("auto", group, events=20_000))
    assert found.counters["allocations"] - found.counters["frees"] <= 8 * 3 + 16
    assert found.counters["asleep_ps"] > found.counters["cpu_ps"] // 3


def test_an_idle_cpu_decays_an_eighth_a_second_down_to_the_least() -> None:
    group = {"depth_min": 1500, "depth_max": 1500, "burst_cycles": 1, "burst_idle_ns": 60_000_000_000, "tasks": 1}
    found = run(config("auto", group, events=0, duration_ns=40_000_000_000, sample_ns=1_000_000_000, samples=100))
    highs = [sample.high for sample in found.samples if sample.cpu == 0][2:]
    assert highs[0] > 800 and highs[-1] == ZONE["high_min"]
    assert all(after == max(before - (before >> 3), ZONE["high_min"]) for before, after in pairwise(highs))
    assert found.pcps[0].count <= ZONE["high_min"] and found.counters["decay_pages"] > 500


@pytest.mark.parametrize(("least", "most"), [(1000, 2000), (1000, 2100), (1000, 1999), (500, 8000), (7, 7), (7, 8)])
def test_the_logarithm_of_the_depth_is_even(least: int, most: int) -> None:
    """The probability of a depth is proportional to 1 / depth. A cycle takes a second."""
    cycles = 2000
    group = {"depth_min": least, "depth_max": most, "depth_log": 1, "tasks": 1, "idle_ns": 1_000_000_000}
    found = run(config("fixed", group, events=0, duration_ns=cycles * 1_000_000_000, vmstat_ns=0, check_every=0))
    mean = (most - least + 1) / sum(1 / depth for depth in range(least, most + 1))
    assert found.counters["allocations"] / cycles == pytest.approx(mean, rel=0.02)
