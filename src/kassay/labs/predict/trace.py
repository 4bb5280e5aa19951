# SPDX-License-Identifier: GPL-2.0-only
"""A trace (docs/explained/predict.md): bytes -> its blocks and rounds.

kassay-trace/1 is the input of --predict. One further plain run of each kernel records, for chosen rounds, everything
that a model of a CPU can use. These are blocks of code in the order of execution, addresses of all memory accesses,
contexts, faults and task switches. The journal keeps it (RunRecord.trace_sha256), so that a better model answers old
runs anew. The guest of this run does the same as that of the other plain runs, to the digit. The run carries a
profile as well. It must have the same instructions in each recorded round.

Rounds are recorded in pairs: the first of a pair warms a model, the prediction is for the second. By default these
are up to three pairs, evenly drawn over all rounds but the first two (5 6, 11 12 and 17 18 of 20). If a program marks
its rounds itself, their number is not known before. Then 3 4, 6 7, 9 10, 17 18, 33 34 and 65 66 are recorded. A trace
takes at most 64 MiB, 2 GiB for applications (--trace-budget). This module reads its header and
its blocks. steps() in tests/predict/trace_stream.py reads the whole stream, step by step.

The header is text, and ends with an empty line:

  kassay-trace/1: first line
  target x86_64: or aarch64: as QEMU calls the architecture
  intervals 4: of a round, as in the profile: its phases in order, then the gap to the next round
  rounds 5 6 11 12: requested rounds; the first round of a run is 1
  complete 5 6 11 12: of these, those that were recorded from beginning to end
  cut 0: or 1: the budget ended the trace

Then come tokens of unsigned LEB128 numbers of at most 64 bits. All definitions of blocks come first. The two low bits
of a token's first number are its kind, and v is the rest of the number. A signed number is zigzag: 0, -1, 1, -2 are
0, 1, 2, 3.

The kinds:

  0 block: a block begins. v is signed: its number less the guess. The guess is the block that followed last time on
      the block before, of this CPU; the next number where none did; 0 for the first block of a CPU
  1 access: of the block that began last on this CPU. v is STEP * 2 + STORE. STEP: number of the instruction (from 0),
      less that of the access before in this block. Then a signed number: the address less the guess, which is the
      address of this very instruction's last access (in this block) plus the distance from the access before that;
      both are 0 at first. The decoded instruction gives the width; 16 bytes may be two accesses
  2 event: v is one of the following

The events:

  0 define: ADDRESS, N, then N bytes, the lengths of the N instructions, then their code. Blocks are numbered from 0
  1 page: signed PAGE, less that of the page event before; FRAME. From now on this virtual page of 4096 bytes is in
      this guest-physical frame. A page without a frame is a device's
  2 round: ROUND begins
  3 interval: INTERVAL of the round begins, from 0
  4 context: CONTEXT of this CPU: 0 the workload, 1 interrupt, 2 other task, 3 idle. Given anew in each round
  5 cpu: CPU: what follows is of this CPU; of number 0 until the first such event
  6 left: N: the block that began last was left in its middle, after N - 1 of its instructions; 0: that is not known,
      as the guest never came back into it; 0x3FFF: it was not left, an interrupt came behind it. The next block
      enters an exception; or, where it goes on just there, QEMU alone ended the block (an access to a device, an
      instruction that lies across two pages), which costs a real CPU nothing. Written in two bytes always
  7 repeat: N, then a signed STRIDE for each access of the last time: the block, one repeated string instruction, ran
      N further times, each access by its stride further than the time before. The guess of the next access is as if
      all had been written
  8 end: of the round; it is complete
  9 cut: the budget ended here; nothing follows
  10 switch: another task is on this CPU from now on

- left may also come after other blocks, of other CPUs, and after the end of a round: a CPU goes on only when it is
  its turn again.
- Events stand between blocks: a mark of a round in the middle of a block takes effect with the next block, as in the
  profile.
- A fault before the block's first access, or one by the fetch of the next block's code, is a left as well. For the
  latter N - 1 is the number of all its instructions.
- The bytes of a block's last instruction may be incomplete where it lies across two pages; it is then always left
  before that.
- A string instruction ends with one more time without an access, in which it sees that nothing is left to do.
- Not in it, because QEMU tells nobody: page walks, what the CPU itself writes when it enters an exception, operands
  of invlpg and tlbi, and what dc zva clears.
- Frames are as QEMU numbers its memory, in which a gap of the physical address space may be left out.
"""

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
