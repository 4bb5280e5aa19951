# SPDX-License-Identifier: GPL-2.0-only
"""Simpler ways than a model of the core, for the same trace: counts, weighted counts, llvm-mca."""

import re
import subprocess
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tests.predict.trace_stream import Step, steps

from kassay.labs.predict.trace import read_trace

_LINE = 64
_L1 = (32 << 10, 8)
_LAST = (32 << 20, 16)
_WEIGHTS = (1, 5, 35)
"""Weight of an access, as a number of instructions, if it is found in the first level, the last level, or memory."""
_SKIPPED, _WINDOW = 400, 4000
"""Instructions of a round that llvm-mca is not given, and those that it is given."""
MCA = ("llvm-mca-22", "llvm-mca-19")


class Simple(NamedTuple):
    """Sums of one round."""

    instructions: int
    weighted: int
    """Instructions and accesses, weighted by _WEIGHTS."""
    code: bytes
    """Code of the window, in order of execution."""


class _Cache:
    """Lines of the last recently used ones, in sets."""

    def __init__(self, size: int, ways: int) -> None:
        self._ways, self._sets = ways, size // _LINE // ways
        self._lines: defaultdict[int, OrderedDict[int, None]] = defaultdict(OrderedDict)

    def has(self, line: int) -> bool:
        """True if the line was in the cache. It is from now on."""
        lines = self._lines[line % self._sets]
        found = line in lines
        lines[line] = None
        lines.move_to_end(line)
        if len(lines) > self._ways:
            lines.popitem(last=False)
        return found


class _Round:
    def __init__(self) -> None:
        self.instructions = self.accesses = self.misses = self.last_misses = 0
        self.code: list[bytes] = []
        self.taken = 0


def simple(data: bytes, wanted: Iterable[int]) -> Mapping[int, Simple]:
    """Sums of each round in `wanted`, by round. All rounds of the trace warm the caches."""
    blocks, asked = read_trace(data).blocks, frozenset(wanted)
    first, last = _Cache(*_L1), _Cache(*_LAST)
    rounds: defaultdict[int, _Round] = defaultdict(_Round)
    for step in steps(data):
        found, block = rounds[step.round], blocks[step.block]
        executed = len(block.lengths) if step.left is None or step.left < 0 else step.left
        found.instructions += executed * step.times
        for line in _lines(step):
            if not first.has(line):
                found.misses += 1
                found.last_misses += not last.has(line)
        found.accesses += len(step.accesses) * step.times
        if step.round in asked and found.instructions > _SKIPPED and found.taken < _WINDOW:
            found.taken += executed
            found.code.append(block.code[: sum(block.lengths[:executed])])
    return {
        number: Simple(one.instructions, _weighted(one), b"".join(one.code))
        for number, one in rounds.items()
        if number in asked
    }


def _lines(step: Step) -> Iterable[int]:
    """Lines that are touched, a line once for all iterations that follow each other in it."""
    strides = step.strides or (0,) * len(step.accesses)
    for access, stride in zip(step.accesses, strides, strict=True):
        at = access.physical if access.physical is not None else access.address
        last = at + stride * (step.times - 1)
        low, high = min(at, last) // _LINE, max(at, last) // _LINE
        yield from (
            range(low, high + 1) if abs(stride) < _LINE else ((at + stride * n) // _LINE for n in range(step.times))
        )


def _weighted(found: _Round) -> int:
    first, last, memory = _WEIGHTS
    hits = found.instructions + found.accesses - found.misses
    return first * hits + last * (found.misses - found.last_misses) + memory * found.last_misses


def mca_cycles(code: bytes, cpu: str, program: str) -> float:
    """Cycles of straight-line code by llvm-mca, of an instruction on average. Raises RuntimeError without an answer."""
    text = " ".join(f"0x{byte:02x}" for byte in code)
    disassembler = program.replace("llvm-mca", "llvm-mc")
    lines = subprocess.run(
        (disassembler, "--disassemble", "--triple=x86_64"), input=text, capture_output=True, text=True
    ).stdout.splitlines()
    body = [line for line in lines if line.startswith("\t") and not line.startswith("\t.")]
    argv = (program, "-mtriple=x86_64", f"-mcpu={cpu}", "-iterations=1", "-skip-unsupported-instructions=any",
            "-instruction-info=0", "-resource-pressure=0")  # fmt: skip
    done = subprocess.run(argv, input="\n".join(body) + "\n", capture_output=True, text=True)
    total = re.search(r"^Total Cycles:\s+(\d+)$", done.stdout, re.MULTILINE)
    if total is None or not body:
        raise RuntimeError(done.stderr.strip()[-300:])
    return int(total[1]) / len(body)
