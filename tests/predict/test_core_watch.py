# SPDX-License-Identifier: GPL-2.0-only
"""When locks are taken and given back, what moves with them, and which writes to shared lines are noted."""

from pathlib import Path

from kassay.labs.predict.core import Watched, replay
from tests.predict.cpu import params
from tests.predict.tokens import CONTEXT, STORE_PORT, Block, Tokens, insn, load, store

KERNEL = 0xFFFFFFFF81000000
LOCK, DATA, STACK, OTHER = (0xFFFF888000000000 + n * 0x1000 for n in range(4))
IMAGE = KERNEL + 0x100000
ATOMIC = insn(lock=1, address="1", data="2", writes="3", load=4, store=4, ports="30x1")
TAKES, WORKS, GIVES, CALLS = 0, 1, 2, 3


class Kernel:
    """_raw_spin_lock(), a path that works under the lock, the release, and their caller."""

    def __init__(self) -> None:
        self.tokens = Tokens()
        self.caller = self.tokens.define([insn("call"), store(4, 5)], CALLS, start=KERNEL)
        self.lock = self.tokens.define([ATOMIC, insn("return")], TAKES, start=KERNEL + 0x1000)
        self.path = self.tokens.define([load(6, 7), store(8, 7), insn(latency=50, data="3", writes="3")] * 2, WORKS)
        self.release = self.tokens.define([insn(latency=0, address="1", store=1, ports="c0x1"), insn("return")], GIVES)
        self.watch = f"s {IMAGE} {IMAGE + 4096}\na 1 0\nr 3 0\n"

    def hold(self, lock: int = LOCK, *lines: int) -> None:
        """One hold of a lock, under which lines are loaded and written: DATA, or those given."""
        self.tokens.run(self.caller, (1, STACK, True))
        self.tokens.run(self.lock, (0, lock, False), (0, lock, True))
        for data in lines or (DATA,):
            self.tokens.run(self.path, (0, data, False), (1, STACK, True), (3, data, False), (4, data + 8, True))
        self.tokens.run(self.release, (0, lock, True))

    def hold_with(self, block: Block, *accesses: tuple[int, int, bool], times: int = 0) -> None:
        """Runs the block under the lock; its last instruction `times` further, on the words that follow."""
        self.tokens.run(self.caller, (1, STACK, True))
        self.tokens.run(self.lock, (0, LOCK, False), (0, LOCK, True))
        self.tokens.run(block, *accesses)
        if times:
            self.tokens.repeat(times, 8)
        self.tokens.run(self.release, (0, LOCK, True))

    def seen(self, directory: Path) -> tuple[Watched, ...]:
        trace = self.tokens.write(directory / "trace")
        return replay(params(), self.tokens.program(), trace, self.watch).watched


def test_a_hold_lasts_from_the_atomic_to_the_release_and_names_its_caller(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    kernel.hold()
    kernel.hold(LOCK + 64)
    first, second = kernel.seen(tmp_path)
    assert (first.held, first.round, first.interval) == (True, 1, 0)
    assert (first.address, second.address) == (LOCK, LOCK + 64)
    assert first.function_before == CALLS
    assert 100 <= first.end - first.begin < 1000  # twice 50 cycles, with the value that the atomic loaded
    assert first.end < second.begin


def test_lines_that_are_touched_under_the_lock_alone_move_with_it(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    for _ in range(3):
        kernel.hold()
    assert [(one.loads, one.stores) for one in kernel.seen(tmp_path)] == [(1, 0)] * 3  # DATA, and not the stack


def test_all_lines_of_a_long_hold_move_with_the_lock(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    for _ in range(3):
        kernel.hold(LOCK, *(DATA + 64 * line for line in range(1, 50)), *(OTHER + 64 * line for line in range(400)))
    assert [(one.loads, one.stores) for one in kernel.seen(tmp_path)] == [(449, 0)] * 3


def test_a_line_that_is_also_touched_without_the_lock_does_not_move(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    for _ in range(3):
        kernel.hold()
    kernel.tokens.run(kernel.caller, (1, DATA, True))
    assert [one.loads for one in kernel.seen(tmp_path)] == [0] * 3


def test_every_line_that_moves_with_a_lock_is_counted(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    many = kernel.tokens.define([store(6, 7)] * 600, WORKS)
    for _ in range(3):
        kernel.hold_with(many, *((n, OTHER + 64 * n, True) for n in range(600)))
    assert [(one.loads, one.stores) for one in kernel.seen(tmp_path)] == [(0, 600)] * 3


def test_a_repeated_instruction_touches_and_writes_each_line(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    repeated = insn("repeat", latency=0, address="6", data="7", store=8, ports=STORE_PORT)
    block = kernel.tokens.define([repeated], WORKS)
    for _ in range(2):
        kernel.hold_with(block, (0, DATA, True), times=511)
    assert [(one.loads, one.stores) for one in kernel.seen(tmp_path)] == [(0, 64)] * 2
    kernel.tokens.run(block, (0, IMAGE, True))
    kernel.tokens.repeat(15, 8)
    assert [one.address for one in kernel.seen(tmp_path)[2:]] == [IMAGE, IMAGE + 64]


def test_an_attempt_without_a_release_has_no_end(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    kernel.tokens.run(kernel.lock, (0, LOCK, False), (0, LOCK, True))
    kernel.hold()
    ends = [one.end for one in kernel.seen(tmp_path)]
    assert ends[0] == 0 and ends[1] > 0


def test_a_store_into_the_kernels_data_is_noted_and_other_contexts_are_not(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    kernel.tokens.run(kernel.caller, (1, IMAGE + 64, True))
    kernel.tokens.event(CONTEXT, 1)
    kernel.tokens.run(kernel.caller, (1, IMAGE + 64, True))
    kernel.hold()
    kernel.tokens.event(CONTEXT, 0)
    kernel.tokens.run(kernel.caller, (1, OTHER, True))
    (one,) = kernel.seen(tmp_path)
    assert (one.held, one.address, one.block, one.index) == (False, IMAGE + 64, 0, 1)


def test_watching_changes_no_time(tmp_path: Path) -> None:
    kernel = Kernel()
    kernel.tokens.turn(1)
    for _ in range(5):
        kernel.hold()
    trace, program = kernel.tokens.write(tmp_path / "trace"), kernel.tokens.program()
    assert replay(params(), program, trace, kernel.watch).intervals == replay(params(), program, trace).intervals
