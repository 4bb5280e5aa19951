# SPDX-License-Identifier: GPL-2.0-only
"""How many page events the simulator takes in a second of one core: python -m benchmarks.pcp_speed [MILLIONS].

Three workloads under each policy: `pages` (4 CPUs, order 0, 2000 pages allocated and freed in turn), `mix` (orders 0 to
3, three migrate types, depths of 500 to 8000) and `large` (the same on 224 CPUs and two zones of 96 GiB, each task
keeping 2000 blocks, a tenth of the cycles freed by another CPU). CPU time of the quickest of three runs, start and end,
with the check of every page, included.
"""

import resource
import sys
import tempfile
from collections.abc import Mapping

from tests.pcp.configs import GROUP, ZONE

from kassay.effects import process
from kassay.labs.pcp.engine import RUN, Config, policies, simulator

PLAIN: Mapping[str, int] = {**GROUP, "tasks": 4, "cpu_count": 4, "depth_min": 2000, "depth_max": 2000, "slice": 1000}
MIX: Mapping[str, int] = {
    **PLAIN, "depth_min": 500, "depth_max": 8000, "depth_log": 1, "order1": 20, "order2": 10, "order3": 5,
    "unmovable": 150, "reclaimable": 20, "churn": 50, "jitter": 1,
}  # fmt: skip
LARGE: Mapping[str, int] = {**MIX, "tasks": 224, "cpu_count": 224, "keep": 2000, "remote": 100}
SMALL_ZONE: Mapping[str, int] = {
    **ZONE, "pages": 1 << 20, "cpu_count": 4, "batch": 63, "high_min": 1000, "high_max": 30_000,
    "low_watermark": 5000, "high_watermark": 8000,
}  # fmt: skip


def configs(policy: str, events: int) -> Mapping[str, Config]:
    run = {**RUN, "events": events, "cpus": 4}
    first = {**SMALL_ZONE, "pages": 24 << 20, "cpu_count": 112, "high_min": 600}
    zones = (first, {**first, "start": 24 << 20, "cpu_first": 112})
    return {
        "pages": Config(policy, run, (SMALL_ZONE,), (PLAIN,)),
        "mix": Config(policy, run, (SMALL_ZONE,), (MIX,)),
        "large": Config(policy, {**run, "cpus": 224}, zones, (LARGE,)),
    }


def rate(config: Config) -> float:
    """Million page events a second of CPU time."""
    taken = []
    with tempfile.NamedTemporaryFile("w+b") as given:
        given.write(config.text().encode())
        for _ in range(3):
            given.seek(0)
            started = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = process.run((str(simulator()),), timeout_s=600, stdin=given.file)
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.status:
                sys.exit(done.err)
            taken.append(ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime)
    return config.run["events"] / min(taken) / 1e6


def main() -> None:
    events = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 30_000_000
    print(f"{events / 1e6:.0f} million page events; millions a second of CPU time")
    for policy in policies():
        found = {name: rate(config) for name, config in configs(policy, events).items()}
        print(f"{policy:14}" + "".join(f"  {name} {value:5.1f}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
