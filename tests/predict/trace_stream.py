# SPDX-License-Identifier: GPL-2.0-only
"""The stream of a trace (src/kassay/labs/predict/trace.py), token by token: slowly, to hold the plugin and
the core model against it, and to look at it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from kassay.evidence.profile.counters import RawProfile
from kassay.labs.predict.trace import Trace, TraceError, disagreements, number_at, read_trace

BLOCK, ACCESS, EVENT = 0, 1, 2
_PAGE_BITS = 12
_NOT_LEFT = 0x3FFF
"""An interrupt came after the block, which had been executed to its end."""
_WORD = (1 << 64) - 1


class Event(IntEnum):
    """Events of the stream other than the start of a block and a memory access."""

    DEFINE = 0
    PAGE = 1
    ROUND = 2
    INTERVAL = 3
    CONTEXT = 4
    CPU = 5
    LEFT = 6
    REPEAT = 7
    END = 8
    CUT = 9
    SWITCH = 10


class Access(NamedTuple):
    """A load or store of the block that runs."""

    instruction: int
    """Number of the instruction in the block."""
    store: bool
    address: int
    physical: int | None
    """None for a device."""


class Step(NamedTuple):
    """A block that began on a CPU, `times` times, one after the other."""

    round: int
    interval: int
    context: int
    cpu: int
    block: int
    accesses: tuple[Access, ...]
    times: int = 1
    left: int | None = None
    """Instructions executed of a block that was left in its middle; -1 if their number is not known. None: it was
    not left."""
    strides: tuple[int, ...] = ()
    """Distance from one time to the next, for each access."""


def steps(data: bytes) -> Iterator[Step]:
    """Everything in the stream, in order of execution on each CPU. Slow: for tests, and to look at it.

    Raises TraceError where the stream cannot be understood.
    """
    trace = read_trace(data)
    reader = _Reader(data, trace)
    try:
        yield from reader.steps()
    except (IndexError, KeyError, ValueError) as error:
        raise TraceError(f"byte {reader.at}: not understood ({error!r})") from error


def instructions(data: bytes) -> dict[tuple[int, int], int]:
    """Executed instructions and string iterations of complete rounds, by round and interval, as a profile has them."""
    trace = read_trace(data)
    complete, counts = set(trace.complete_rounds), Counter[tuple[int, int]]()
    sizes = [len(block.lengths) for block in trace.blocks]
    for step in steps(data):
        if step.round in complete:
            executed = sizes[step.block] if step.left is None or step.left < 0 else step.left
            counts[step.round, step.interval] += executed * step.times
    return dict(counts)


class _Guess:
    """Guess of the address that an instruction of a block will access next."""

    __slots__ = ("last", "stride")

    def __init__(self) -> None:
        self.last = self.stride = 0

    def next(self, residual: int) -> int:
        address = (self.last + self.stride + residual) & _WORD
        self.stride = address - self.last
        self.last = address
        return address


class _VirtualCpu:
    """The reader's state of one CPU."""

    def __init__(self) -> None:
        self.block: int | None = None
        self.context = 0
        self.index = 0
        self.accesses: list[Access] = []
        self.left: int | None = None
        self.unsent = False
        self.began = (0, 0, 0, 0)


class _Reader:
    def __init__(self, data: bytes, trace: Trace) -> None:
        self.data = data
        self.at = trace.stream
        self.successors = list(range(1, len(trace.blocks) + 1))
        self.guesses: dict[tuple[int, int], _Guess] = {}
        self.pages: dict[int, int] = {}
        self.page = 0
        self.round = self.interval = self.cpu = 0
        self.vcpus: dict[int, _VirtualCpu] = {}

    def steps(self) -> Iterator[Step]:
        vcpu = self.vcpus.setdefault(0, _VirtualCpu())
        while self.at < len(self.data):
            token = self._next()
            kind, value = token & 3, token >> 2
            if kind == ACCESS:
                self._access(vcpu, value)
            elif kind == BLOCK:
                yield from self._sent(vcpu)
                self._block(vcpu, value)
            elif kind != EVENT:
                raise ValueError(f"token {token}")
            elif value == Event.PAGE:
                self._page()
            elif value == Event.LEFT:
                value = self._next()
                vcpu.left = vcpu.left if value == _NOT_LEFT else value - 1
            elif value == Event.REPEAT:
                yield from self._sent(vcpu)
                yield self._repeated(vcpu)
            else:
                vcpu = self._turn(vcpu, Event(value))
        for vcpu in self.vcpus.values():
            yield from self._sent(vcpu)

    def _next(self) -> int:
        value, self.at = number_at(self.data, self.at)
        return value

    def _sent(self, vcpu: _VirtualCpu) -> Iterator[Step]:
        if vcpu.unsent and vcpu.block is not None:
            vcpu.unsent = False
            yield Step(*vcpu.began, vcpu.block, tuple(vcpu.accesses), left=vcpu.left)

    def _block(self, vcpu: _VirtualCpu, value: int) -> None:
        before = vcpu.block
        vcpu.block = (0 if before is None else self.successors[before]) + _signed(value)
        self.successors[vcpu.block]  # raises IndexError for one that is not defined
        if before is not None:
            self.successors[before] = vcpu.block
        vcpu.index, vcpu.accesses, vcpu.left, vcpu.unsent = 0, [], None, True
        vcpu.began = (self.round, self.interval, vcpu.context, self.cpu)

    def _access(self, vcpu: _VirtualCpu, value: int) -> None:
        if vcpu.block is None:
            raise ValueError("an access of no block")
        vcpu.index += value >> 1
        guess = self.guesses.setdefault((vcpu.block, vcpu.index), _Guess())
        address = guess.next(_signed(self._next()))
        vcpu.accesses.append(Access(vcpu.index, bool(value & 1), address, self._physical(address)))

    def _physical(self, address: int) -> int | None:
        frame = self.pages.get(address >> _PAGE_BITS)
        return None if frame is None else frame << _PAGE_BITS | address & (1 << _PAGE_BITS) - 1

    def _page(self) -> None:
        self.page = self.page + _signed(self._next()) & _WORD >> _PAGE_BITS
        self.pages[self.page] = self._next()

    def _repeated(self, vcpu: _VirtualCpu) -> Step:
        if vcpu.block is None:
            raise ValueError("a repetition of no block")
        times = self._next()
        strides = tuple(_signed(self._next()) for _ in vcpu.accesses)
        first = [
            old._replace(address=address, physical=self._physical(address))
            for old, stride in zip(vcpu.accesses, strides, strict=True)
            for address in ((old.address + stride) & _WORD,)
        ]
        guess = self.guesses.setdefault((vcpu.block, 0), _Guess())
        vcpu.accesses = [
            old._replace(address=(old.address + times * stride) & _WORD)
            for old, stride in zip(vcpu.accesses, strides, strict=True)
        ]
        for old, stride in zip(vcpu.accesses, strides, strict=True):  # the last two accesses decide the next guess
            guess.stride = stride if len(strides) == 1 else old.address - guess.last
            guess.last = old.address
        return Step(*vcpu.began, vcpu.block, tuple(first), times=times, strides=strides)

    def _turn(self, vcpu: _VirtualCpu, event: Event) -> _VirtualCpu:
        if event in (Event.ROUND, Event.INTERVAL, Event.CONTEXT, Event.CPU):
            value = self._next()
        if event == Event.ROUND:
            self.round = value
        elif event == Event.INTERVAL:
            self.interval = value
        elif event == Event.CONTEXT:
            vcpu.context = value
        elif event == Event.CPU:
            self.cpu = value
            return self.vcpus.setdefault(value, _VirtualCpu())
        elif event == Event.DEFINE:
            raise ValueError("a block defined in the stream")
        return vcpu


def _signed(value: int) -> int:
    return value >> 1 ^ -(value & 1)


def disagreement(executed: Mapping[tuple[int, int], int], raw: RawProfile, rounds: tuple[int, ...]) -> str:
    """Reason why a trace and the profile of its run do not belong together. "" if each round has the same
    instructions."""
    return next(iter(disagreements(executed, raw, rounds).values()), "")
