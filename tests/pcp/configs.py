# SPDX-License-Identifier: GPL-2.0-only
"""Small configurations of the simulator."""

from collections.abc import Mapping

from kassay.labs.pcp.engine import RUN, Config, PcpState

ZONE: Mapping[str, int] = {
    "start": 0, "pages": 1 << 15, "used": 0, "cpu_first": 0, "cpu_count": 2, "batch": 15, "high_min": 100,
    "high_max": 2000, "low_watermark": 100, "high_watermark": 200,
}  # fmt: skip
GROUP: Mapping[str, int] = {
    "tasks": 2, "cpu_first": 0, "cpu_count": 2, "depth_min": 300, "depth_max": 300, "depth_log": 0, "keep": 0,
    "newest_first": 0, "churn": 0, "order1": 0, "order2": 0, "order3": 0, "order9": 0, "unmovable": 0,
    "reclaimable": 0, "alloc_ns": 500, "free_ns": 100, "jitter": 0, "hold_ns": 0, "idle_ns": 0, "burst_cycles": 0,
    "burst_idle_ns": 0, "remote": 0, "remote_offset": 0, "backlog": 4096, "slice": 64,
}  # fmt: skip


def config(policy: str = "auto", group: Mapping[str, int] | None = None, zone: Mapping[str, int] | None = None,
           pcps: tuple[PcpState, ...] = (), **run: int) -> Config:  # fmt: skip
    """One zone, one group, two CPUs, 200,000 page events; all pages are checked at each 1000th acquisition."""
    values = {**RUN, "cpus": 2, "events": 200_000, "check_every": 1000, **run}
    return Config(policy, values, ({**ZONE, **(zone or {})},), ({**GROUP, **(group or {})},), pcps)
