# SPDX-License-Identifier: GPL-2.0-only
"""How many instructions of a trace the core model replays in a second.

python -m benchmarks.core_speed [MILLIONS]
    a made-up trace: 400 blocks of 6 to 14 instructions with loads, stores and branches by chance. Of the accesses 94 in
    100 go to 32 KiB, 5 to 1 MiB, and 1 to 16 MiB; of the blocks 1 in 20 is drawn by chance
python -m benchmarks.core_speed DIR CPU
    the traces that a run directory has, on a CPU, each with the rounds that warm the model and their other contexts

The CPU time of the quickest of five runs counts.
"""

import random
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.predict.cpu import params
from tests.predict.tokens import Block, Tokens, insn, load, store

from kassay.effects import process
from kassay.journal import artifacts
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from kassay.labs.predict.core import core, parse
from kassay.labs.predict.static import program_text
from kassay.labs.predict.timing import timing_for
from kassay.labs.predict.trace import read_trace

SHORT = 1_000_000
"""Instructions of a trace that ends before a clock of milliseconds says anything."""


def mixed(draw: random.Random) -> tuple[Tokens, list[Block]]:
    tokens = Tokens()
    blocks: list[Block] = []
    for _ in range(400):
        lines = []
        for n in range(draw.randrange(5, 14)):
            kind, register = draw.randrange(10), draw.randrange(12)
            if kind < 3:
                lines.append(load(draw.randrange(12), register))
            elif kind < 4:
                lines.append(store(draw.randrange(12), register))
            else:
                lines.append(insn(data=f"{register},{n}", writes=f"{draw.randrange(12)},20"))
        blocks.append(tokens.define([*lines, insn("branch", data="20")], function=len(blocks) % 40))
        tokens.next_start += draw.randrange(64, 160)
    return tokens, blocks


def execute(tokens: Tokens, blocks: list[Block], order: list[int]) -> int:
    """The blocks in this order, with the same accesses each time; how many instructions."""
    draw, executed = random.Random(7), 0
    for number in order:
        block = blocks[number]
        accesses = []
        for index, line in enumerate(block.lines):
            words = line.split()
            if words[9] != "0" or words[10] != "0":
                size = draw.choices((1 << 15, 1 << 20, 1 << 24), (94, 5, 1))[0]
                at = 0x10000000 + 8 * draw.randrange(size // 8)
                accesses.append((index, at, words[10] != "0"))
        tokens.run(block, *accesses)
        executed += len(block.lines)
    return executed


def replayed(params_text: str, program: str, trace: Path) -> str:
    """One line on a trace: its size, and its speed."""
    with tempfile.TemporaryDirectory(prefix="kassay-speed-") as directory:
        files = [Path(directory) / "params", Path(directory) / "program", trace]
        files[0].write_text(params_text)
        files[1].write_text(program)
        taken = []
        for _ in range(5):
            started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = process.run((str(core()), *map(str, files)), timeout_s=600)
            taken.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started)
    found = parse(done.out)
    executed = sum(one.instructions for one in found.intervals) + sum(count for count, _ in found.others.values())
    if executed < SHORT:
        return f"{executed / 1e6:.1f} million instructions: too short to be timed"
    return (
        f"{executed / 1e6:.1f} million instructions, {trace.stat().st_size / executed:.2f} bytes each: "
        f"{executed / min(taken) / 1e6:.1f} million a second; runs of {', '.join(f'{t:.2f}' for t in taken)} s"
    )


def made_up(millions: float) -> str:
    tokens, blocks = mixed(random.Random(6))
    draw = random.Random(8)
    order = [draw.randrange(400) if draw.random() < 0.05 else n % 100 + n // 500 * 50 % 300 for n in range(4000)]
    tokens.turn(1)
    execute(tokens, blocks, order)
    begin = len(tokens.stream)
    executed = execute(tokens, blocks, order)
    # From the second time on the guesses are the same each time, so the bytes are.
    again = bytes(tokens.stream[begin:])
    tokens.stream += again * max(0, round(millions * 1e6 / executed) - 2)
    with tempfile.TemporaryDirectory(prefix="kassay-speed-") as directory:
        trace = tokens.write(Path(directory) / "trace")
        return replayed(params(prefetch_streams=16, stride_distance=4, opcache_size=32768), tokens.program(), trace)


def of_runs(directory: Path, cpu: str) -> Iterator[str]:
    folder, timing = open_directory(directory), timing_for(cpu)
    for record in read_journal(folder.journal, folder.plan_id):
        if record.trace:
            data = artifacts.get(directory, record.trace)
            program, _ = program_text(read_trace(data), timing, lambda start: start >> 8 & 1023)
            with tempfile.TemporaryDirectory(prefix="kassay-speed-") as scratch:
                (trace := Path(scratch) / "trace").write_bytes(data)
                yield f"{record.run}: {replayed(timing.params_text(), program, trace)}"


def main() -> None:
    match sys.argv[1:]:
        case [directory, cpu]:
            for line in of_runs(Path(directory), cpu):
                print(line)
        case [millions]:
            print(made_up(float(millions)))
        case []:
            print(made_up(10))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
