# SPDX-License-Identifier: GPL-2.0-only
"""The core model (core/, docs/explained/core.md): built by the host's compiler when first used, run on a trace."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from kassay.effects import compiler, files, process
from kassay.effects.compiler import COMPILER
from kassay.effects.distribution import install
from kassay.errors import BadInput, Defect, HostLacks

# Over all files at once: a seventh less time. Warnings are the Makefile's: another compiler's must not stop a user.
FLAGS = ("-std=gnu11", "-O2", "-flto", "-flto-partition=one", "-fno-pie", "-no-pie")
TIMEOUT_S = 3600
_WATCHED = ("round", "interval", "begin", "end", "block", "index", "from", "address", "loads", "stores")


@dataclass(frozen=True, slots=True)
class ReplayedInterval:
    """Instructions of the measured task in an interval of a round, and their time in 1/100 cycles."""

    round: int
    interval: int
    instructions: int
    cycles100: int
    accesses: int
    """Loads and stores."""
    l2_misses: int
    """Lines that the second level did not have, those of other tasks and of prefetches included."""


@dataclass(frozen=True, slots=True)
class ReplayedRow:
    """A part of a ReplayedInterval: of one function (the caller's number) and one cause (docs/explained/core.md)."""

    round: int
    interval: int
    function: int
    cause: str
    cycles100: int
    instructions: int


@dataclass(frozen=True, slots=True)
class Watched:
    """A lock that was held, or another write to a line that CPUs may share (docs/explained/core.md, WATCH)."""

    held: bool
    round: int
    interval: int
    begin: int
    """Cycle of the measured task at which it began."""
    end: int
    """Cycle at which it ended; 0 if the lock was not given back."""
    block: int
    index: int
    """Number of the instruction in the block."""
    function_before: int
    """Number of the function that was executed before this one: its caller."""
    address: int
    loads: int
    """Lines that move with the lock and were read."""
    stores: int
    """Lines that move with the lock and were written only."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A trace on a CPU. The rows of an interval add up to it exactly."""

    intervals: tuple[ReplayedInterval, ...]
    rows: tuple[ReplayedRow, ...]
    others: Mapping[tuple[int, int, int], tuple[int, int]]
    """Instructions and 1/100 cycles that are not the measured task's, by round, interval and context."""
    statistics: Mapping[str, int]
    watched: tuple[Watched, ...] = ()


def replay(params: str, program: str, trace: Path, watch: str = "", placement: int = 0) -> Replayed:
    """The time that a CPU takes for a trace. params, program, watch: text as in docs/explained/core.md. placement:
    each number lets the pages lie in physical memory in another way.

    Raises HostLacks without a compiler; BadInput for a trace that is no trace; Defect for other wrong input.
    """
    model = core()
    with tempfile.TemporaryDirectory(prefix="kassay-core-") as scratch:
        paths = []
        for name, text in (("params", params), ("program", program), ("watch", watch)):
            paths.append(Path(scratch) / name)
            paths[-1].write_text(text, "utf-8")
        words = [str(model), *map(str, paths[:2]), str(trace), str(placement), *map(str, paths[2:] if watch else ())]
        done = process.run(words, timeout_s=TIMEOUT_S)
    if done.timed_out:
        raise HostLacks(f"{trace}: the core model did not end within {TIMEOUT_S} s", "predict from a smaller trace")
    if done.status == 3:
        raise HostLacks(f"{trace}: {done.err.strip()}", "free some memory")
    if done.status:
        why = done.err.strip() or f"the core model ended with status {done.status}"
        raise BadInput(why, "record the trace anew") if why.startswith(str(trace)) else Defect(why)
    return parse(done.out)


def parse(text: str) -> Replayed:
    """The core's output as records. Raises Defect where it is not what docs/explained/core.md says."""
    intervals: list[ReplayedInterval] = []
    rows: list[ReplayedRow] = []
    others: dict[tuple[int, int, int], tuple[int, int]] = {}
    statistics: dict[str, int] = {}
    watched: list[Watched] = []
    for line in text.splitlines():
        try:
            match line.split():
                case ["t", *counts] if len(counts) == len(fields(ReplayedInterval)):
                    intervals.append(ReplayedInterval(*map(int, counts)))
                case ["c", turn, interval, function, cause, cycles100, instructions]:
                    key = (int(turn), int(interval), int(function))
                    rows.append(ReplayedRow(*key, cause, int(cycles100), int(instructions)))
                case ["o", turn, interval, context, instructions, cycles100]:
                    others[int(turn), int(interval), int(context)] = (int(instructions), int(cycles100))
                case ["s", name, value]:
                    statistics[name] = int(value)
                case ["h" | "x" as kind, *numbers] if len(numbers) == len(_WATCHED):
                    watched.append(Watched(kind == "h", *map(int, numbers)))
                case _:
                    raise ValueError(line)
        except ValueError as error:
            raise Defect(f"the core model printed {line!r}") from error
    return Replayed(tuple(intervals), tuple(rows), others, statistics, tuple(watched))


def core() -> Path:
    """The compiled model, built when it is not yet there. Raises HostLacks without a compiler."""
    remedy = f"install it: {install(COMPILER, 'libc6-dev')}"
    if process.find(COMPILER) is None:
        raise HostLacks(f"no prediction: {COMPILER} is not there to build the core model", remedy)
    cached = files.cache_directory() / "core" / _key()
    names = sorted(path.name for path in sources().glob("*.c"))
    first = compiler.program("core model", cached, (COMPILER, *FLAGS, *names), sources())
    if first:
        raise HostLacks(f"no prediction: the core model does not compile with {COMPILER}: {first}", remedy)
    return cached


def sources() -> Path:
    """The folder with params.def: in a checkout, or inside the installed package."""
    return compiler.sources("core", "params.def", "the core model's")


@cache
def identity() -> str:
    """A hash over the model's sources: digits of different models are not comparable."""
    paths = sorted(path for path in sources().iterdir() if path.suffix in (".c", ".h", ".def"))
    return compiler.digest((path.name, path) for path in paths)[:16]


@cache
def _key() -> str:
    return compiler.digest((), (identity(), compiler.version(COMPILER), FLAGS))[:16]
