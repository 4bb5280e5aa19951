# SPDX-License-Identifier: GPL-2.0-only
"""Traffic between a kernel's zones and its per-CPU lists, counted from a profile.

A tracepoint that is off is an instruction without effect in the kernel's code: the number of its executions is the
number of events that the tracepoint would have logged. The kernel's own table has the addresses of these instructions,
so blocks are counted exactly, whatever the compiler inlined, and without cost in the guest. Entries and locks are calls
of functions.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.functions import executions, profile_of
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profile.zone_functions import ALL, DRAIN, GIVE, LOCKS, REFILL
from kassay.labs.pcp.model.measured import ZoneCounts
from kassay.model.guest import GuestReport
from kassay.model.profile import Profile, base_name

_CLAIMS = frozenset({"try_to_claim_block", "try_to_steal_block", "steal_suitable_fallback", "__rmqueue_claim",
                     "__rmqueue_fallback", "__rmqueue_steal", "__rmqueue"})  # fmt: skip
"""Functions that take a block on behalf of their caller."""
_TRACEPOINT = "__tracepoint_"
_ALLOC, _FREE, _LOCKED, _DRAINED = "mm_page_alloc", "mm_page_free", "mm_page_alloc_zone_locked", "mm_page_pcpu_drain"
_DECAY = "decay_pcp_high"


class Site(NamedTuple):
    """An instruction of the kernel at which a tracepoint is."""

    tracepoint: str
    address: int
    function: str


class Code(Protocol):
    """A kernel's image."""

    def patched_branches(self) -> Iterable[tuple[int, str]]:
        """Address and name of the key of each jump that is patched in and out."""


def sites(code: Code, symbols: Symbols) -> tuple[Site, ...]:
    """The instructions at which the tracepoints of the page allocator are."""
    wanted = {f"{_TRACEPOINT}{name}": name for name in (_ALLOC, _FREE, _LOCKED, _DRAINED)}
    found = []
    for address, key in code.patched_branches():
        if (name := wanted.get(key.partition("+")[0])) is not None:
            found.append(Site(name, address, base_name(symbols.find(address)[0])))
    return tuple(found)


def counted(
    raw: RawProfile, symbols: Symbols, report: GuestReport, passed: Iterable[Site], *, phase: str, pages: int | None
) -> tuple[ZoneCounts, str]:
    """The counts of all rounds of one phase, and why they may not be used ("" when they may)."""
    rounds = range(len(report.phases[0].ticks))
    profile = profile_of(raw, symbols, report, phase=phase, rounds=tuple(rounds), kernel="", run="")
    ran = executions(raw, report, phase=phase, rounds=rounds)
    calls = _calls(profile)
    blocks = _blocks(passed, ran, calls)
    drains = {caller: count for (caller, callee), count in calls.items() if callee in DRAIN}
    taken = _locks(calls, ALL)
    return ZoneCounts(
        instructions=profile.ticks or 0,
        allocated=blocks[_ALLOC],
        freed=blocks[_FREE],
        refills=_locks(calls, REFILL),
        refilled=blocks["refilled"],
        direct=blocks["direct"],
        drains=_entries(profile, DRAIN),
        drained=blocks[_DRAINED],
        drains_by=dict(sorted(drains.items(), key=lambda item: (-item[1], item[0]))),
        returned=_locks(calls, GIVE),
        acquisitions=taken,
        decays=_entries(profile, {_DECAY}),
        pages=pages,
        handovers=raw.zone_handovers if raw.zone_locks or not taken else None,
    ), profile.problem


def _calls(profile: Profile) -> Mapping[tuple[str, str], int]:
    calls: Counter[tuple[str, str]] = Counter()
    for edge in profile.edges:
        calls[base_name(edge.caller), base_name(edge.callee)] += edge.calls
    return calls


def _blocks(passed: Iterable[Site], ran: Mapping[int, int], calls: Mapping[tuple[str, str], int]) -> Counter[str]:
    """Blocks by tracepoint; those that left a zone also as "refilled" and "direct"."""
    blocks: Counter[str] = Counter()
    for site in passed:
        count = ran.get(site.address, 0)
        blocks[site.tracepoint] += count
        if site.tracepoint == _LOCKED:
            blocks["refilled" if _for_list(site.function, calls) else "direct"] += count
    return blocks


def _for_list(function: str, calls: Mapping[tuple[str, str], int]) -> bool:
    """True if a function takes blocks for a list. A function that serves both counts like its most frequent caller."""
    if function not in _CLAIMS:
        return function in REFILL
    by = Counter({caller: n for (caller, callee), n in calls.items() if callee == function and caller != function})
    caller = by.most_common(1)[0][0] if by else ""
    return caller in REFILL or (caller in _CLAIMS and _for_list(caller, calls))


def _locks(calls: Mapping[tuple[str, str], int], callers: frozenset[str]) -> int:
    return sum(count for (caller, callee), count in calls.items() if caller in callers and callee in LOCKS)


def _entries(profile: Profile, names: Iterable[str]) -> int:
    return sum(row.calls for row in profile.functions if base_name(row.function) in names)
