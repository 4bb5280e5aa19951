# SPDX-License-Identifier: GPL-2.0-only
"""The call tree -> what the kernel executed by entry: for which system call, fault or interrupt."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kassay.arches import FAULT, INTERRUPT, SYSTEM_CALL, Arch, arches, of_target
from kassay.errors import Defect
from kassay.model.kernel_share import SHARED, EntryCost
from kassay.profile.counters import INTERRUPT as INTERRUPT_CONTEXT
from kassay.profile.counters import OTHER, RawProfile
from kassay.profile.symbols import Symbols, is_kernel

_ON_THE_WAY_BACK = {
    "task_work_run": "deferred work", "resume_user_mode_work": "deferred work",
    "arch_do_signal_or_restart": "signals", "do_signal": "signals", "get_signal": "signals",
    "schedule": "task switch", "__schedule": "task switch",
}  # fmt: skip
_COMMON = "entry and exit"


def entry_of(function: str, arch: Arch) -> tuple[str, str] | None:
    """Kind and name of the entry into the kernel that begins with this function; None for any other."""
    call = function.removeprefix(f"{arch.code.syscall_prefix}sys_")
    return (SYSTEM_CALL, call) if call != function else arch.code.entry(function)


def entry_at(path: Sequence[str]) -> tuple[str, int]:
    """On whose behalf the end of a path of model.profile.StackCost runs: the name of the system call, fault or
    interrupt, and the index of the function that it begins with; "", len(path) for user code and for common code of
    entry and exit."""
    for index, function in enumerate(path[1:], 1):
        for arch in arches().values():
            found = entry_of(function, arch)
            if found is not None:
                return found[1] or found[0], index
    return "", len(path)


class _Entry(NamedTuple):
    """Of a node. first: whether the node is where it begins. in_fault: whether a fault came in meanwhile, or it is one.
    settled: whether what is called may still tell more."""

    kind: str
    name: str
    first: bool = False
    in_fault: bool = False
    settled: bool = True


def entries(raw: RawProfile, symbols: Symbols, sums: Sequence[Mapping[int, int]]) -> tuple[EntryCost, ...]:
    """What the kernel executed for the workload and in interrupts, largest first. sums: by context of the file.

    The outermost entry counts: a fault inside of a system call belongs to the system call, which says how much of it
    are faults. In files of an earlier plugin functions that begin with a jump to another one are lost, and stand below
    the entry code.
    """
    counts: Counter[tuple[str, str]] = Counter()
    in_faults: Counter[tuple[str, str]] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    found = dict(_entries(raw, symbols))
    for number, context in enumerate(sums[:OTHER]):
        for node, entry in found.items():
            if node in context:
                key = _key(entry, interrupt=number == INTERRUPT_CONTEXT)
                counts[key] += context[node]
                in_faults[key] += context[node] if entry.in_fault else 0
        for counter, node in raw.entered.items():
            if counter in context and node in found and found[node].first:
                times[_key(found[node], interrupt=number == INTERRUPT_CONTEXT)] += context[counter]
    made = (EntryCost(kind=kind, name=name, count=count, in_faults=in_faults[kind, name], times=times[kind, name])
            for (kind, name), count in counts.items() if count)  # fmt: skip
    return tuple(sorted(made, key=lambda one: (-one.count, one.kind, one.name)))


def _key(entry: _Entry, *, interrupt: bool) -> tuple[str, str]:
    return (INTERRUPT, _COMMON) if interrupt and entry.kind != INTERRUPT else (entry.kind, entry.name)


def _entries(raw: RawProfile, symbols: Symbols) -> Iterator[tuple[int, _Entry]]:
    """Of every node in the kernel; a node stands behind its parent in the file."""
    arch = of_target(raw.target)
    if arch is None:
        raise Defect(f"a profile of {raw.target} was read, which no architecture is called")
    known: dict[int, _Entry] = {}
    for number, node in raw.nodes.items():
        if not node.address or not is_kernel(node.address):
            continue
        above = None if node.parent is None else known.get(node.parent)
        known[number] = _below(above, symbols.find(node.address)[0], arch)
        yield number, known[number]


def _below(above: _Entry | None, function: str, arch: Arch) -> _Entry:
    """What is known of a function, called by what is known of its caller; None: called from user mode."""
    own = entry_of(function, arch)
    if above is not None and above.settled:
        return above._replace(first=False, in_fault=above.in_fault or (own is not None and own[0] == FAULT))
    if own is not None:
        return _Entry(*own, first=True, in_fault=own[0] == FAULT)
    if above is not None and function in _ON_THE_WAY_BACK:
        return _Entry(SHARED, _ON_THE_WAY_BACK[function])
    return above or _Entry(SHARED, _COMMON, settled=False)
