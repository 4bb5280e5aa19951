# SPDX-License-Identifier: GPL-2.0-only
"""Writes a kassay-trace/1 and its program by hand: blocks of instructions, what they access, and events."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

DEFINE, PAGE, ROUND, INTERVAL, CONTEXT, CPU, LEFT, REPEAT, END, CUT, SWITCH = range(11)
ALU, LOADS, STORE_PORT = "0fx1", "30x1", "c0x1"


def insn(kind: str = "plain", *, uops: int = 1, latency: int | str = 1, lock: int = 0, address: str = "-",
         data: str = "-", writes: str = "-", load: int = 0, store: int = 0, ports: str = ALU,
         fixed: int | str = 0, length: int = 4, traits: int = 0, opcode: int = 0) -> str:  # fmt: skip
    """A line of the program, an instruction of the arithmetic ports unless more is said."""
    costs = f"{load} {store} {ports} {fixed} {traits} {opcode}"
    return f"i {length} {kind} {uops} {latency} {lock} {address} {data} {writes} {costs}"


def load(address: int, to: int) -> str:
    return insn(latency=0, address=str(address), writes=str(to), load=8, ports=LOADS)


def store(address: int, value: int) -> str:
    return insn(latency=0, address=str(address), data=str(value), store=8, ports=STORE_PORT)


@dataclass
class Block:
    number: int
    start: int
    lines: Sequence[str]
    function: int
    last: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def lengths(self) -> bytes:
        return bytes(int(line.split()[1]) for line in self.lines)


class Tokens:
    """The stream of a trace. Blocks are defined before it, as the plugin does."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.followers: dict[int, int] = {}
        self.stream = bytearray()
        self.last: Block | None = None
        self.page = 0
        self.next_start = 0x400000

    def define(self, lines: Sequence[str], function: int = 0, start: int | None = None) -> Block:
        """A block; without `start` it lies behind the one before, so that the one goes on in the other."""
        block = Block(len(self.blocks), self.next_start if start is None else start, lines, function)
        self.next_start = block.start + sum(block.lengths)
        self.blocks.append(block)
        self.followers[block.number] = block.number + 1
        return block

    def run(self, block: Block, *accesses: tuple[int, int, bool]) -> None:
        """Executes a block. accesses: index of the instruction, virtual address, whether it stores."""
        guess = 0 if self.last is None else self.followers[self.last.number]
        if self.last is not None:
            self.followers[self.last.number] = block.number
        self._put(_zigzag(block.number - guess) << 2)
        self.last, at = block, 0
        for index, address, stores in accesses:
            self.access(block, index, address, stores, index - at)
            at = index

    def run_all(self, *blocks: Block) -> None:
        """One after the other, without accesses."""
        for block in blocks:
            self.run(block)

    def access(self, block: Block, index: int, address: int, stores: bool = False, step: int = 0) -> None:
        """Access of the block that ran last. step: from the instruction of the access before it."""
        before, stride = block.last.get(index, (0, 0))
        self._put((step << 1 | stores) << 2 | 1)
        self._put(_zigzag(address - before - stride))
        block.last[index] = (address, address - before)

    def event(self, kind: int, *numbers: int) -> None:
        self._put(kind << 2 | 2)
        for number in numbers:
            self._put(number)

    def map(self, page: int, frame: int) -> None:
        self.event(PAGE, _zigzag(page - self.page), frame)
        self.page = page

    def repeat(self, times: int, *strides: int) -> None:
        """The last block, a repeated instruction with one access, `times` further."""
        self.event(REPEAT, times, *map(_zigzag, strides))
        assert self.last is not None
        address, _ = self.last.last[0]
        self.last.last[0] = (address + times * strides[0], strides[0])

    def turn(self, number: int, interval: int = 0) -> None:
        if interval == 0:
            self.event(ROUND, number)
        self.event(INTERVAL, interval)

    def program(self) -> str:
        return "".join(
            f"b {block.number} {block.start} {len(block.lines)} {block.function}\n"
            + "".join(f"{i}\n" for i in block.lines)
            for block in self.blocks
        )

    def write(self, path: Path) -> Path:
        definitions, stream = bytearray(), self.stream
        self.stream = definitions
        for block in self.blocks:
            self.event(DEFINE, block.start, len(block.lines))
            definitions += block.lengths + bytes(sum(block.lengths))
        self.stream = stream
        path.write_bytes(b"kassay-trace/1\ntarget x86_64\nintervals 2\nrounds 1 2\n\n" + definitions + stream)
        return path

    def _put(self, value: int) -> None:
        while value >= 0x80:
            self.stream.append(value & 0x7F | 0x80)
            value >>= 7
        self.stream.append(value)


def _zigzag(value: int) -> int:
    value = (value + (1 << 63)) % (1 << 64) - (1 << 63)
    return value << 1 if value >= 0 else (-value << 1) - 1
