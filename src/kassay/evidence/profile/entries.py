# SPDX-License-Identifier: GPL-2.0-only
"""The call tree -> what the kernel executed by entry: for which system call, fault or interrupt."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kassay.errors import Defect
from kassay.evidence.profile.counters import DEFERRED, IDLE, OTHER, RawProfile
from kassay.evidence.profile.counters import INTERRUPT as INTERRUPT_CONTEXT
from kassay.evidence.profile.symbols import Symbols, is_kernel
from kassay.model.kernel_share import COMMON, RUNNER, SHARED, EntryCost
from kassay.model.program import RUNNER_BASE, RUNNER_END
from kassay.supply.arches import FAULT, INTERRUPT, SYSTEM_CALL, Arch, arches, of_target

LATER = "deferred work"
_ON_THE_WAY_BACK = {
    "task_work_run": LATER, "resume_user_mode_work": LATER,
    "arch_do_signal_or_restart": "signals", "do_signal": "signals", "get_signal": "signals",
    "schedule": "task switch", "__schedule": "task switch",
}  # fmt: skip
_KWORKERS = "kworkers"
_ROUND, _STEPS = "region_run", ("step_fork", "step_call")
"""Functions of guest/script.c: what runs a round, and what makes its system calls."""


def entry_of(function: str, arch: Arch) -> tuple[str, str] | None:
    """Kind and name of the entry into the kernel that begins with this function; None for any other."""
    call = function.removeprefix(f"{arch.code.syscall_prefix}sys_")
    return (SYSTEM_CALL, call) if call != function else arch.code.entry(function)


def entry_at(path: Sequence[str]) -> tuple[str, int]:
    """The entry into the kernel that the end of a path of model.profile.StackCost belongs to: the name of the system
    call, fault or interrupt, and the index of the function that it begins with; "", len(path) for user code and for
    common code of entry and exit."""
    for index, function in enumerate(path[1:], 1):
        for arch in arches().values():
            entry = entry_of(function, arch)
            if entry is not None:
                return entry[1] or entry[0], index
    return "", len(path)


class NodeEntry(NamedTuple):
    """Entry that a node belongs to."""

    kind: str
    name: str
    first: bool = False
    """True if the entry begins with the node."""
    fault: str = ""
    """Name of the fault that the node is part of, which may lie inside of another entry."""
    inner: bool = False
    """True if a fault inside of another entry begins with the node."""
    of_others: bool = False
    """True if another task executes it, and no entry of the workload leads to it."""
    settled: bool = True
    """False where a function that is called may still show which entry it is."""


def entries(raw: RawProfile, symbols: Symbols, sums: Sequence[Mapping[int, int]]) -> tuple[EntryCost, ...]:
    """Instructions of the kernel for the workload, at once or later, and in interrupts, largest first.

    sums: by context of the file. The outermost entry counts: a fault inside a system call belongs to the system call,
    whose in_faults has the part of the faults. Deferred work belongs to the entry that queued it; what kworkers execute
    on their way to it has a row of its own. Files of an earlier plugin lack functions that begin with a jump to another
    one; what these executed is counted as entry code.
    """
    counts: Counter[tuple[str, str]] = Counter()
    in_faults: Counter[tuple[str, str]] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    deferred: Counter[tuple[str, str]] = Counter()
    entry_of_node = dict(node_entries(raw, symbols))
    for number, context in enumerate(sums):
        if number in (OTHER, IDLE):
            continue
        for node, entry in entry_of_node.items():
            if node in context:
                key = _key(entry, number)
                counts[key] += context[node]
                in_faults[key] += context[node] if entry.fault else 0
                deferred[key] += context[node] if number in DEFERRED else 0
        for counter, node in raw.entered.items():
            if counter in context and node in entry_of_node and entry_of_node[node].first:
                times[_key(entry_of_node[node], number)] += context[counter]
    costs = (EntryCost(kind=kind, name=name, count=count, in_faults=in_faults[kind, name], times=times[kind, name],
                       deferred=deferred[kind, name])
             for (kind, name), count in counts.items() if count)  # fmt: skip
    return tuple(sorted(costs, key=lambda cost: (-cost.count, cost.kind, cost.name)))


def _key(entry: NodeEntry, context: int) -> tuple[str, str]:
    if context in DEFERRED and entry.of_others:
        return SHARED, _KWORKERS
    in_interrupt = context == INTERRUPT_CONTEXT and entry.kind != INTERRUPT
    return (INTERRUPT, COMMON) if in_interrupt else (entry.kind, entry.name)


def node_entries(raw: RawProfile, symbols: Symbols) -> Iterator[tuple[int, NodeEntry]]:
    """The entry of every node in the kernel; in the file a node comes after its parent. Calls of kassay's own runner of
    programs are entries of the kind RUNNER."""
    arch = of_target(raw.target)
    if arch is None:
        raise Defect(f"a profile of {raw.target} was read, which no architecture is called")
    by_node: dict[int, NodeEntry] = {}
    roots = [number for number, node in raw.nodes.items() if node.parent is None]  # one for each context, in order
    of_runner: set[int] = set()
    for number, node in raw.nodes.items():
        if not node.address or not is_kernel(node.address):
            continue
        above = None if node.parent is None else by_node.get(node.parent)
        by_node[number] = entry = _below(above, symbols.find(node.address)[0], arch)
        if above is None and node.parent in roots[OTHER : OTHER + 1]:
            by_node[number] = entry = entry._replace(of_others=True)
        if node.parent in of_runner if above is not None else _is_runner(raw, node.parent, symbols):
            of_runner.add(number)
            entry = entry._replace(kind=RUNNER, name="") if entry.kind in (SYSTEM_CALL, SHARED) else entry
        yield number, entry


def _is_runner(raw: RawProfile, number: int | None, symbols: Symbols) -> bool:
    """True if a node is a step of a round of kassay's runner, which starts a program and waits for it. What the program
    executes lies below such a step as well, and is none. Workloads of kassay make their own calls in the same
    functions, at other addresses."""
    path = []
    while number is not None and raw.nodes[number].address:
        path.append(raw.nodes[number].address)
        number = raw.nodes[number].parent
    if len(path) != 2 or not all(RUNNER_BASE <= address < RUNNER_END for address in path):
        return False
    step, caller = (symbols.find(address)[0] for address in path)
    return step in _STEPS and caller == _ROUND


def _below(above: NodeEntry | None, function: str, arch: Arch) -> NodeEntry:
    """The entry of a function, from its caller's entry (above; None: called from user mode) and its name."""
    entry = entry_of(function, arch)
    if above is not None and above.settled:
        fault = above.fault or (entry[1] if entry is not None and entry[0] == FAULT else "")
        return above._replace(first=False, fault=fault, inner=fault != above.fault)
    of_others = above is not None and above.of_others
    if entry is not None:
        return NodeEntry(*entry, first=True, fault=entry[1] if entry[0] == FAULT else "", of_others=of_others)
    if above is not None and function in _ON_THE_WAY_BACK:
        return NodeEntry(SHARED, _ON_THE_WAY_BACK[function], of_others=of_others)
    return above or NodeEntry(SHARED, COMMON, settled=False)
