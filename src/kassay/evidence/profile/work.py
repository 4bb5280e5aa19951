# SPDX-License-Identifier: GPL-2.0-only
"""A run's profile -> the work of its program: system calls, faults, own instructions, readings of the clock."""

import re
from collections.abc import Iterable, Iterator, Mapping
from operator import add

from kassay.errors import Defect
from kassay.evidence.profile.by_round import by_round, plus, summed, times_entered
from kassay.evidence.profile.counters import CONTEXTS_IN_FILE, DEFERRED, CodeBlock, RawProfile
from kassay.evidence.profile.entries import LATER, NodeEntry, node_entries
from kassay.evidence.profile.fault_work import fault_items
from kassay.evidence.profile.symbols import Symbols, is_kernel
from kassay.evidence.profile.totals import intervals_of, slots_of, totals
from kassay.model.guest import GuestReport
from kassay.model.kernel_share import COMMON, SHARED
from kassay.model.work import ASKED, CLOCK, INNER, INNER_FAULTS, SCHEDULER, USER, VDSO_LOOKUP, WAKING, WorkItem
from kassay.supply.arches import SYSTEM_CALL, Arch, of_target

_SMAPS, _VDSO_FUNCTIONS = "kassay/program/smaps", "kassay/program/vdso"
_LOOKUP = re.compile(
    r"_dl_non_dynamic_init|_dlfo_\w+|do_lookup_x|_dl_lookup_symbol_x|check_match|__vdsosym|(__)?strcmp(_\w+)?"
)
"""Functions of glibc and musl with which a program finds functions in the vDSO: how long they take depends on the names
in it, which are the kernel's."""
_VDSO = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$", re.MULTILINE)
_CLOCK = re.compile(r"^([0-9a-f]+) (?:__vdso_|__kernel_)?(?:clock_gettime(?:64)?|gettimeofday|time)$", re.MULTILINE)
"""Functions of the vDSO that read a clock, by their offset. A coarse clock is in memory, without an instruction that
reads the CPU's."""
_GIVES_UP = "fixup_exception"
"""Function of the kernel in which a fault of its own ends that it does not serve: it goes on at another place."""
_SCHEDULER, _WAKES = "__schedule", "try_to_wake_up"
_CLOCK_CALLS = frozenset(
    ("clock_gettime", "gettimeofday", "time", "times", "getrusage", "getitimer", "timer_gettime", "timerfd_gettime")
)
"""System calls that report a time."""


def work_items(raw: RawProfile, symbols: Symbols, report: GuestReport, phase: str) -> tuple[WorkItem, ...]:
    """The work of all rounds of one phase; nothing unless the profile has call stacks, which tell calls apart."""
    if raw.mode != "stacks" or raw.rounds != len(report.phases[0].ticks):
        return ()
    arch = of_target(raw.target)
    if arch is None:
        raise Defect(f"a profile of {raw.target} was read, which no architecture is called")
    every = slots_of(intervals_of(report, phase))
    slots = [slot for slot in every if slot % CONTEXTS_IN_FILE == 0]
    later = [slot for slot in every if slot % CONTEXTS_IN_FILE in DEFERRED]
    entries = dict(node_entries(raw, symbols))
    asked = tuple(_asked(raw, symbols, entries, [*slots, *later]))
    items = (*asked, *_own(raw, symbols, slots, report), *_clock(raw, arch, slots, report, asked),
             *_between(raw, symbols, entries, slots),
             *fault_items(raw, symbols, entries, slots))  # fmt: skip
    return tuple(sorted(items, key=lambda item: item.key))


def _asked(raw: RawProfile, symbols: Symbols, entries: Mapping[int, NodeEntry], slots: list[int]) -> Iterator[WorkItem]:
    """System calls and faults with the deferred work that they queued, the outermost ones, and the faults inside of
    system calls that the kernel did not give up: it may copy with faults switched off, touch the page, and copy again.
    """
    times: dict[tuple[str, str], list[int]] = {}
    counts: dict[tuple[str, str], list[int]] = {}
    nodes = {number: entry for number, entry in entries.items() if entry.kind in ASKED}
    for number, entry in nodes.items():
        each = by_round(raw, number, slots)
        _add(counts, (entry.kind, entry.name), each)
        if entry.kind == SYSTEM_CALL and entry.fault:
            _add(counts, (INNER, entry.fault), each)
    for counter, node in raw.entered.items():
        began = nodes.get(node)
        if began is not None and (began.first or began.inner):
            key = (began.kind, began.name) if began.first else (INNER, began.fault)
            _add(times, key, by_round(raw, counter, slots))
    if INNER_FAULTS in times:
        given_up = times_entered(raw, symbols.kernel_entry(_GIVES_UP), slots)
        times[INNER_FAULTS] = [max(made - lost, 0) for made, lost in zip(times[INNER_FAULTS], given_up, strict=True)]
    for key, each in times.items():
        if any(each):
            yield WorkItem(kind=key[0], name=key[1], times=tuple(each), counts=tuple(counts[key]))


def _own(raw: RawProfile, symbols: Symbols, slots: list[int], report: GuestReport) -> Iterator[WorkItem]:
    """User code, and the part of it that explains differences between kernels."""
    table, vdso = totals(raw), _vdso(report)
    own = [sum(row[slot] for slot in slots) for row in table.user[1:]]
    lookups = [0] * raw.rounds
    for number, block in _user_blocks(raw):
        size, in_vdso = len(block.lengths), block.address in vdso
        if in_vdso:
            own = plus(own, by_round(raw, number, slots), -size)
        elif _looks_up(symbols, block.address):
            lookups = plus(lookups, by_round(raw, number, slots), size)
    yield WorkItem(kind=USER, times=tuple(own))
    if any(lookups):
        yield WorkItem(kind=VDSO_LOOKUP, times=tuple(lookups))


def _clock(
    raw: RawProfile, arch: Arch, slots: list[int], report: GuestReport, asked: Iterable[WorkItem]
) -> Iterator[WorkItem]:
    """Readings of a clock. A function of the vDSO that reads one either reads the CPU's, reads memory or makes a system
    call, and counts once."""
    vdso, functions = _vdso(report), _clock_functions(report)
    outside, inside, entered = ([0] * raw.rounds for _ in range(3))
    for item in asked:
        if item.key[0] == SYSTEM_CALL and item.name in _CLOCK_CALLS:
            inside = plus(inside, item.times)
    for number, block in _user_blocks(raw):
        reads, in_vdso = _clock_reads(block.lengths, block.code, arch), block.address in vdso
        if in_vdso and block.address - vdso.start in functions:
            entered = plus(entered, by_round(raw, number, slots))
        if reads and in_vdso:
            inside = plus(inside, by_round(raw, number, slots), reads)
        elif reads:
            outside = plus(outside, by_round(raw, number, slots), reads)
    times = tuple(own + max(made, called) for own, made, called in zip(outside, inside, entered, strict=True))
    if any(times):
        yield WorkItem(kind=CLOCK, times=times)


def _between(
    raw: RawProfile, symbols: Symbols, entries: Mapping[int, NodeEntry], slots: list[int]
) -> Iterator[WorkItem]:
    """Code that all system calls share, with work that they leave for their way back, and the turns of tasks."""
    shared = (number for number, entry in entries.items() if entry.kind == SHARED and entry.name in (COMMON, LATER))
    if any(common := summed(raw, shared, slots)):
        yield WorkItem(kind=COMMON, times=common)
    for kind, function in ((SCHEDULER, _SCHEDULER), (WAKING, _WAKES)):
        address = symbols.kernel_entry(function)
        times = times_entered(raw, address, slots)
        if address is not None and any(times):
            yield WorkItem(kind=kind, times=tuple(times), counts=summed(raw, _below(raw, address), slots))


def _below(raw: RawProfile, address: int) -> Iterator[int]:
    """Nodes of the function at this address and of all that it calls."""
    found: set[int | None] = set()
    for number, node in raw.nodes.items():
        if node.parent in found or node.address == address:
            found.add(number)
            yield number


def _user_blocks(raw: RawProfile) -> Iterator[tuple[int, CodeBlock]]:
    return ((number, block) for number, block in raw.blocks.items() if not is_kernel(block.address))


def _looks_up(symbols: Symbols, address: int) -> bool:
    function = symbols.function(address)
    return function is not None and _LOOKUP.fullmatch(function.name) is not None


def _clock_reads(lengths: bytes, code: bytes, arch: Arch) -> int:
    at = found = 0
    for length in lengths:
        found += arch.code.reads_clock(code[at : at + length])
        at += length
    return found


def _vdso(report: GuestReport) -> range:
    """Its addresses, as the kernel listed them at the end of the watched execution; all executions have one layout."""
    found = _VDSO.search(_text(report, _SMAPS))
    return range(int(found[1], 16), int(found[2], 16)) if found else range(0)


def _clock_functions(report: GuestReport) -> frozenset[int]:
    """Offsets in the vDSO of its functions that read a clock; none in runs of an older kassay."""
    return frozenset(int(found[1], 16) for found in _CLOCK.finditer(_text(report, _VDSO_FUNCTIONS)))


def _text(report: GuestReport, path: str) -> str:
    found = next((f.content for f in report.files if f.path == path and f.moment == "after"), None)
    return found or ""


def _add(into: dict[tuple[str, str], list[int]], key: tuple[str, str], counts: list[int]) -> None:
    into[key] = list(map(add, into[key], counts)) if key in into else counts
