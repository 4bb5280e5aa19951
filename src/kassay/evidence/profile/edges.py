# SPDX-License-Identifier: GPL-2.0-only
"""Calls between functions, and the cost of each path of calls: from blocks, indirect jumps and the call tree."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from kassay.evidence.profile.costs import Counts, Times, completed, context_of, foreign
from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.place import Placed
from kassay.evidence.profile.symbols import Symbols, is_kernel
from kassay.model.profile import NO_SYMBOL, CallEdge, StackCost
from kassay.supply.arches import BRANCH, CALL, INDIRECT_CALL, INDIRECT_JUMP, JUMP, arches

_Key: TypeAlias = tuple[str, str, str, bool, bool]
"""caller, callee, context, indirect, tail"""


def edges(
    raw: RawProfile,
    blocks: Mapping[int, Placed],
    sums: Sequence[Counts],
    executed: Sequence[Mapping[int, Times]],
) -> tuple[CallEdge, ...]:
    """sums, executed: by context of the file. Most frequent first.

    A conditional jump to another function is left out: how often it was taken is not known.
    """
    counts_by_key: Counter[_Key] = Counter()
    for number, (counts, done) in enumerate(zip(sums, executed, strict=True)):
        call_kinds = ((False, _direct(blocks, done)), (True, _indirect(raw, blocks, counts)))
        for indirect, calls in call_kinds:
            for caller, callee, kernel, tail, count in calls:
                if kernel or not foreign(number):  # another program's functions have no names here
                    counts_by_key[caller, callee, context_of(number, kernel), indirect, tail] += count
    call_edges = (
        CallEdge(caller=caller, callee=callee, context=context, calls=count, indirect=indirect, tail=tail)
        for (caller, callee, context, indirect, tail), count in counts_by_key.items()
        if count
    )
    return tuple(sorted(call_edges, key=lambda e: (-e.calls, e.caller, e.callee, e.context, e.indirect, e.tail)))


_Call: TypeAlias = tuple[str, str, bool, bool, int]
"""caller, callee, whether the caller is kernel code, tail, count"""


def _direct(blocks: Mapping[int, Placed], done: Mapping[int, Times]) -> Iterator[_Call]:
    for number, ran in done.items():
        block = blocks[number]
        callee, end = block.callee, block.code.end
        if callee is None or end not in (CALL, JUMP):
            continue
        caller = block.spans[-1].function
        if _is_thunk(caller) or _is_thunk(callee):
            continue
        if (not block.calls_over) if end == CALL else (block.into and caller != callee):
            yield caller, callee, block.kernel, end == JUMP, completed(ran)


def _indirect(raw: RawProfile, blocks: Mapping[int, Placed], counts: Counts) -> Iterator[_Call]:
    for counter in raw.jumps.keys() & counts.keys():
        site, target = (blocks[number] for number in raw.jumps[counter])
        caller, callee, end = site.spans[-1].function, target.spans[0].function, site.code.end
        if _is_return_thunk(site.callee or ""):
            continue
        if end in (CALL, INDIRECT_CALL):
            yield caller, callee, site.kernel, False, counts[counter]
        elif end in (JUMP, BRANCH, INDIRECT_JUMP) and caller != callee and target.begins:
            yield caller, callee, site.kernel, True, counts[counter]


@cache
def _is_thunk(function: str) -> bool:
    return any(re.fullmatch(arch.code.thunks, function) for arch in arches().values() if arch.code.thunks)


@cache
def _is_return_thunk(function: str) -> bool:
    return any(re.fullmatch(arch.code.return_thunks, function) for arch in arches().values() if arch.code.return_thunks)


def stacks(raw: RawProfile, symbols: Symbols, sums: Sequence[Counts]) -> tuple[StackCost, ...]:
    """sums: by context of the file. In order of paths; a path that the file has twice is one.

    The first word is the context in which the path's last function ran, so a system call stands
    below the user functions that made it, and in "kernel".
    """
    own, others = _paths(raw, symbols), _paths(raw, symbols, foreign=True)
    by_path: Counter[tuple[str, ...]] = Counter()
    for number, counts in enumerate(sums):
        for node in raw.nodes.keys() & counts.keys():
            context = context_of(number, is_kernel(raw.nodes[node].address))
            by_path[context, *(others if foreign(number) else own)[node]] += counts[node]
    return tuple(StackCost(path=path, count=count) for path, count in sorted(by_path.items()) if count)


def _paths(raw: RawProfile, symbols: Symbols, *, foreign: bool = False) -> dict[int, tuple[str, ...]]:
    """Function names from the outermost inwards; in the file a node comes after its parent. foreign: user code has
    no names."""
    paths: dict[int, tuple[str, ...]] = {}
    for number, node in raw.nodes.items():
        above = () if node.parent is None else paths[node.parent]
        nameless = foreign and not is_kernel(node.address)
        name = NO_SYMBOL if nameless else symbols.find(node.address)[0]
        paths[number] = (*above, name) if node.address else above
    return paths
