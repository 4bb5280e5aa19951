# SPDX-License-Identifier: GPL-2.0-only
"""Ways of branches that counts of blocks give, against the stored trace that the counts are made of."""

from collections import Counter

import pytest
from benchmarks.branch_ways import compared, ways_of_counts, ways_of_trace

from kassay.evidence.profile.place import decode
from kassay.evidence.profile.raw import parse
from kassay.labs.predict.trace import TraceBlock, read_trace
from kassay.supply.arches import INDIRECT_CALL, INDIRECT_JUMP
from tests.predict.trace_stream import steps
from tests.predict.traces import recorded
from tests.profile.files import File, symbols

pytestmark = pytest.mark.slow


def _profile(data: bytes) -> bytes:
    """A file of the plugin with the counts of a trace, as it would have been written beside the trace."""
    trace = read_trace(data)
    file = File(intervals=trace.intervals, rounds=max(trace.rounds))
    numbers = [file.block(block.start, *_instructions(block)) for block in trace.blocks]
    counts: Counter[tuple[int, int]] = Counter()
    jumps: dict[tuple[int, int], int] = {}
    cuts: dict[tuple[int, int], int] = {}
    before: int | None = None
    for step in steps(data):
        if before is not None and _is_indirect(trace.target, trace.blocks[before]):
            pair = (before, step.block)
            jumps.setdefault(pair, file.jump(*(numbers[block] for block in pair)) if pair not in jumps else 0)
            counts[jumps[pair], step.round] += 1
        counts[numbers[step.block], step.round] += step.times
        if step.left is not None and step.left >= 0:
            cut = (step.block, step.left)
            if cut not in cuts:
                cuts[cut] = file.stop(numbers[step.block], step.left)
            counts[cuts[cut], step.round] += step.times
        before = step.block if step.left is None else None
    for (counter, number), count in counts.items():
        file.count(counter, count, round=number)
    return file.bytes()


def _instructions(block: TraceBlock) -> list[bytes]:
    ends = [sum(block.lengths[: n + 1]) for n in range(len(block.lengths))]
    return [block.code[end - length : end] for end, length in zip(ends, block.lengths, strict=True)]


def _is_indirect(target: str, block: TraceBlock) -> bool:
    return decode(target, block.start, block.lengths, block.code).end in (INDIRECT_CALL, INDIRECT_JUMP)


@pytest.mark.parametrize("release", ["6.16", "6.17"])
def test_counts_of_a_stored_trace_give_the_ways_that_the_trace_has(release: str) -> None:
    data = recorded(release)
    raw = parse(_profile(data))
    found: Counter[str] = Counter()
    for number, ways in ways_of_trace(data).items():
        found += compared(ways_of_counts(raw, symbols((1 << 63, 16, "none")), number), ways)
    assert found["exact"] > 400 and found["wrong"] == 0
    assert found["settled"] > 0.99 * found["executed"]
