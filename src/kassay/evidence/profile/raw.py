# SPDX-License-Identifier: GPL-2.0-only
"""The plugin's file (docs/explained/profile.md), bytes -> RawProfile, checked as a whole.

kassay-profile/2 is text, one record per line, words separated by one blank, addresses in hex without prefix,
everything else decimal. The journal keeps it as written (RunRecord.profile_sha256).

  profile 2 MODE TARGET API INTERVALS: first line. MODE: counts, stacks, memory. TARGET: x86_64 or aarch64. API:
      QEMU's plugin interface. INTERVALS: marked intervals of a round: its phases in order, then the gap to the next
      round
  b ID ADDRESS LENGTHS CODE: a translation block: LENGTHS has one hex digit per instruction, its bytes; CODE is the
      code, in hex. Count: times it began
  s ID BLOCK K: BLOCK was left after K of its instructions (a fault, a device access). Count: times
  u ID BLOCK: BLOCK was left at a place that is not known (a fault that did not return into it). Count: times
  i ID BLOCK: BLOCK, one repeated string instruction, began as a further iteration of the same instruction. Count:
      times, part of BLOCK's own
  e ID SITE TARGET: the indirect call or jump at the end of block SITE led to block TARGET; through a thunk, SITE is
      the block that called the thunk. Count: times
  l ID BLOCK, w ID BLOCK: loads, stores of BLOCK (MODE memory). Count: accesses
  n ID PARENT ADDRESS: a node of the call tree (MODE stacks): the function entered at ADDRESS, called from node
      PARENT; - and 0 for a root. Count: instructions of the node itself
  a ID NODE: NODE is an entry into the kernel: a fault, an interrupt, a system call's function (MODE stacks). Count:
      times it was entered
  h ID: counts the times a CPU was halted
  r ROUND: the counts of a round follow; 0 is what lies between the region's beginning and the first round, 1 the
      first round
  c ID SLOT COUNT [SLOT COUNT]...: the counter's counts in this round, slots of 0 left out; a counter not mentioned
      counted the same as in the round before
  z ID: the counter counted nothing in this round
  k ID ROUND SLOT COUNT: COUNT more for the counter in an earlier round: on another CPU a block was still running when
      that round ended
  t ADDRESS KIND: a task seen in the region: own, other, idle. ADDRESS names it (of its saved stack pointer), 0 when
      it was never switched out
  x NAME VALUE: totals: marks, lost (events that the plugin could not follow), switches (times that the kernel's task
      switch began), missed (of these, where a stack pointer was not seen saved or not seen loaded); where any was
      taken, zone_locks (times that the page allocator took the lock of a zone) and zone_handovers (of these, by
      another CPU than the time before)
  d KIND QUEUED ENDED OUTSTANDING: KIND of deferred work (work, rcu, irq_work, timer) can be followed in this kernel;
      objects that the workload queued in the region, that ran to their end in it, and that waited or ran when it
      ended
  end LINES: last line: the number of lines before it. A file without it was cut short

A slot is INTERVAL * 8 + CONTEXT. The contexts are 0 workload (addresses tell user and kernel mode apart), 1
interrupt, 2 other task, 3 idle, 4 work item, 5 RCU callback, 6 irq_work, 7 timer. Version 1 is read as well: it has
INTERVAL * 4 + CONTEXT, the first four contexts, and no line d. IDs count up from 0 over all counters (b s u i e l w n
a h). A counter is defined before it is counted.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from kassay.evidence.profile.counters import (
    CONTEXTS_IN_FILE,
    CONTEXTS_IN_FILE_1,
    DEFERRED,
    Change,
    CodeBlock,
    Cut,
    DeferredCount,
    Jump,
    Node,
    ProfileError,
    RawProfile,
    add_to_round,
)  # fmt: skip
from kassay.supply.arches import of_target

_ID, _HEX, _COUNT = rb"\d{1,9}", rb"[0-9a-f]{1,16}", rb"[1-9]\d{0,19}"
_HEADER = re.compile(rb"profile ([12]) (counts|stacks|memory) (\w+) (\d{1,3}) ([1-9]\d?)\n")
_DEFERRED = {b"work": DEFERRED[0], b"rcu": DEFERRED[1], b"irq_work": DEFERRED[2], b"timer": DEFERRED[3]}
"""The context of each kind of deferred work."""
_LINE = rb"|".join((
    rb"c %b(?: \d{1,3} %b)++" % (_ID, _COUNT),
    rb"b %b %b [1-9a-f]{1,1024} (?:[0-9a-f]{2})++" % (_ID, _HEX),
    rb"n %b (?:%b|-) %b" % (_ID, _ID, _HEX),
    rb"[se] %b %b %b" % (_ID, _ID, _ID),
    rb"[uilwa] %b %b" % (_ID, _ID),
    rb"[rzh] %b" % _ID,
    rb"k %b %b \d{1,3} -?%b" % (_ID, _ID, _COUNT),
    rb"t %b (?:own|other|idle)" % _HEX,
    rb"d (?:%b) \d{1,19} \d{1,19} \d{1,19}" % b"|".join(_DEFERRED),
    rb"x (?:marks|lost|switches|missed|zone_locks|zone_handovers) \d{1,19}",
))  # fmt: skip
_BODY = re.compile(rb"(?:(?:%b)\n)*+" % _LINE)
_END = re.compile(rb"end (\d{1,9})\n")
_DIGITS = bytes(int(chr(c), 16) if chr(c) in "0123456789abcdef" else 0 for c in range(256))


def parse(data: bytes) -> RawProfile:
    """Reads a whole file. Raises ProfileError for anything cut short, unknown or inconsistent."""
    header = _HEADER.match(data)
    if header is None:
        raise ProfileError(f"line 1: not the beginning of a profile: {data[:40]!r}")
    body = _BODY.match(data, header.end())
    end = _END.fullmatch(data, body.end() if body else 0)
    lines = data.split(b"\n")[:-1]
    if body is None or end is None:
        raise ProfileError(_not_understood(data, body.end() if body else 0))
    if int(end.group(1)) != len(lines) - 1:
        raise ProfileError(f"line {len(lines)}: {len(lines) - 1} lines instead of {int(end.group(1))}")
    if of_target(header.group(3).decode()) is None:
        raise ProfileError(f"line 1: of an architecture that is not known: {header.group(3).decode()}")
    reader = _Reader(int(header.group(5)), CONTEXTS_IN_FILE_1 if header.group(1) == b"1" else CONTEXTS_IN_FILE)
    reader.read(lines[1:-1])
    return reader.finished(header, len(lines))


def _not_understood(data: bytes, at: int) -> str:
    number = data.count(b"\n", 0, at) + 1
    line, newline, rest = data[at:].partition(b"\n")
    if not newline:
        return f"line {number}: the file is cut short here: {line[:40]!r}"
    if _END.fullmatch(line + newline):
        return f"line {number + 1}: {len(rest)} bytes after the end"
    return f"line {number}: not understood: {line[:40]!r}"


class _Wrong(Exception):
    """A mistake in a line."""


@lru_cache(maxsize=1 << 18)
def _code_block(address: bytes, lengths: bytes, code: bytes) -> CodeBlock:
    """Runs of the same kernels and program share most of their blocks. The cache takes 140 MB when it is full."""
    block = CodeBlock(int(address, 16), lengths.translate(_DIGITS), bytes.fromhex(code.decode()))
    if sum(block.lengths) != len(block.code):
        raise _Wrong(f"{sum(block.lengths)} bytes of instructions and {len(block.code)} bytes of code")
    return block


class _Reader:
    """Takes one line after the other; their syntax is known to be right."""

    def __init__(self, intervals: int, contexts: int) -> None:
        """contexts: how many the file has."""
        self.intervals = intervals
        self.slots = intervals * contexts
        self.slot_numbers = [slot // contexts * CONTEXTS_IN_FILE + slot % contexts for slot in range(self.slots)]
        self.deferred: dict[int, DeferredCount] = {}
        self.blocks: dict[int, CodeBlock] = {}
        self.cuts: dict[int, list[Cut]] = {}
        self.jumps: dict[int, Jump] = {}
        self.nodes: dict[int, Node] = {}
        self.entered: dict[int, int] = {}
        self.of_blocks: dict[bytes, dict[int, int]] = {b"i": {}, b"l": {}, b"w": {}}
        self.changes: list[list[Change]] = []
        self.halting: int | None = None
        self.late: list[tuple[int, int, int, int]] = []
        self.round = -1
        self.tasks: list[tuple[int, str]] = []
        self.totals: dict[bytes, int] = {}

    def read(self, lines: list[bytes]) -> None:
        take: dict[bytes, Callable[[list[bytes]], None]] = {
            b"b": self._block, b"s": self._cut, b"u": self._cut, b"e": self._jump, b"n": self._node,
            b"i": self._of_block, b"l": self._of_block, b"w": self._of_block, b"c": self._count, b"z": self._count,
            b"h": self._halts, b"k": self._late, b"a": self._entered,
            b"r": self._begin_round, b"t": self._task, b"x": self._total, b"d": self._deferred,
        }  # fmt: skip
        number = 1
        try:
            for line in lines:
                number += 1
                words = line.split(b" ")
                take[words[0]](words)
        except _Wrong as error:
            raise ProfileError(f"line {number}: {error}") from None

    def finished(self, header: re.Match[bytes], last: int) -> RawProfile:
        """last: number of the file's last line; errors of the whole file name this line."""
        rounds = max(self.round, 0)
        if missing := {b"marks", b"lost"} - self.totals.keys():
            raise ProfileError(f"line {last}: the file ends without the total {min(missing).decode()!r}")
        if self.totals[b"marks"] != rounds * self.intervals:
            summary = f"{self.totals[b'marks']} marks in {rounds} rounds of {self.intervals} intervals"
            raise ProfileError(f"line {last}: {summary}")
        for counter, number, slot, count in self.late:
            add_to_round(self.changes[counter], number, slot, count)
        return RawProfile(
            mode=header.group(2).decode(),
            target=header.group(3).decode(),
            api=int(header.group(4)),
            intervals=self.intervals,
            rounds=rounds,
            blocks=self.blocks,
            cuts=self.cuts,
            iterations=self.of_blocks[b"i"],
            jumps=self.jumps,
            nodes=self.nodes,
            entered=self.entered,
            loads=self.of_blocks[b"l"],
            stores=self.of_blocks[b"w"],
            changes=self.changes,
            tasks=tuple(self.tasks),
            halting=self.halting,
            marks=self.totals[b"marks"],
            lost=self.totals[b"lost"],
            switches=self.totals.get(b"switches"),
            missed=self.totals.get(b"missed"),
            zone_locks=self.totals.get(b"zone_locks", 0),
            zone_handovers=self.totals.get(b"zone_handovers", 0),
            deferred=tuple(self.deferred.values()),
        )

    def _defined(self, word: bytes) -> int:
        number = int(word)
        if number != len(self.changes):
            raise _Wrong(f"counter {number} is defined where {len(self.changes)} should be")
        self.changes.append([])
        return number

    def _block_number(self, word: bytes) -> int:
        number = int(word)
        if number not in self.blocks:
            raise _Wrong(f"{number} is not a block")
        return number

    def _block(self, words: list[bytes]) -> None:
        self.blocks[self._defined(words[1])] = _code_block(words[2], words[3], words[4])

    def _cut(self, words: list[bytes]) -> None:
        block = self._block_number(words[2])
        after = int(words[3]) if words[0] == b"s" else None
        if after is not None and after >= len(self.blocks[block].lengths):
            raise _Wrong(f"block {block} was left after {after} of its {len(self.blocks[block].lengths)} instructions")
        self.cuts.setdefault(block, []).append(Cut(self._defined(words[1]), after))

    def _of_block(self, words: list[bytes]) -> None:
        block = self._block_number(words[2])
        if words[0] == b"i" and len(self.blocks[block].lengths) != 1:
            raise _Wrong(f"block {block} is not one repeated instruction")
        self.of_blocks[words[0]][self._defined(words[1])] = block

    def _jump(self, words: list[bytes]) -> None:
        jump = Jump(self._block_number(words[2]), self._block_number(words[3]))
        self.jumps[self._defined(words[1])] = jump

    def _node(self, words: list[bytes]) -> None:
        parent = None if words[2] == b"-" else int(words[2])
        if parent is not None and parent not in self.nodes:
            raise _Wrong(f"{parent} is not a node")
        self.nodes[self._defined(words[1])] = Node(parent, int(words[3], 16))

    def _entered(self, words: list[bytes]) -> None:
        node = int(words[2])
        if node not in self.nodes:
            raise _Wrong(f"{node} is not a node")
        self.entered[self._defined(words[1])] = node

    def _halts(self, words: list[bytes]) -> None:
        if self.halting is not None:
            raise _Wrong("halts are defined twice")
        self.halting = self._defined(words[1])

    def _late(self, words: list[bytes]) -> None:
        counter, number, slot, count = map(int, words[1:])
        if counter >= len(self.changes):
            raise _Wrong(f"counter {counter} is not defined")
        if number >= self.round + 1 or slot >= self.slots:
            raise _Wrong(f"counter {counter}: slot {slot} of round {number} is not over in round {self.round + 1}")
        self.late.append((counter, number, self.slot_numbers[slot], count))

    def _begin_round(self, words: list[bytes]) -> None:
        self.round += 1
        if int(words[1]) != self.round:
            raise _Wrong(f"round {int(words[1])} where {self.round} should be")

    def _count(self, words: list[bytes]) -> None:
        counter, flat = int(words[1]), tuple(map(int, words[2:]))
        if self.round < 0:
            raise _Wrong("a count before the first round")
        if counter >= len(self.changes):
            raise _Wrong(f"counter {counter} is not defined")
        changes = self.changes[counter]
        if changes and changes[-1][0] == self.round:
            raise _Wrong(f"counter {counter} counted twice in round {self.round}")
        if flat and (flat[0] >= self.slots or len(flat) > 2):
            self._check_slots(counter, flat[::2])
        if self.slots != self.intervals * CONTEXTS_IN_FILE:
            flat = tuple(word for at in range(0, len(flat), 2) for word in (self.slot_numbers[flat[at]], flat[at + 1]))
        changes.append((self.round, flat))

    def _check_slots(self, counter: int, slots: tuple[int, ...]) -> None:
        if max(slots) >= self.slots or len(set(slots)) != len(slots):
            raise _Wrong(f"counter {counter}: slots {', '.join(map(str, slots))} of {self.slots}")

    def _task(self, words: list[bytes]) -> None:
        self.tasks.append((int(words[1], 16), words[2].decode()))

    def _deferred(self, words: list[bytes]) -> None:
        context = _DEFERRED[words[1]]
        if context in self.deferred:
            raise _Wrong(f"deferred work {words[1].decode()!r} appears twice")
        self.deferred[context] = DeferredCount(context, *map(int, words[2:]))

    def _total(self, words: list[bytes]) -> None:
        if words[1] in self.totals:
            raise _Wrong(f"total {words[1].decode()!r} appears twice")
        self.totals[words[1]] = int(words[2])
