# SPDX-License-Identifier: GPL-2.0-only
"""The planner and the slots on a simulated farm whose hosts come and go; benchmarks/cluster/farm.py simulates a day."""

from benchmarks.cluster.farm import simulate


def test_a_farm_that_loses_hosts_makes_every_run_once_and_is_busy() -> None:
    day = simulate(hours=0.1, hosts=20)
    assert day.runs > 500 and (day.lost, day.doubled) == (0, 0)
    assert day.moved > 0 and day.tried_again > 0
    assert 0.8 < day.used <= 1.0
