# SPDX-License-Identifier: GPL-2.0-only
"""A day of a farm of 200 hosts, simulated: the planner and the slots of kassay itself, on a clock that jumps.

usage: python -m benchmarks.cluster.farm [HOURS [HOSTS [SEED]]]     About 6 minutes for 24 hours on an idle core.

Runs take the times of recorded_boots.txt. One of a hundred fails: half of these lose their host for two minutes, and go
to another one; the other half end with an outcome that is not good, and are tried again. The plan has as many runs as
the farm could make in that time if nothing failed.
"""

import heapq
import random
import resource
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.analysis.plans import plan_of

from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import RunRecord, WallTime
from kassay.run.scheduler import run_all
from kassay.tools.cluster.slots import Slot, Slots

RECORDED = tuple(
    float(word)
    for line in (Path(__file__).parent / "recorded_boots.txt").read_text().splitlines()
    for word in line.split()
    if not line.startswith("#")
)
FAILING, AWAY_S, RETRIES = 0.01, 120.0, 2


class Clock:
    """Simulated seconds. They pass when every thread that could do something sleeps, waits for a slot, or has nothing
    left to do: `under_way` says how many threads that are, `waiting` how many wait for a slot that nobody frees."""

    def __init__(self, under_way: Callable[[], int], waiting: Callable[[], int]) -> None:
        self.now = 0.0
        self._under_way, self._waiting = under_way, waiting
        self._lock = threading.RLock()
        self._asleep = self._number = 0
        self._later: list[tuple[float, int, Callable[[], object] | threading.Event]] = []

    def sleep(self, seconds: float) -> None:
        """Until so many simulated seconds have passed."""
        woken = threading.Event()
        with self._lock:
            self._add(seconds, woken)
            self._asleep += 1
            self.go_on()
        woken.wait()

    def after(self, seconds: float, do: Callable[[], object]) -> None:
        """Calls it when so many simulated seconds have passed."""
        with self._lock:
            self._add(seconds, do)

    def go_on(self) -> None:
        """To the next moment at which something happens, if nobody has anything to do before."""
        with self._lock:
            while self._later and self._asleep + self._waiting() >= self._under_way() > 0:
                self.now, _, what = heapq.heappop(self._later)
                if isinstance(what, threading.Event):
                    self._asleep -= 1
                    what.set()
                    return
                what()

    def _add(self, seconds: float, what: Callable[[], object] | threading.Event) -> None:
        self._number += 1
        heapq.heappush(self._later, (self.now + seconds, self._number, what))


class Farm:
    """Hosts of one slot each, and what a planner asks of them."""

    def __init__(self, hosts: int, plan: Plan, draw: int) -> None:
        self.clock = Clock(self._under_way, self._waiting_in_vain)
        self.slots = Slots(float("inf"), lambda: self.clock.now)
        self.busy_s = 0.0
        self.lost_at: list[float] = []
        self.kept: list[RunRecord] = []
        self._draw, self._retries = draw, plan.experiment.retries
        self._room = 0
        self._left, self._again = len(plan.runs), 0
        self._lock = threading.Lock()
        self._waiting = self._taken = 0
        for number in range(hosts):
            self.slots.arrive(Slot(f"address {number}", f"host {number}"), 1)

    def jobs(self) -> int:
        """Number of jobs, in answer to run_all."""
        self._room = max(1, self.slots.count())
        self.clock.go_on()
        return self._room

    def keep(self, record: RunRecord) -> None:
        """Keep a record that run_all gives."""
        self.kept.append(record)
        self._again += record.outcome != "ok" and record.attempt <= self._retries
        self._left -= 1
        if not self._left:
            self._left, self._again = self._again, 0
        self.clock.go_on()

    def measure(self, run: PlannedRun, attempt: int) -> RunRecord:
        """A run, moved to another slot where its host is lost."""
        draw = random.Random(f"{self._draw} {run.id} {attempt}")
        seconds = draw.choice(RECORDED)
        while True:
            slot = self._take()
            lost = draw.random() < FAILING / 2
            self.clock.sleep(seconds * draw.random() if lost else seconds)
            with self._lock:
                self._taken -= 1
                self.busy_s += 0.0 if lost else seconds
            if lost:
                self.slots.leave(slot.address)
            self.slots.give_back(slot)
            if not lost:
                break
            self.lost_at.append(self.clock.now)
            self.clock.after(AWAY_S, lambda slot=slot: self.slots.arrive(slot, 1))  # type: ignore[misc]
        outcome = "machine-died" if draw.random() < FAILING / 2 else "ok"
        return RunRecord(run=run.id, attempt=attempt, outcome=outcome, detail="", stream_sha256=None, argv=(),
                         console_sha256=None, wall=WallTime(workload_s=seconds), started_utc="")  # fmt: skip

    def _take(self) -> Slot:
        with self._lock:
            self._waiting += 1
        self.clock.go_on()
        slot = self.slots.take()
        with self._lock:
            self._waiting -= 1
            self._taken += 1
        return slot

    def _under_way(self) -> int:
        return min(self._room, self._left)

    def _waiting_in_vain(self) -> int:
        with self._lock:
            return max(0, self._waiting - max(0, self.slots.count() - self._taken)) if self._waiting else 0


class Day(NamedTuple):
    """Result of a simulated plan."""

    runs: int
    doubled: int
    """Runs with two good records."""
    lost: int
    """Runs without a good record."""
    tried_again: int
    moved: int
    hours: float
    used: float
    spent_s: float
    """Real seconds that the simulation took."""


def simulate(hours: float, hosts: int, draw: int = 1) -> Day:
    """A plan that keeps so many hosts busy for so many hours."""
    runs = int(hours * 3600 * hosts / (sum(RECORDED) / len(RECORDED)))
    plan = plan_of(2, repeats=runs // 2, perturb=0, retries=RETRIES)
    farm = Farm(hosts, plan, draw)
    started = time.monotonic()
    run_all(plan, (), farm.measure, farm.keep, farm.jobs)
    spent, end = time.monotonic() - started, farm.clock.now
    away_s = sum(min(AWAY_S, end - at) for at in farm.lost_at)
    good = Counter(record.run for record in farm.kept if record.outcome == "ok")
    return Day(
        runs=len(plan.runs), doubled=sum(count > 1 for count in good.values()), lost=len(plan.runs) - len(good),
        tried_again=len(farm.kept) - len(plan.runs), moved=len(farm.lost_at), hours=end / 3600,
        used=farm.busy_s / (hosts * end - away_s), spent_s=spent,
    )  # fmt: skip


def main() -> None:
    """Prints what came of the day."""
    hours = float(sys.argv[1]) if len(sys.argv) > 1 else 24.0
    hosts = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    day = simulate(hours, hosts, int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{hosts} hosts, {day.runs} runs of {sum(RECORDED) / len(RECORDED):.1f} s in {day.hours:.2f} hours: "
          f"{day.used:.2%} of the time that hosts were there they made runs")  # fmt: skip
    print(
        f"{day.moved} went to another host, {day.tried_again} were tried again; {day.lost} lost, {day.doubled} doubled"
    )
    print(f"{1000 * day.spent_s / day.runs:.2f} ms of real time a run, {most:.0f} MB")
    assert not day.doubled


if __name__ == "__main__":
    main()
