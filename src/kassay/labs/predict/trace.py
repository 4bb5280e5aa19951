# SPDX-License-Identifier: GPL-2.0-only
"""A trace (docs/reference/formats.md, "kassay-trace/1"): bytes -> its blocks and rounds."""

import re
from collections.abc import Mapping

from kassay.errors import BadInput
from kassay.evidence.profile.counters import CONTEXTS_IN_FILE, RawProfile
from kassay.evidence.profile.totals import totals
from kassay.model.records import Record

_HEADER = re.compile(
    rb"kassay-trace/1\ntarget (\w+)\nintervals (\d{1,2})\nrounds((?: \d+)+)\ncomplete((?: \d+)*)\ncut ([01])\n\n"
)
_DEFINE = b"\x02"
"""The token before the bytes of a block."""


class TraceError(BadInput):
    """A trace that cannot be read; nothing of it may be used."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"trace: {problem}", "measure anew with --fresh")


class TraceBlock(Record, frozen=True, kw_only=True):
    """A translation block."""

    id: int
    """Its index among the trace's blocks."""
    start: int
    lengths: bytes
    """Bytes of each instruction."""
    code: bytes


class Trace(Record, frozen=True, kw_only=True):
    """Contents of a trace, without its stream."""

    target: str
    """QEMU's name of the architecture."""
    intervals: int
    """Intervals of a round, the gap to the next one included."""
    rounds: tuple[int, ...]
    """Rounds that were asked for."""
    blocks: tuple[TraceBlock, ...]
    complete_rounds: tuple[int, ...]
    """Rounds that the trace has from beginning to end."""
    cut: bool
    """True if the budget ended the trace."""
    stream: int
    """Offset in the file at which the stream begins."""


def read_trace(data: bytes) -> Trace:
    """Reads header and blocks. Raises TraceError for anything cut short or unknown there."""
    header = _HEADER.match(data)
    if header is None:
        raise TraceError(f"not the beginning of one: {data[:40]!r}")
    blocks: list[TraceBlock] = []
    at = header.end()
    try:
        while data[at : at + 1] == _DEFINE:
            start, at = number_at(data, at + 1)
            count, at = number_at(data, at)
            lengths, at = data[at : at + count], at + count
            code = data[at : at + sum(lengths)]
            if not count or len(lengths) < count or not code or len(code) < sum(lengths):
                raise IndexError
            blocks.append(TraceBlock(id=len(blocks), start=start, lengths=lengths, code=code))
            at += len(code)
    except IndexError:
        raise TraceError(f"block {len(blocks)} is cut short") from None
    target, intervals, rounds, complete, cut = header.groups()
    return Trace(
        target=target.decode(), intervals=int(intervals), rounds=tuple(map(int, rounds.split())),
        blocks=tuple(blocks), complete_rounds=tuple(map(int, complete.split())), cut=cut == b"1", stream=at,
    )  # fmt: skip


def counted(raw: RawProfile, rounds: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Executed instructions and string iterations by round and interval; intervals without any are left out."""
    profiled = totals(raw)
    by_interval = {
        (number, interval): sum(
            half[number][interval * CONTEXTS_IN_FILE + context]
            for half in (profiled.user, profiled.kernel)
            for context in range(CONTEXTS_IN_FILE)
        )
        for number in rounds
        for interval in range(raw.intervals)
    }
    return {key: count for key, count in by_interval.items() if count}


def disagreements(executed: Mapping[tuple[int, int], int], raw: RawProfile, rounds: tuple[int, ...]) -> dict[int, str]:
    """Rounds that have other instructions in a trace than in the profile of its run, each with the first difference.

    executed: by round and interval, what a reader of the trace found. rounds: complete ones.
    """
    profiled = counted(raw, rounds)
    different: dict[int, str] = {}
    for number, interval in sorted(executed.keys() | profiled.keys()):
        in_trace, in_profile = executed.get((number, interval), 0), profiled.get((number, interval), 0)
        if number in rounds and in_trace != in_profile:
            where = f"interval {interval} of round {number}"
            different.setdefault(number, f"the trace has {in_trace} instructions in {where}, the profile {in_profile}")
    return different


def number_at(data: bytes, at: int) -> tuple[int, int]:
    """(value, index after it) of one unsigned LEB128. Raises IndexError at the end of the data."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
