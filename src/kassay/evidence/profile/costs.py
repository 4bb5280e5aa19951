# SPDX-License-Identifier: GPL-2.0-only
"""Counts of blocks -> what each function cost in each context."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kassay.evidence.profile.counters import IDLE, OTHER, RawProfile
from kassay.evidence.profile.place import Placed, Span
from kassay.model.contexts import CONTEXTS
from kassay.model.costs import counted
from kassay.model.profile import NO_SYMBOL, FunctionCost

Counts: TypeAlias = Mapping[int, int]
"""Counts of one context of the file, by counter."""

Times: TypeAlias = int | tuple[int, ...]
"""Executions of a block's instructions: one number for all, or one for each."""

_CONTEXTS = tuple(CONTEXTS)
_INSTRUCTIONS, _ITERATIONS, _CALLS, _ATOMICS, _TLB, _LOADS, _STORES = _FIELDS = range(7)
_Key: TypeAlias = tuple[str, str, str]


def context_of(number: int, kernel: bool) -> str:
    """The word for a context of the file, for code in the kernel's half or the user's."""
    return _CONTEXTS[number + 1] if number or kernel else _CONTEXTS[0]


def foreign(number: int) -> bool:
    """True if a context of the file belongs to another task, whose user code is not the program with known symbols."""
    return number in (OTHER, IDLE)


def times(raw: RawProfile, counts: Counts) -> dict[int, Times]:
    """Executions of the instructions of each block, without further string iterations."""
    begun = {number: counts[number] for number in raw.blocks.keys() & counts.keys()}
    for counter in raw.iterations.keys() & counts.keys():
        block = raw.iterations[counter]
        begun[block] = begun.get(block, 0) - counts[counter]
    executed: dict[int, Times] = dict(begun)
    for block, cuts in raw.cuts.items():
        lost = [(cut.after or 0, counts[cut.counter]) for cut in cuts if cut.counter in counts]
        if lost:
            began, size = begun.get(block, 0), len(raw.blocks[block].lengths)
            executed[block] = tuple(began - sum(count for after, count in lost if after <= at) for at in range(size))
    return executed


def completed(executed: Times) -> int:
    """Number of times that a block was executed to its end."""
    return executed if isinstance(executed, int) else executed[-1]


def impossible(raw: RawProfile, executed: Mapping[int, Times]) -> str:
    """A sentence when a block was left more often than it began, else ""."""
    for number, done in executed.items():
        if completed(done) < 0:
            return f"the block at {raw.blocks[number].address:x} was left more often than it began"
    return ""


def costs(
    raw: RawProfile,
    blocks: Mapping[int, Placed],
    sums: Sequence[Counts],
    executed: Sequence[Mapping[int, Times]],
) -> tuple[FunctionCost, ...]:
    """sums, executed: by context of the file; () for one that is not asked for. Largest first.

    A block's loads and stores belong to the function of its first instruction.
    """
    rows: dict[_Key, list[int]] = {}
    for number, (counts, done) in enumerate(zip(sums, executed, strict=True)):
        for block, ran in done.items():
            _add(rows, number, blocks[block], ran)
        for field, counters in ((_ITERATIONS, raw.iterations), (_LOADS, raw.loads), (_STORES, raw.stores)):
            for counter in counters.keys() & counts.keys():
                block = counters[counter]
                _row(rows, blocks[block].spans[0], number, blocks[block].kernel)[field] += counts[counter]
    function_costs = [_cost(key, row, raw.mode == "memory") for key, row in rows.items()]
    return tuple(sorted(function_costs, key=lambda c: (-counted(c), c.function, c.place, c.context)))


def _add(rows: dict[_Key, list[int]], number: int, block: Placed, ran: Times) -> None:
    """A block's executions in one context of the file."""
    kinds = ((_CALLS, block.entries), (_ATOMICS, block.code.atomics), (_TLB, block.code.tlb))
    for span in block.spans:
        row = _row(rows, span, number, block.kernel)
        first, last = span.first, span.last
        row[_INSTRUCTIONS] += ran * (last - first) if isinstance(ran, int) else sum(ran[first:last])
        for field, numbers in kinds:
            for at in numbers:
                if first <= at < last:
                    row[field] += ran if isinstance(ran, int) else ran[at]


def _row(rows: dict[_Key, list[int]], span: Span, number: int, kernel: bool) -> list[int]:
    nameless = foreign(number) and not kernel
    key = NO_SYMBOL if nameless else span.function, span.place, context_of(number, kernel)
    row = rows.get(key)
    if row is None:
        row = rows[key] = [0] * len(_FIELDS)
    return row


def _cost(key: _Key, row: Sequence[int], memory: bool) -> FunctionCost:
    instructions, iterations, calls, atomics, tlb, loads, stores = row
    return FunctionCost(
        function=key[0],
        place=key[1],
        context=key[2],
        instructions=instructions,
        iterations=iterations,
        calls=calls,
        atomics=atomics,
        tlb=tlb,
        loads=loads if memory else None,
        stores=stores if memory else None,
    )
