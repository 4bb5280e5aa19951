# SPDX-License-Identifier: GPL-2.0-only
"""Does the simulator lose no page, repeat itself, refuse what cannot be, and have the names that Python has?"""

import re

import pytest

from kassay.errors import BadInput
from kassay.labs.pcp.engine import RUN, policies, run, sources
from tests.pcp.configs import GROUP, ZONE, config
from tests.pcp.reference_policies import REFERENCE


@pytest.mark.parametrize("policy", REFERENCE)
def test_what_enters_pcps_and_zone_leaves_them_or_is_there(policy: str) -> None:
    group = {"order2": 50, "order3": 100, "churn": 100, "unmovable": 200, "reclaimable": 50, "jitter": 1, "remote": 100}
    found = run(config(policy, group))
    counters = found.counters
    assert found.pages == ZONE["pages"]
    assert counters["refilled_pages"] - counters["drained_pages"] + counters["freed_pages"] == (
        counters["allocated_pages"] + sum(pcp.count for pcp in found.pcps)
    )
    assert counters["refilled_pages"] == sum(pcp.refilled_pages for pcp in found.pcps)
    assert counters["drained_pages"] == sum(pcp.drained_pages for pcp in found.pcps)
    assert counters["decay_pages"] == sum(pcp.decay_pages for pcp in found.pcps)
    high_orders = sum(row.drained << row.order for row in found.orders if 0 < row.order <= 3)
    assert high_orders == sum(pcp.high_order_drained for pcp in found.pcps)
    assert counters["refilled_pages"] - counters["drained_pages"] == ZONE["pages"] - found.free[0]
    assert counters["acquisitions"] == counters["refills"] + counters["drains"]
    assert counters["refills"] and counters["drains"] and counters["unseen"] == counters["failed"] == 0


def test_the_same_input_gives_the_same_digits_and_another_seed_others() -> None:
    group = {"jitter": 1, "depth_max": 900}
    first, second, other = (run(config("auto", group, seed=seed)) for seed in (1, 1, 2))
    assert first.counters == second.counters and first.pcps == second.pcps and first.samples == second.samples
    assert first.counters != other.counters


def test_the_defaults_name_each_parameter_once() -> None:
    text = (sources() / "params.def").read_text()
    for macro, names in (("RUN", RUN), ("ZONE", ZONE), ("GROUP", GROUP)):
        assert re.findall(rf"^{macro}\((\w+)", text, re.M) == list(names)


def test_every_policy_names_its_sources() -> None:
    assert all(policy.kernels and policy.summary for policy in policies().values())
    assert "6.1." in policies()["fixed"].kernels and "6.12." in policies()["auto"].kernels


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"zone": {"high_min": 3000}}, "high_min is above high_max"),
        ({"zone": {"used": 1 << 15}}, "all of its pages are used"),
        ({"group": {"cpu_count": 3}}, "its CPUs are not among the 2"),
        ({"group": {"order1": 600, "order3": 600}}, "the orders are more than 1000"),
        ({"group": {"depth_min": 0}}, "depth_min: 0 is not a number from 1"),
        ({"seed": 1 << 64}, "seed: 18446744073709551616 is not a number from 0"),
        ({"cpus": 0}, "cpus: 0 is not a number from 1 to 4096"),
        ({"warmup_events": 300_000}, "the run ends before its warm-up does"),
        ({"policy": "automatic"}, "unknown policy 'automatic'"),
    ],
)
def test_impossible_parameters_are_refused_by_name(changed: dict[str, int], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        run(config(**changed))  # type: ignore[arg-type]


def test_samples_begin_behind_the_warm_up() -> None:
    plain, warm = (run(config("auto", sample_ns=100_000, warmup_events=events)) for events in (0, 150_000))
    states = {(one.time_ns, one.cpu): (one.count, one.high) for one in plain.samples}
    assert all(states[one.time_ns, one.cpu] == (one.count, one.high) for one in warm.samples)
    for cpu in range(2):
        refilled = [one.refilled for one in warm.samples if one.cpu == cpu]
        assert 0 < len(refilled) < len(plain.samples) / 2 / 3
        assert refilled == sorted(refilled)
