# SPDX-License-Identifier: GPL-2.0-only
"""Straight-line code as a trace: executed in an emulator for its accesses, then written as it would be recorded."""

import ctypes
from collections.abc import Callable, Sequence
from typing import NamedTuple

import unicorn
from capstone import CS_ARCH_X86, CS_MODE_64, Cs
from tests.predict.trace_stream import Event
from tests.predict.traces import block, event, number, signed
from unicorn import x86_const as x86

_BASE = 0x400000
_BYTES = 12288
"""Copies of a block take more room than the micro-op cache, and less than the instruction cache."""
_LEAST = 24
_VALUE = 0x12345600
"""Value of every register and of all memory at first, as in BHive."""
_PAGE, _PAGES = 4096, 2000
_REGISTERS = [getattr(x86, f"UC_X86_REG_{name}") for name in (
    "RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", "RSP", *(f"R{n}" for n in range(8, 16)))]  # fmt: skip
_FRAME = 0x777
"""Page frame that all data share, as in BHive."""


class Access(NamedTuple):
    """An access of one copy of a block."""

    instruction: int
    """Number of the instruction in the block."""
    address: int
    store: bool


class Executed(NamedTuple):
    """Copies of a block, one after the other."""

    lengths: bytes
    """Bytes of each instruction of the block."""
    accesses: Sequence[Sequence[Access]]
    """Accesses of each copy."""


def trace_of(code: bytes) -> bytes:
    """A trace of two rounds, each of which executes all copies of the block. Empty if the block cannot be executed."""
    executed = _execute(code, max(_LEAST, -(-_BYTES // len(code))))
    return _trace(code, executed) if executed else b""


def _execute(code: bytes, count: int) -> Executed | None:
    lengths = bytes(one.size for one in Cs(CS_ARCH_X86, CS_MODE_64).disasm(code, _BASE))
    if sum(lengths) != len(code):
        return None
    number_at = {sum(lengths[:n]): n for n in range(len(lengths))}
    accesses: list[list[Access]] = [[] for _ in range(count)]
    at = [0, 0]
    machine = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    size = (len(code) * count + 2 * _PAGE) & -_PAGE
    machine.mem_map(_BASE, size)
    machine.mem_write(_BASE, code * count)
    for register in _REGISTERS:
        machine.reg_write(register, _VALUE)

    def on_code(_: object, address: int, *__: object) -> None:
        at[:] = (address - _BASE) // len(code), number_at[(address - _BASE) % len(code)]

    def on_access(_: object, kind: int, address: int, *__: object) -> None:
        if not _BASE <= address < _BASE + size:
            accesses[at[0]].append(Access(at[1], address, kind == unicorn.UC_MEM_WRITE))

    machine.hook_add(unicorn.UC_HOOK_CODE, on_code)
    machine.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, on_access)
    room = _shared_page()
    machine.hook_add(unicorn.UC_HOOK_MEM_UNMAPPED, _mapper(room))
    try:
        machine.emu_start(_BASE, _BASE + len(code) * count, timeout=5_000_000)
    except unicorn.UcError:
        return None
    return Executed(lengths, accesses) if at[0] == count - 1 else None


def _shared_page() -> "ctypes.Array[ctypes.c_char]":
    room = ctypes.create_string_buffer(2 * _PAGE)
    ctypes.memmove(_aligned(room), _VALUE.to_bytes(8, "little") * (_PAGE // 8), _PAGE)
    return room


def _aligned(room: "ctypes.Array[ctypes.c_char]") -> int:
    return (ctypes.addressof(room) + _PAGE - 1) & -_PAGE


def _mapper(room: "ctypes.Array[ctypes.c_char]") -> Callable[..., bool]:
    """A hook that maps any page to the one of `room`."""
    mapped = set[int]()

    def on_unmapped(machine: unicorn.Uc, _: int, address: int, size: int, *__: object) -> bool:
        for page in {address & -_PAGE, (address + size - 1) & -_PAGE} - mapped:
            machine.mem_map_ptr(page, _PAGE, unicorn.UC_PROT_ALL, _aligned(room))
            mapped.add(page)
        return len(mapped) < _PAGES

    return on_unmapped


def _trace(code: bytes, executed: Executed) -> bytes:
    count = len(executed.accesses)
    starts = [_BASE + n * len(code) for n in range(count)]
    made = [b"kassay-trace/1\ntarget x86_64\nintervals 2\nrounds 1 2\ncomplete 1 2\ncut 0\n\n"]
    made += [event(Event.DEFINE, start, len(executed.lengths), executed.lengths, code) for start in starts]
    written = _Written()
    for turn in (1, 2):
        made.append(event(Event.ROUND, turn) + event(Event.INTERVAL, 0) + event(Event.CONTEXT, 0))
        for n, accesses in enumerate(executed.accesses):
            made += [written.page(address + more, _FRAME) for _, address, _ in accesses for more in (0, 15)]
            made += [written.page(starts[n] + more, 0) for more in (0, len(code))]
            made.append(block(-count if turn == 2 and n == 0 else 0))
            before = 0
            for one in accesses:
                made.append(written.access(n, one, one.instruction - before))
                before = one.instruction
        made.append(event(Event.END))
    return b"".join(made)


class _Written:
    """The guesses that a reader makes (labs/predict/trace.py)."""

    def __init__(self) -> None:
        self._pages = set[int]()
        self._page = 0
        self._last: dict[tuple[int, int], tuple[int, int]] = {}

    def page(self, address: int, frame: int) -> bytes:
        """Token of the page of an address that has none yet. frame: 0 for one of its own."""
        page = address // _PAGE
        if page in self._pages:
            return b""
        self._pages.add(page)
        difference, self._page = page - self._page, page
        return event(Event.PAGE, signed(_word(difference)), frame or 0x100000 + page)

    def access(self, copy: int, access: Access, step: int) -> bytes:
        """Token of an access."""
        last, distance = self._last.get((copy, access.instruction), (0, 0))
        self._last[copy, access.instruction] = (access.address, access.address - last)
        return number((step << 1 | access.store) << 2 | 1) + signed(_word(access.address - last - distance))


def _word(value: int) -> int:
    """The same number of 64 bits, with its sign."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
