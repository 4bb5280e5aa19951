# SPDX-License-Identifier: GPL-2.0-only
"""A run's profile -> records: one phase by function, and a summary of the whole region for the gate."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kassay.errors import BadInput
from kassay.evidence.profile.costs import context_of, costs, impossible, times
from kassay.evidence.profile.counters import CONTEXTS_IN_FILE, IDLE, OTHER, RawProfile
from kassay.evidence.profile.edges import edges, stacks
from kassay.evidence.profile.entries import entries
from kassay.evidence.profile.inlined import with_lines
from kassay.evidence.profile.place import mismatch, placed
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profile.totals import (
    WHOLE,
    OtherTasks,
    balance,
    disagreement,
    exact_clock,
    intervals_of,
    totals,
    unseen,
)  # fmt: skip
from kassay.model.contexts import CONTEXTS
from kassay.model.costs import counted
from kassay.model.guest import GuestReport
from kassay.model.lines import LineTable
from kassay.model.profile import DEFERRED, DeferredWork, Profile, RegionSummary

_LARGEST = 5


def profile_of(
    raw: RawProfile, symbols: Symbols, report: GuestReport, *, phase: str, rounds: Sequence[int], kernel: str, run: str,
    others: OtherTasks | None = None, lines: LineTable | None = None,
) -> Profile:  # fmt: skip
    """These rounds (from 0) of one phase ("iteration": all reported ones together).

    Always gives the counts; Profile.problem says why they may not be used. Raises BadInput
    when the run has no such phase. others: None when the guest keeps no run times. lines: None without line tables.
    """
    timed = {p.phase: p for p in report.phases}.get(phase)
    if timed is None:
        raise BadInput(f"run {run}: no phase {phase!r}", f"it has {', '.join(p.phase for p in report.phases)}")
    sums = raw.sums([number + 1 for number in rounds], intervals_of(report, phase))
    executed = [times(raw, counts) for counts in sums]
    blocks, raw_totals = placed(raw, symbols), totals(raw)
    problem = disagreement(raw, raw_totals, report)
    settled = balance(raw_totals, report, phase, rounds) if not problem else None
    problems = (
        problem, unseen(raw, raw_totals, report, others, follows=symbols.knows_task_switch),
        settled.problem if settled else "",
        *(impossible(raw, done) for done in executed),
    )  # fmt: skip
    function_costs = costs(raw, blocks, sums, executed)
    if lines is not None:
        function_costs = with_lines(function_costs, lines, raw, blocks, sums, executed)
    return Profile(
        kernel=kernel,
        run=run,
        mode=raw.mode,
        phase=phase,
        rounds=tuple(rounds),
        operations=timed.done(rounds),
        ticks=sum(timed.ticks[number] for number in rounds) if exact_clock(report) else None,
        functions=function_costs,
        edges=edges(raw, blocks, sums, executed),
        unresolved=settled.unresolved if settled else 0,
        idle=settled.idle if settled else 0,
        stacks=stacks(raw, symbols, sums) if raw.mode == "stacks" else None,
        entries=entries(raw, symbols, sums) if raw.mode == "stacks" else None,
        problem=next(filter(None, (*problems, mismatch(raw, blocks))), ""),
    )


def summary_of(
    raw: RawProfile, symbols: Symbols, report: GuestReport, others: OtherTasks | None = None
) -> RegionSummary:
    """The region from its beginning to its end, gaps between rounds included; idle and unresolved of the phases only,
    since no clock was read around the rest. Looks up function names only if another task ran, since this is slow;
    profile_of() checks whether the symbols fit."""
    raw_totals = totals(raw)
    problem = disagreement(raw, raw_totals, report)
    phases = [p.phase for p in report.phases if p.phase != WHOLE] if not problem else []
    settled = [balance(raw_totals, report, phase) for phase in phases]
    problems = (
        problem,
        unseen(raw, raw_totals, report, others, follows=symbols.knows_task_switch),
        *(b.problem for b in settled),
    )
    counts = dict(_by_context(raw_totals.user, raw_totals.kernel))
    return RegionSummary(
        mode=raw.mode,
        counts=tuple(counts.items()),
        unreported=_unreported(raw, raw_totals.user, raw_totals.kernel, report) if not problem else 0,
        others=_others(raw, symbols) if counts.get("other") or counts.get("idle") else (),
        tasks=sum(kind == "other" for _, kind in raw.tasks),
        idle=sum(b.idle for b in settled),
        unresolved=sum(b.unresolved for b in settled),
        problem=next(filter(None, problems), ""),
        deferred=tuple(_deferred(raw, counts)),
    )


def _deferred(raw: RawProfile, counts: Mapping[str, int]) -> Iterator[DeferredWork]:
    for seen in raw.deferred:
        context = context_of(seen.context, kernel=True)
        yield DeferredWork(
            context=context, count=counts.get(context, 0), queued=seen.queued, outstanding=seen.outstanding
        )


def executions(raw: RawProfile, report: GuestReport, *, phase: str, rounds: Sequence[int]) -> dict[int, int]:
    """Address of each instruction that was executed -> how often, further string iterations included."""
    by_address: Counter[int] = Counter()
    for counts in raw.sums([number + 1 for number in rounds], intervals_of(report, phase)):
        for number, ran in times(raw, counts).items():
            address, lengths, _ = raw.blocks[number]
            for at, length in enumerate(lengths):
                by_address[address] += ran if isinstance(ran, int) else ran[at]
                address += length
        for counter in raw.iterations.keys() & counts.keys():
            by_address[raw.blocks[raw.iterations[counter]].address] += counts[counter]
    return {address: count for address, count in by_address.items() if count}


def executed_in_region(raw: RawProfile) -> frozenset[int]:
    """Address of each instruction that ran in any round, phase or context, or between rounds."""
    sums = raw.sums(range(raw.rounds + 1), range(raw.intervals))
    addresses = set()
    for counts in sums:
        for number, ran in times(raw, counts).items():
            address, lengths, _ = raw.blocks[number]
            for at, length in enumerate(lengths):
                if ran if isinstance(ran, int) else ran[at]:
                    addresses.add(address)
                address += length
    return frozenset(addresses)


def _by_context(user: Sequence[Sequence[int]], kernel: Sequence[Sequence[int]]) -> tuple[tuple[str, int], ...]:
    """Every context, even if it did not run; deferred work only if it ran."""
    numbers = range(CONTEXTS_IN_FILE)
    own, *others = [[sum(sum(row[c::CONTEXTS_IN_FILE]) for row in half) for half in (user, kernel)] for c in numbers]
    counts = zip(CONTEXTS, (*own, *map(sum, others)), strict=True)
    return tuple((context, count) for context, count in counts if count or context not in DEFERRED)


def _unreported(
    raw: RawProfile, user: Sequence[Sequence[int]], kernel: Sequence[Sequence[int]], report: GuestReport
) -> int:
    """Instructions of other tasks in the intervals of rounds that no phase reports."""
    slots = [at * CONTEXTS_IN_FILE + OTHER for at, name in enumerate(report.intervals) if name == "-"]
    return sum(half[number][slot] for half in (user, kernel) for number in range(1, raw.rounds + 1) for slot in slots)


def _others(raw: RawProfile, symbols: Symbols) -> tuple[tuple[str, int], ...]:
    """The largest functions of other tasks and the idle task; only names of their functions are looked up."""
    sums = raw.sums(range(raw.rounds + 1), range(raw.intervals))
    foreign = [counts if number in (OTHER, IDLE) else {} for number, counts in enumerate(sums)]
    executed = [times(raw, counts) for counts in foreign]
    numbers = {number for done in executed for number in done}
    for counters in (raw.iterations, raw.loads, raw.stores):
        numbers |= {counters[counter] for counts in foreign for counter in counters.keys() & counts.keys()}
    blocks = placed(raw, symbols, numbers)
    by_function: Counter[str] = Counter()
    for cost in costs(raw, blocks, foreign, executed):
        by_function[cost.function] += counted(cost)
    return tuple(sorted(by_function.items(), key=lambda item: (-item[1], item[0]))[:_LARGEST])
