# SPDX-License-Identifier: GPL-2.0-only
"""Costs of functions with the source lines they are made of, those of inlined functions included."""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import structs

from kassay.evidence.profile.costs import Counts, Times, context_of
from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.line_table import named_frames
from kassay.evidence.profile.place import Placed
from kassay.model.costs import counted
from kassay.model.lines import Frame, LineTable
from kassay.model.profile import FunctionCost, LineCount

_KERNEL = "kernel"
_Lines = dict[tuple[str, str], Counter[Frame]]


def with_lines(
    costs: Sequence[FunctionCost],
    table: LineTable,
    raw: RawProfile,
    blocks: Mapping[int, Placed],
    sums: Sequence[Counts],
    executed: Sequence[Mapping[int, Times]],
) -> tuple[FunctionCost, ...]:
    """The costs of the kernel's image with their lines; those of modules and programs as they are.

    raw, blocks, sums, executed: as in costs(), whose counts the lines of each function add up to.
    """
    frames = named_frames(table)
    lines: _Lines = {}
    for number, (counts, done) in enumerate(zip(sums, executed, strict=True)):
        for block, ran in done.items():
            if blocks[block].kernel:
                _add(lines, context_of(number, True), raw.blocks[block].address, raw, block, blocks[block], ran, frames)
        for counter in raw.iterations.keys() & counts.keys():
            block = raw.iterations[counter]
            span = blocks[block].spans[0]
            frame = frames.get(raw.blocks[block].address)
            if blocks[block].kernel and span.place == _KERNEL and frame is not None:
                own = lines.setdefault((span.function, context_of(number, True)), Counter())
                own[frame] += counts[counter]
    return tuple(_with(cost, lines) for cost in costs)


def _add(
    lines: _Lines, context: str, address: int, raw: RawProfile, number: int, block: Placed, ran: Times,
    frames: Mapping[int, Frame],
) -> None:  # fmt: skip
    """A block's executions in one context."""
    lengths = raw.blocks[number].lengths
    for span in block.spans:
        costs = lines.setdefault((span.function, context), Counter()) if span.place == _KERNEL else None
        for at in range(span.first, span.last):
            frame = frames.get(address)
            count = ran if isinstance(ran, int) else ran[at]
            if costs is not None and frame is not None and count:
                costs[frame] += count
            address += lengths[at]


def _with(cost: FunctionCost, lines: _Lines) -> FunctionCost:
    costs = lines.get((cost.function, cost.context)) if cost.place == _KERNEL else None
    if not costs or sum(costs.values()) != counted(cost):  # a part without lines explains nothing
        return cost
    counts = (
        LineCount(function=frame.function, file=frame.file, line=frame.line, count=count)
        for frame, count in costs.items()
    )
    ordered = sorted(counts, key=lambda one: (one.function, one.file or "", one.line or 0))
    return structs.replace(cost, lines=tuple(ordered))
