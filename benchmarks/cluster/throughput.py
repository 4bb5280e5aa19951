# SPDX-License-Identifier: GPL-2.0-only
"""How many runs a cluster makes beside one worker, and what a run costs there that takes no time by itself.

usage: python -m benchmarks.cluster.throughput [SECONDS]     As root. About 6 minutes; 32 slots take 4 GiB of memory.

Runs sleep (SECONDS, 5 by default) instead of computing: 32 hosts would not find CPUs here. Encrypted, four hosts. Each
count of slots is busy for 100 s at least, after runs that bring kernel and program to each host.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.cluster.fleet import SLEEPING, Fleet, asleep, fleet
from benchmarks.cluster.network import obstacle

WORKERS = ("alpha", "beta", "gamma", "delta")
SLOTS = (1, 8, 32)
KERNEL = "debian:6.12"
_AT_LEAST_S, _LEAST_TURNS = 100, 4
_TRIVIAL = 1000
_TRIVIAL_SLOTS = 4


class Timed(NamedTuple):
    """Time that a plan took."""

    runs: int
    seconds: float
    cpu_s: float
    """Processor seconds of the submitting process."""

    @property
    def rate(self) -> float:
        """Runs a second."""
        return self.runs / self.seconds


def timed(fleet: Fleet, name: str, runs: int, asleep_s: float, *, far: bool = True) -> Timed:
    """A plan of so many runs, on the cluster or (far=False) in the process that asks."""
    spec = fleet.directory / f"{name}.toml"
    spec.write_text(asleep(KERNEL, asleep_s, runs))
    words = (str(spec), str(fleet.directory / name), *((fleet.address,) if far else ()))
    asked = fleet.asks_python("benchmarks.cluster._timed", *words)
    status = asked.ended()
    assert status == 0, asked.text
    found = json.loads(asked.text.splitlines()[-1])
    assert found["runs"] == runs, asked.text
    for line in asked.text.splitlines():
        if "CPUs" not in line and line.startswith("cluster:"):
            print(f"    {line}", flush=True)
    return Timed(runs, found["seconds"], found["cpu_s"])


def _with_slots(directory: Path, slots: int, asleep_s: float) -> Timed:
    """A new fleet of so many slots, on as many hosts as there are for them."""
    hosts = WORKERS[: min(slots, len(WORKERS))]
    with fleet(directory, *hosts, extension=SLEEPING) as made:
        for name in hosts:
            made.worker(name, slots // len(hosts))
        made.wait_for_workers(*hosts)
        timed(made, "first", 2 * slots, 0.0)
        return timed(made, "asleep", slots * max(_LEAST_TURNS, round(_AT_LEAST_S / asleep_s)), asleep_s)


def _trivial(directory: Path) -> tuple[Timed, Timed]:
    """Runs that take no time: in the process that asks, and on the cluster."""
    with fleet(directory, *WORKERS, extension=SLEEPING) as made:
        for name in WORKERS:
            made.worker(name, _TRIVIAL_SLOTS // len(WORKERS))
        made.wait_for_workers(*WORKERS)
        timed(made, "first", 2 * _TRIVIAL_SLOTS, 0.0)
        return timed(made, "here", _TRIVIAL, 0.0, far=False), timed(made, "far", _TRIVIAL, 0.0)


def main() -> None:
    """Prints the throughput of each count of slots beside one, and the overhead of a run."""
    if problem := obstacle():
        raise SystemExit(f"skipped: {problem}")
    asleep_s = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    with tempfile.TemporaryDirectory(prefix="throughput-") as name:
        here, far = _trivial(_made(Path(name, "trivial")))
        for where, found in (("in one process", here), (f"on {_TRIVIAL_SLOTS} slots", far)):
            wall, cpu = (1000 * seconds / found.runs for seconds in (found.seconds, found.cpu_s))
            print(f"{found.runs} trivial runs {where}: {wall:.1f} ms a run, {cpu:.1f} ms of them CPU of who asks")
        alone = 0.0
        for slots in SLOTS:
            found = _with_slots(_made(Path(name, str(slots))), slots, asleep_s)
            alone = alone or found.rate
            times = found.rate / alone
            print(f"{slots} slots: {found.runs} runs of {asleep_s} s in {found.seconds:.1f} s, "
                  f"{times:.2f} times one slot ({times / slots:.3f} N)", flush=True)  # fmt: skip


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory


if __name__ == "__main__":
    main()
