# SPDX-License-Identifier: GPL-2.0-only
"""The queue of contention.queues beside the zone lock of the PCP simulator: one lock, equal holds, no transfers."""

import pytest

from kassay.labs.pcp.engine import run
from kassay.labs.predict.contention.names import SPIN, SYSTEM
from kassay.labs.predict.contention.queues import GIVE, TAKE, Action, Level, Load, Machine, contended
from tests.pcp.configs import config

PAGES, BATCH, HOLD = 300, 15, 40_000
"""Pages that a task takes and gives back in a cycle; pages of a refill or drain; ps that the zone lock is held."""


@pytest.mark.parametrize(("cpus", "alloc_ps"), [(2, 60_000), (4, 3_000), (8, 3_000)])
def test_cpus_wait_for_the_zone_lock_as_in_the_pcp_simulator(cpus: int, alloc_ps: int) -> None:
    group = {"tasks": cpus, "cpu_count": cpus, "alloc_ns": 0, "free_ns": 0, "depth_min": PAGES, "depth_max": PAGES}
    zone = {"cpu_count": cpus, "batch": BATCH, "high_min": 2 * BATCH, "high_max": 2 * BATCH}
    costs = {"alloc_ps": alloc_ps, "free_ps": alloc_ps, "lock_ps": HOLD, "refill_block_ps": 0, "drain_block_ps": 0,
             "split_ps": 0, "merge_ps": 0, "handover_ps": 0}  # fmt: skip
    outcome = run(config("fixed", group, zone, (), cpus=cpus, warmup_events=20_000, **costs))
    taken = outcome.counters["acquisitions"]
    waits = outcome.counters["wait_ps"] / taken
    hold = outcome.counters["hold_ps"] / taken
    busy = sum(outcome.counters[name] for name in ("allocations", "frees")) * alloc_ps
    load = Load((Action(round(busy / taken), TAKE, 0, SPIN), Action(round(hold), GIVE, 0, SPIN)), 0, (SYSTEM,))
    found = contended(load, Machine((Level(cpus, 0),), cpus), cpus)
    each = found.waiting[0] * cpus / found.repeats
    assert each == pytest.approx(waits, abs=0.5 * hold, rel=0.15)
