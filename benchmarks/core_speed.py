# SPDX-License-Identifier: GPL-2.0-only
"""How many instructions of a trace the core model replays in a second: python -m benchmarks.core_speed [MILLIONS].

The trace is made up: 400 blocks of 6 to 14 instructions with loads, stores and branches by chance. Of the accesses 94
in 100 go to 32 KiB, 5 to 1 MiB, and 1 to 16 MiB; of the blocks 1 in 20 is drawn by chance. The CPU
time of the quickest of five runs counts.
"""

import random
import resource
import sys
import tempfile
from pathlib import Path

from tests.predict.cpu import params
from tests.predict.tokens import Block, Tokens, insn, load, store

from kassay.effects import process
from kassay.predict.core import core, parse


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


def main() -> None:
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else 10
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
        files = [Path(directory) / "params", Path(directory) / "program", tokens.write(Path(directory) / "trace")]
        files[0].write_text(params(prefetch_streams=16, stride_distance=4, opcache_size=32768))
        files[1].write_text(tokens.program())
        taken = []
        for _ in range(5):
            started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = process.run((str(core()), *map(str, files)), timeout_s=600)
            taken.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started)
        found = parse(done.out).intervals[0]
        size = files[2].stat().st_size
    print(f"{found.instructions / 1e6:.1f} million instructions, {size / found.instructions:.2f} bytes each,"
          f" {found.instructions / found.cycles100 * 100:.2f} a cycle")  # fmt: skip
    rate = found.instructions / min(taken) / 1e6
    print(f"{rate:.1f} million a second; runs of {', '.join(f'{t:.2f}' for t in taken)} s")


if __name__ == "__main__":
    main()
