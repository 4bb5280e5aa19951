# SPDX-License-Identifier: GPL-2.0-only
"""A run's profile -> the work of its program: system calls, faults, own instructions, readings of the clock."""

import re
from collections.abc import Iterator, Mapping
from operator import add

from kassay.errors import Defect
from kassay.evidence.profile.counters import CONTEXTS_IN_FILE, DEFERRED, RawProfile
from kassay.evidence.profile.entries import node_entries
from kassay.evidence.profile.symbols import Symbols, is_kernel
from kassay.evidence.profile.totals import intervals_of, slots_of, totals
from kassay.model.guest import GuestReport
from kassay.model.work import ASKED, CLOCK, USER, VDSO_LOOKUP, WorkItem
from kassay.supply.arches import Arch, of_target

_SMAPS = "kassay/program/smaps"
_LOOKUP = re.compile(
    r"_dl_non_dynamic_init|_dlfo_\w+|do_lookup_x|_dl_lookup_symbol_x|check_match|__vdsosym|(__)?strcmp(_\w+)?"
)
"""Functions of glibc and musl with which a program finds functions in the vDSO: how long they take depends on the names
in it, which are the kernel's."""
_VDSO = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$", re.MULTILINE)


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
    items = (*_asked(raw, symbols, [*slots, *later]), *_own(raw, symbols, arch, slots, _vdso(report)))
    return tuple(sorted(items, key=lambda item: item.key))


def _asked(raw: RawProfile, symbols: Symbols, slots: list[int]) -> Iterator[WorkItem]:
    """System calls and faults, the outermost ones, with the deferred work that they queued."""
    times: dict[tuple[str, str], list[int]] = {}
    counts: dict[tuple[str, str], list[int]] = {}
    nodes = {number: entry for number, entry in node_entries(raw, symbols) if entry.kind in ASKED}
    for number, entry in nodes.items():
        _add(counts, (entry.kind, entry.name), by_round(raw, number, slots))
    for counter, node in raw.entered.items():
        if node in nodes and nodes[node].first:
            _add(times, (nodes[node].kind, nodes[node].name), by_round(raw, counter, slots))
    for key, each in times.items():
        if any(each):
            yield WorkItem(kind=key[0], name=key[1], times=tuple(each), counts=tuple(counts[key]))


def _own(raw: RawProfile, symbols: Symbols, arch: Arch, slots: list[int], vdso: range) -> Iterator[WorkItem]:
    """User code, and its parts that explain differences between kernels."""
    table = totals(raw)
    own = [sum(row[slot] for slot in slots) for row in table.user[1:]]
    parts = {CLOCK: [0] * raw.rounds, VDSO_LOOKUP: [0] * raw.rounds}
    for number, block in raw.blocks.items():
        if is_kernel(block.address):
            continue
        size, in_vdso = len(block.lengths), block.address in vdso
        weights = {
            CLOCK: _clock_reads(block.lengths, block.code, arch),
            VDSO_LOOKUP: size if not in_vdso and _looks_up(symbols, block.address) else 0,
        }
        if not in_vdso and not any(weights.values()):
            continue
        ran = by_round(raw, number, slots)
        if in_vdso:
            own = [before - size * count for before, count in zip(own, ran, strict=True)]
        for kind, weight in weights.items():
            parts[kind] = [before + weight * count for before, count in zip(parts[kind], ran, strict=True)]
    yield WorkItem(kind=USER, times=tuple(own))
    for kind, times in parts.items():
        if any(times):
            yield WorkItem(kind=kind, times=tuple(times))


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
    text = next((file.content for file in report.files if file.path == _SMAPS and file.moment == "after"), None)
    found = _VDSO.search(text or "")
    return range(int(found[1], 16), int(found[2], 16)) if found else range(0)


def by_round(raw: RawProfile, counter: int, slots: list[int]) -> list[int]:
    """One counter in each round (from 0; what precedes the first is left out), over these slots together."""
    counts = [0] * (raw.rounds + 1)
    end = raw.rounds + 1
    for since, flat in reversed(raw.changes[counter]):
        of_slot: Mapping[int, int] = dict(zip(flat[::2], flat[1::2], strict=True))
        counts[since:end] = [sum(of_slot.get(slot, 0) for slot in slots)] * (end - since)
        end = since
    return counts[1:]


def _add(into: dict[tuple[str, str], list[int]], key: tuple[str, str], counts: list[int]) -> None:
    into[key] = list(map(add, into[key], counts)) if key in into else counts
