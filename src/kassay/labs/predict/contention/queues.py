# SPDX-License-Identifier: GPL-2.0-only
"""CPUs that repeat one sequence of lock operations, each from another place: who waits for whom, and for how long.

Times are whole picoseconds, and events with equal times go in the order of CPUs. So the same input gives the same
digits. docs/explained/contention.md describes the disciplines.
"""

from collections import deque
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from kassay.labs.predict.contention.names import MUTEX, NODE, READER, SPIN, WRITER

TAKE, GIVE, TOUCH = "take", "give", "touch"
HANDOVERS = {SPIN: (1, 1, 3), MUTEX: (1, 2, 4), WRITER: (1, 2, 4), READER: (1, 1, 2)}
"""Moves of the lock's line between a release and the next owner's first instruction, if somebody waits: fewest,
assumed, most. One of a queued spinlock: a published transfer lasts from the owner's write until the waiter has the
line, and the waiter's own write is not waited for. A mutex and a writer's rwsem are taken by a compare-and-exchange,
which is one more. The most is with a waiter that still has to become the first of the queue."""
FEWEST, ASSUMED, MOST = range(3)
_FIRST, _EACH = 12_000, 120
"""Events of a simulation, and further ones for each CPU. The first third is not counted."""


class Action(NamedTuple):
    """One operation of a sequence."""

    delay: int
    """Time since the action before, without any wait."""
    kind: str
    lock: int
    discipline: str
    loads: int = 0
    """Lines that move with the lock and are read."""
    stores: int = 0
    """Lines that move with the lock and are only written."""


class Level(NamedTuple):
    """Line transfers within a group of CPUs."""

    cpus: int
    ps: int


class Machine(NamedTuple):
    """Times in which lines move between CPUs."""

    levels: tuple[Level, ...]
    """The smallest group first. A transfer beyond the last one takes as long as within it."""
    node: int
    """CPUs of a socket."""

    def transfer(self, a: int, b: int) -> int:
        """Time until CPU `b` has a line that CPU `a` wrote."""
        if a == b:
            return 0
        return next((level.ps for level in self.levels if a // level.cpus == b // level.cpus), self.levels[-1].ps)


class Load(NamedTuple):
    """The sequence that each CPU repeats."""

    actions: tuple[Action, ...]
    rest: int
    """Time from the last action to the end."""
    sharers: tuple[str, ...]
    """Sharers of each lock, by its number."""

    @property
    def length(self) -> int:
        return sum(action.delay for action in self.actions) + self.rest


class Contended(NamedTuple):
    """Result for one number of CPUs."""

    repeats: float
    """Sequences that all CPUs together complete in a picosecond."""
    waiting: tuple[float, ...]
    """Share of the CPUs' time that each lock makes them wait."""
    sleeping: float
    """Part of `waiting` in which readers would sleep."""
    stuck: tuple[int, ...] = ()
    """Locks that CPUs wait for without end, as their owners wait for those CPUs. No figure holds then."""


class _Lock:
    __slots__ = ("free_at", "last", "owners", "queue", "writer")

    def __init__(self) -> None:
        self.owners: list[int] = []
        self.writer = False
        self.last = -1
        self.free_at = 0
        self.queue: deque[tuple[int, int, Action]] = deque()


def contended(load: Load, machine: Machine, cpus: int, end: int = ASSUMED) -> Contended:
    """Lets `cpus` CPUs run. end: FEWEST, ASSUMED or MOST moves of lines for a handover."""
    if not load.actions:
        return Contended(cpus / load.length, (), 0.0)
    run = _Run(load, machine, cpus, end)
    run.advance((_FIRST + _EACH * cpus) // 3)
    began = run.snapshot()
    run.advance((_FIRST + _EACH * cpus) * 2 // 3)
    ended = run.snapshot()
    if stuck := run.stuck():
        return Contended(0.0, (0.0,) * len(load.sharers), 0.0, stuck)
    window = ended[0] - began[0]
    if window <= 0:
        return Contended(cpus / load.length, (0.0,) * len(load.sharers), 0.0)
    waiting = tuple((b - a) / window / cpus for a, b in zip(began[2], ended[2], strict=True))
    return Contended((ended[1] - began[1]) / window / load.length, waiting, (ended[3] - began[3]) / window / cpus)


def _outside(actions: Sequence[Action]) -> Sequence[int]:
    """Actions before which no lock is held: a CPU may begin there."""
    places, depth = [], 0
    for place, action in enumerate(actions):
        if not depth:
            places.append(place)
        depth += (action.kind == TAKE) - (action.kind == GIVE)
    return places or [0]


class _Run:
    def __init__(self, load: Load, machine: Machine, cpus: int, end: int) -> None:
        self.load, self.machine, self.end = load, machine, end
        self.actions, self.count = load.actions, len(load.actions)
        sockets = (cpus - 1) // machine.node + 1
        self.locks = [[_Lock() for _ in range(sockets if sharers == NODE else 1)] for sharers in load.sharers]
        self.delays = [action.delay for action in load.actions]
        self.delays[0] += load.rest
        self.now = self.progress = self.slept = 0
        self.waited = [0] * len(load.sharers)
        self.at: list[int] = []
        self.events: list[tuple[int, int]] = []
        outside = _outside(load.actions)
        for cpu in range(cpus):
            draw = (cpu * 0x9E3779B97F4A7C15 + 0x7F4A7C15) % (1 << 64)
            place = outside[draw * len(outside) >> 64]
            part = draw * 0xD1B54A32D192ED03 % (1 << 64)
            self.at.append(place)
            self.events.append((self.delays[place] * part >> 64, cpu))
        heapify(self.events)

    def snapshot(self) -> tuple[int, int, list[int], int]:
        return self.now, self.progress, list(self.waited), self.slept

    def stuck(self) -> tuple[int, ...]:
        """Locks that are waited for by CPUs which can never go on, because owners wait for them in turn."""
        waiting = {cpu: number for number, group in enumerate(self.locks) for lock in group for _, cpu, _ in lock.queue}
        owners = {cpu: lock.owners for group in self.locks for lock in group for _, cpu, _ in lock.queue}
        going = {cpu for _, cpu in self.events}
        while freed := {cpu for cpu in waiting.keys() - going if going.issuperset(owners[cpu])}:
            going |= freed
        return tuple(sorted({number for cpu, number in waiting.items() if cpu not in going}))

    def advance(self, events: int) -> None:
        for _ in range(events):
            if not self.events:
                return
            self.now, cpu = heappop(self.events)
            place = self.at[cpu]
            action = self.actions[place]
            self.progress += self.delays[place]
            group = self.locks[action.lock]
            lock = group[cpu // self.machine.node] if len(group) > 1 else group[0]
            if action.kind == TOUCH:
                self._go_on(cpu, self._line(lock, cpu, action.lock, self.now))
            elif action.kind == TAKE:
                self._take(lock, cpu, action)
            else:
                self._give(lock, cpu, action)

    def _go_on(self, cpu: int, time: int) -> None:
        place = self.at[cpu] + 1
        if place == self.count:
            place = 0
        self.at[cpu] = place
        heappush(self.events, (time + self.delays[place], cpu))

    def _line(self, lock: _Lock, cpu: int, number: int, time: int) -> int:
        """When the CPU has written the line that others write as well."""
        begin = max(time, lock.free_at)
        cost = self.machine.transfer(lock.last, cpu) if lock.last >= 0 else 0
        lock.last, lock.free_at = cpu, begin + cost
        self.waited[number] += begin + cost - time
        return begin + cost

    def _take(self, lock: _Lock, cpu: int, action: Action) -> None:
        reads = action.discipline == READER
        if lock.queue or (lock.owners and not (reads and not lock.writer)):
            lock.queue.append((self.now, cpu, action))
            return
        self._own(lock, cpu, action, self.now, self.now, 1)

    def _own(self, lock: _Lock, cpu: int, action: Action, asked: int, time: int, moves: int) -> None:
        """The lock is the CPU's from `time` on, after so many moves of its line."""
        lock.owners.append(cpu)
        lock.writer = action.discipline != READER
        if not lock.writer:
            ready = self._line(lock, cpu, action.lock, time)
            self.waited[action.lock] += time - asked
        else:
            transfer = self.machine.transfer(lock.last, cpu) if lock.last >= 0 else 0
            ready = time + transfer * (moves + self._moved(action))
            lock.last, lock.free_at = cpu, ready
            self.waited[action.lock] += ready - asked
        self._go_on(cpu, ready)

    def _moved(self, action: Action) -> int:
        """Moves of the protected lines that the owner waits for: at best all at once."""
        if self.end == FEWEST:
            return min(1, action.loads)
        return action.loads + (action.stores if self.end == MOST else 0)

    def _give(self, lock: _Lock, cpu: int, action: Action) -> None:
        time = self.now
        if action.discipline == READER:
            time = self._line(lock, cpu, action.lock, time)
        if cpu in lock.owners:
            lock.owners.remove(cpu)
        lock.last = cpu
        while lock.queue and not (lock.owners and (lock.writer or lock.queue[0][2].discipline != READER)):
            asked, other, wanted = lock.queue.popleft()
            if wanted.discipline == READER:
                self.slept += time - asked
            self._own(lock, other, wanted, asked, time, HANDOVERS[wanted.discipline][self.end])
        self._go_on(cpu, time)
