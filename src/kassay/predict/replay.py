# SPDX-License-Identifier: GPL-2.0-only
"""One trace on one CPU: what the core model says of the rounds it answers for, by function and cause."""

import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from kassay.effects import compiler
from kassay.predict import core
from kassay.predict.predict import Replay, ReplayedRow
from kassay.predict.static import program_text
from kassay.predict.timing import Timing
from kassay.predict.trace import Trace, read_trace

_READERS = ("forms", "ports", "replay", "static", "trace")


def replay_of(data: bytes, timing: Timing, name_of: Callable[[int], str]) -> Replay:
    """name_of: address of a block -> its function. Raises BadInput for a trace that cannot be read, HostLacks where the
    core model cannot be built."""
    trace = read_trace(data)
    numbers: dict[str, int] = {}
    text, missing = program_text(trace, timing, lambda start: numbers.setdefault(name_of(start), len(numbers)))
    with tempfile.TemporaryDirectory(prefix="kassay-replay-") as scratch:
        path = Path(scratch) / "trace"
        path.write_bytes(data)
        found = core.replay(timing.params_text(), text, path)
    answered, names = set(answered_rounds(trace)), list(numbers)
    return Replay(
        rounds=tuple(sorted(answered)), complete=len(trace.complete_rounds), asked=len(trace.rounds), cut=trace.cut,
        rows=tuple(
            ReplayedRow(round=row.round, interval=row.interval, function=names[row.function], cause=row.cause,
                        cycles100=row.cycles100, instructions=row.instructions)
            for row in found.rows if row.round in answered
        ),
        unknown=tuple(sorted(missing, key=lambda form: (-missing[form], form))),
        others=tuple(
            (number, interval, executed)
            for (number, interval, _), (executed, _) in sorted(found.others.items()) if number in answered
        ),
        cpus=max(1, found.statistics.get("cpus", 1)),
    )  # fmt: skip


@cache
def version() -> str:
    """A hash over what makes a replay of a trace and a timing file: the core model, and what reads code for it."""
    own = Path(__file__).parent
    readers = sorted((*(own / f"{name}.py" for name in _READERS), *own.glob("decode/*.py")))
    return compiler.digest(((path.name, path) for path in readers), core.identity())[:16]


def answered_rounds(trace: Trace) -> Sequence[int]:
    """The second of each two rounds that are complete and follow each other: the first warms caches and predictors."""
    complete, found = set(trace.complete_rounds), []
    rounds = iter(trace.rounds)
    for first, second in zip(rounds, rounds, strict=False):
        if second == first + 1 and {first, second} <= complete:
            found.append(second)
    return found
