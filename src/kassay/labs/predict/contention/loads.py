# SPDX-License-Identifier: GPL-2.0-only
"""Locks of a trace -> what each CPU repeats, and tables about them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kassay.labs.predict.contention.names import LINE, NODE, PROCESS, SYSTEM
from kassay.labs.predict.contention.queues import GIVE, TAKE, TOUCH, Action, Load
from kassay.labs.predict.contention.scale_model import THREADS, LockUse
from kassay.labs.predict.contention.watched import Use, Uses

_NODE_COUNTERS = "counters of a node"
_THRESHOLD_MOST = 125
_BIG = 64 << 30
"""Bytes of a socket's memory that are assumed for the thresholds of counters on a large machine."""


class Chosen(NamedTuple):
    """Rounds and intervals of a metric, their operations together, and their time in picoseconds."""

    rounds: Sequence[int]
    intervals: range
    operations: int
    ps: float


class Guest(NamedTuple):
    """The machine that was traced."""

    cpus: int
    memory: int


class Sequenced(NamedTuple):
    """Load of one CPU, with the locks that it shares with others."""

    load: Load
    names: tuple[str, ...]
    """Names of the locks, by their numbers in the load."""
    counters: frozenset[int]
    """Numbers of the locks that are counters of a node."""


def sequenced(uses: Uses, chosen: Chosen, scale_as: str) -> Sequenced:
    """The load of one CPU, with the locks alone that CPUs share."""
    shared = {NODE, SYSTEM} | ({PROCESS} if scale_as == THREADS else set())
    numbers: dict[tuple[str, bool, int], int] = {}
    names, sharers = [], []
    events: list[tuple[float, int, str, Use, int]] = []
    begins, cycles = _begins(uses, chosen)
    for order, use in enumerate(_chosen(uses, chosen)):
        if use.lock.sharers not in shared:
            continue
        key = (use.lock.sharers, use.discipline == LINE, use.lock.address)
        if key not in numbers:
            numbers[key] = len(numbers)
            names.append(use.lock.name)
            sharers.append(use.lock.sharers if use.lock.sharers == NODE else SYSTEM)
        start, first = begins[use.round]
        begin, end = (min(start + at - first, cycles) for at in (use.begin, use.end))
        if use.discipline == LINE:
            events.append((begin, order, TOUCH, use, numbers[key]))
        else:
            events += [(begin, order, TAKE, use, numbers[key]), (end, order, GIVE, use, numbers[key])]
    events.sort(key=lambda event: event[:2])
    ps, now = chosen.ps / cycles if cycles else 0.0, 0
    actions = []
    for at, _, kind, use, number in events:
        time = round(at * ps)
        lines = (use.loads, use.stores) if kind == TAKE else (0, 0)
        actions.append(Action(time - now, kind, number, use.discipline, *lines))
        now = time
    counters = frozenset(number for number, name in enumerate(names) if name == _NODE_COUNTERS)
    load = Load(tuple(actions), max(0, round(chosen.ps) - now), tuple(sharers))
    return Sequenced(load, tuple(names), counters)


def _chosen(uses: Uses, chosen: Chosen) -> list[Use]:
    rounds = set(chosen.rounds)
    return [use for use in uses.uses if use.round in rounds and use.interval in chosen.intervals]


def _begins(uses: Uses, chosen: Chosen) -> tuple[Mapping[int, tuple[float, float]], float]:
    """By round, where it begins in the sequence and the cycle of its first use; and the cycles of all rounds."""
    first: dict[int, float] = {}
    for use in _chosen(uses, chosen):
        first.setdefault(use.round, use.begin)
    begins, total = {}, 0.0
    for number in chosen.rounds:
        begins[number] = total, first.get(number, 0.0)
        total += sum(uses.cycles.get((number, interval), 0.0) for interval in chosen.intervals)
    return begins, total


def threshold(cpus: int, memory: int) -> int:
    """Pages that a CPU counts by itself before it adds them to a node's counters (calculate_normal_threshold())."""
    return min(_THRESHOLD_MOST, 2 * cpus.bit_length() * (1 + (memory >> 27).bit_length()))


def on_large_machine(sequence: Sequenced, guest: Guest, cpus: int) -> Load:
    """The load on a machine of so many CPUs, on which counters of a node are written more seldom."""
    few, many = threshold(guest.cpus, guest.memory), threshold(cpus, _BIG)
    load = sequence.load
    if not sequence.counters or many <= few:
        return load
    kept, delay, seen = [], 0, Counter[int]()
    for action in load.actions:
        delay += action.delay
        if action.lock in sequence.counters:
            before = seen[action.lock]
            seen[action.lock] += 1
            if before * few // many == (before + 1) * few // many:
                continue
        kept.append(action._replace(delay=delay))
        delay = 0
    return Load(tuple(kept), load.rest + delay, load.sharers)


def lock_uses(uses: Uses, chosen: Chosen) -> tuple[LockUse, ...]:
    """Every lock that is taken, those first that are held longest."""
    _, cycles = _begins(uses, chosen)
    groups: dict[tuple[str, str, bool], list[Use]] = {}
    for use in _chosen(uses, chosen):
        groups.setdefault((use.lock.name, use.lock.sharers, use.lock.known), []).append(use)
    found = []
    for (name, sharers, known), group in groups.items():
        held = sum(use.end - use.begin for use in group)
        ns = chosen.ps / 1000 / cycles if cycles else 0.0
        found.append(
            LockUse(
                name=name, sharers=sharers, known=known, takes=len(group) / chosen.operations,
                hold_ns=held * ns / len(group), held=held / cycles if cycles else 0.0,
                lines=sum(use.loads + use.stores for use in group) / len(group),
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda one: (-one.held, -one.takes, one.name)))
