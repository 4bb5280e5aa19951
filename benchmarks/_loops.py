# SPDX-License-Identifier: GPL-2.0-only
"""The loops of benchmarks/loops/ and benchmarks/calls/: their programs, published figures, and the model's."""

import hashlib
import subprocess
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import field

from benchmarks._replays import replays
from kassay.labs.predict.timing import Timing
from kassay.labs.predict.trace import read_trace
from kassay.model.program import FLAGS
from kassay.model.records import Record
from kassay.supply.guest.program import header

SOURCES = Path(__file__).parent / "loops"
ITERATIONS = 400
"""Iterations of a round, as in loops/main.c."""
_COMPILERS = {"x86_64": ("gcc",), "arm64": ("aarch64-linux-gnu-gcc", "-mcpu=neoverse-n1")}
_WARNINGS = ("-std=gnu11", "-Wall", "-Wextra", "-Werror")
_ROUNDS = 3


class Published(Record, frozen=True, kw_only=True):
    """Figures of one publication on one CPU."""

    cpu: str
    """Timing file that stands for the CPU."""
    machine: str
    source: str
    ghz: float = 0.0
    """Clock, where times were published."""
    ns: dict[str, float] = field(default_factory=dict)
    cycles: dict[str, float] = field(default_factory=dict)
    most: dict[str, float] = field(default_factory=dict)
    """Cycles that a loop takes at most."""
    before: dict[str, float] = field(default_factory=dict)
    """Cycles that the model said before atomics had separate times."""

    @property
    def measured(self) -> Mapping[str, float]:
        """Cycles of an iteration, by loop."""
        return {name: round(ns * self.ghz, 1) for name, ns in self.ns.items()} | self.cycles


def published() -> tuple[Published, ...]:
    found = tomllib.loads((SOURCES / "loops.toml").read_text())["measured"]
    return tuple(msgspec.convert(entry, Published) for entry in found)


def names(arch: str) -> tuple[str, ...]:
    """Every loop of an architecture, in the order of the program."""
    counters = ("counters",) if arch != "x86_64" else ("counters", "instructions")
    lines = [line for file in counters for line in (SOURCES / f"{file}.c").read_text().splitlines()]
    return tuple(line.split("X(", 1)[1].split(",", 1)[0] for line in lines if line.startswith("\tX("))


def program(arch: str, loops: Path = SOURCES) -> Path:
    """The program of the loops in a directory, built when not yet there."""
    return _built(_COMPILERS[arch], [SOURCES / "main.c", *_loops(loops)])


def program_for_host(loops: Path = SOURCES) -> Path:
    """The program that times the loops of a directory on an x86-64 host."""
    return _built(_COMPILERS["x86_64"], [SOURCES / "host/time.c", *_loops(loops)])


def _loops(directory: Path) -> list[Path]:
    return [path for path in sorted(directory.glob("*.c")) if path.name != "main.c"]


def _built(compiler: Sequence[str], files: Sequence[Path]) -> Path:
    digest = hashlib.sha256(" ".join(compiler).encode())
    for path in sorted({*SOURCES.rglob("*.[ch]"), *files, header()}):
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    made = Path(tempfile.gettempdir()) / f"kassay-loops-{digest.hexdigest()[:16]}" / files[0].stem
    if not made.is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        scratch = made.with_name("new")
        includes = (f"-I{header().parent}", f"-I{SOURCES}")
        sources = (str(path) for path in files)
        subprocess.run((*compiler, *FLAGS, *_WARNINGS, *includes, "-o", str(scratch), *sources), check=True)
        scratch.rename(made)
    return made


def cycles_of(data: bytes, loops: Sequence[str], timing: Timing) -> dict[str, float]:
    """Cycles of an iteration of each loop. data: a trace of two rounds of each, in this order."""
    return {loop: sum(causes.values()) for loop, causes in causes_of(data, loops, timing).items()}


def causes_of(data: bytes, loops: Sequence[str], timing: Timing) -> dict[str, dict[str, float]]:
    """The same by what the core waits for."""
    trace = read_trace(data)
    (replayed,) = replays(data, trace, timing)
    rounds = {_ROUNDS * number + 2: loop for number, loop in enumerate(loops)}
    found: dict[str, dict[str, float]] = {loop: defaultdict(float) for loop in loops}
    for row in replayed.rows:
        if row.round in rounds and row.interval < trace.intervals - 1:
            found[rounds[row.round]][row.cause] += row.cycles100 / 100 / ITERATIONS
    return found
