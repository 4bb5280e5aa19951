# SPDX-License-Identifier: GPL-2.0-only
"""Number of instructions executed in each round and interval, checked against the guest's clock."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from msgspec import structs

from kassay.evidence.profile.counters import CONTEXTS_IN_FILE, DEFERRED, INTERRUPT, OTHER, RawProfile
from kassay.evidence.profile.symbols import is_kernel
from kassay.model.guest import GuestReport

WHOLE = "iteration"
_TURNS_OUTSIDE = 2
"""Turns of other tasks that may lie between the readings of run times and the region: one before, one after."""
UNSEEN_SHARE = 0.01
"""Share of the region by which profile and run times may differ: run times are read a little outside of it."""

_Table = list[list[int]]


class Totals(NamedTuple):
    """Sums over the file, each by its round and slot."""

    user: _Table
    """Instructions and string iterations executed in blocks of the user half."""
    kernel: _Table
    """Instructions and string iterations executed in blocks of the kernel half."""
    unknown: _Table
    """Upper bound of further instructions, in blocks that were left after an unknown number of instructions."""
    nodes: _Table
    """Instructions and string iterations that the call tree counted."""
    halts: _Table
    """Number of times that a CPU was halted."""


class OtherTasks(NamedTuple):
    """The guest kernel's record of tasks other than the workload's in the region."""

    ns: int
    """Run time of these tasks in ns, with the interrupts that came in."""
    turns: int
    """Number of times that one of them was given a CPU."""
    cpus: int
    """Number of CPUs of the guest."""


class Balance(NamedTuple):
    """Difference between the clock and the counts; fields as in model.profile.Profile."""

    unresolved: int = 0
    idle: int = 0
    problem: str = ""


@lru_cache(maxsize=8)
def totals(raw: RawProfile) -> Totals:
    """Adds up the file; a counter that stays the same over many rounds costs no more than in one.
    The last results are cached: callers ask several times for the same files, two alternately."""
    sums = Totals(*([[0] * (raw.intervals * CONTEXTS_IN_FILE) for _ in range(raw.rounds + 2)] for _ in Totals._fields))
    for counter, weight, table in _weights(raw, sums):
        changes = raw.changes[counter]
        end = raw.rounds + 1
        for since, flat in reversed(changes):
            begins, ends, end = table[since], table[end], since
            for slot, count in zip(flat[::2], flat[1::2], strict=True):
                begins[slot] += weight * count
                ends[slot] -= weight * count
    for table in sums:
        for before, row in pairwise(table):
            row[:] = map(int.__add__, before, row)
        table.pop()
    return sums


def _weights(raw: RawProfile, into: Totals) -> Iterator[tuple[int, int, _Table]]:
    """(counter, instructions for each count, table)."""
    for number, block in raw.blocks.items():
        size = len(block.lengths)
        half = into.kernel if is_kernel(block.address) else into.user
        yield number, size, half
        for cut in raw.cuts.get(number, ()):
            yield cut.counter, (cut.after or 0) - size, half
            if cut.after is None:
                yield cut.counter, size, into.unknown
    for number in raw.nodes:
        yield number, 1, into.nodes
    if raw.halting is not None:
        yield raw.halting, 1, into.halts


def exact_clock(report: GuestReport) -> bool:
    """True if a tick of the guest's clock is an instruction: only where instructions are counted, a TSC (or its
    equivalent) is read, and has 1 GHz; some CPUs report this frequency themselves."""
    return report.clock == "tsc" and report.ticks_per_second in (None, 10**9)


def with_counted_rounds(report: GuestReport, raw: RawProfile) -> GuestReport:
    """The report of a run whose rounds no clock was read for: their ticks are what the profile has counted in them."""
    if not report.counted:
        return report
    raw_totals = totals(raw)
    phases = []
    for phase in report.phases:
        slots = slots_of(intervals_of(report, phase.phase))
        rows = zip(raw_totals.user[1:], raw_totals.kernel[1:], strict=True)
        ticks = tuple(sum(user[slot] + kernel[slot] for slot in slots) for user, kernel in rows)
        phases.append(structs.replace(phase, ticks=ticks))
    return structs.replace(report, phases=tuple(phases))


def intervals_of(report: GuestReport, phase: str) -> range:
    """Intervals of a round that the phase covers, as its ticks do."""
    names = report.intervals
    if phase != WHOLE:
        return range(names.index(phase), names.index(phase) + 1)
    reported = [number for number, name in enumerate(names) if name != "-"]
    return range(reported[0], reported[-1] + 1)


def balance(raw_totals: Totals, report: GuestReport, phase: str, rounds: Sequence[int] | None = None) -> Balance:
    """Compares these rounds (from 0; all by default) of one phase with the guest's ticks. Without an exact clock
    everything that may be missing is unresolved."""
    slots = slots_of(intervals_of(report, phase))
    ticks = next(p.ticks for p in report.phases if p.phase == phase)
    unresolved = idle = 0
    for number in range(len(ticks)) if rounds is None else rounds:
        counted = sum(raw_totals.user[number + 1][slot] + raw_totals.kernel[number + 1][slot] for slot in slots)
        unknown = sum(raw_totals.unknown[number + 1][slot] for slot in slots)
        missing = ticks[number] - counted if exact_clock(report) else unknown
        halted = any(raw_totals.halts[number + 1][slot] for slot in slots)
        if missing < 0 or (missing > unknown and not halted):
            profiled = f"the profile has {counted} instructions in {phase} of round {number}"
            return Balance(problem=f"{profiled}, the guest's clock {ticks[number]}")
        unresolved += min(missing, unknown)
        idle += max(missing - unknown, 0)
    return Balance(unresolved=unresolved, idle=idle)


def disagreement(raw: RawProfile, raw_totals: Totals, report: GuestReport) -> str:
    """Reason why file and report, or the parts of the file, do not belong together. "" if they do."""
    rounds = len(report.phases[0].ticks)
    if raw.rounds != rounds or raw.intervals != len(report.intervals) + 1:
        marked = f"{raw.rounds} rounds of {raw.intervals} intervals"
        return f"the profile has {marked}, the guest {rounds} of {len(report.intervals) + 1}"
    if raw.lost:
        return f"the plugin lost track of {raw.lost} events"
    if raw.missed:
        return (
            f"the plugin could not follow {raw.missed} of {raw.switches} task switches: their code is not as it expects"
        )
    if raw.mode != "stacks":
        return ""
    for number in range(raw.rounds + 1):
        for slot in range(raw.intervals * CONTEXTS_IN_FILE):
            counted = raw_totals.user[number][slot] + raw_totals.kernel[number][slot]
            if raw_totals.nodes[number][slot] != counted:
                where = f"interval {slot // CONTEXTS_IN_FILE} of file round {number}"
                return (
                    f"the call tree has {raw_totals.nodes[number][slot]} instructions in {where}, the blocks {counted}"
                )
    return ""


def unseen(
    raw: RawProfile, raw_totals: Totals, report: GuestReport, others: OtherTasks | None, *, follows: bool
) -> str:
    """Reason why tasks that the guest's kernel ran may have been counted as the workload. "" if there is no sign of it.

    Only one direction is checked: a task that ended inside the region left no record, so the guest may have recorded
    less than the profile counted. With several CPUs a run time goes on while the emulator runs other CPUs, so turns are
    compared instead. follows: whether the plugin knew where the kernel switches tasks. It then saw each switch in the
    region, and a turn that it did not see was outside.
    """
    if others is None or not exact_clock(report):
        return ""
    rows = [row for half in (raw_totals.user, raw_totals.kernel) for row in half]
    by_context = [sum(sum(row[context::CONTEXTS_IN_FILE]) for row in rows) for context in range(CONTEXTS_IN_FILE)]
    total = sum(by_context)
    deferred = sum(by_context[context] for context in DEFERRED)
    if others.ns - by_context[OTHER] - by_context[INTERRUPT] - deferred <= UNSEEN_SHARE * total:
        return ""
    seen = raw.switches if raw.switches or follows else None
    if others.cpus == 1 and seen is not None and others.turns <= seen / 2 + _TURNS_OUTSIDE:
        return ""
    if others.cpus == 1:
        return (
            f"other tasks executed {by_context[OTHER] / total:.1%} of the region by the profile, and had "
            f"{others.ns / total:.1%} of it by the guest's record of run times: the plugin did not see task switches"
        )
    if raw.switches is None or 2 * raw.switches >= others.turns:
        return ""
    return (
        f"the plugin saw {raw.switches} task switches, and by the guest's record other tasks were given a CPU "
        f"{others.turns} times"
    )


def slots_of(intervals: range) -> range:
    """All slots of these intervals."""
    return range(intervals.start * CONTEXTS_IN_FILE, intervals.stop * CONTEXTS_IN_FILE)
