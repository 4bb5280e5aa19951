# SPDX-License-Identifier: GPL-2.0-only
"""One trace on one CPU: the time that the core model predicts for its rounds, by function and cause."""

import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from kassay.effects import compiler
from kassay.labs.predict import core
from kassay.labs.predict.predict import Replay, ReplayedRow
from kassay.labs.predict.static import Alters, Removes, as_it_is, keeps_all, program_text
from kassay.labs.predict.timing import Timing
from kassay.labs.predict.trace import Trace, read_trace

_READERS = ("forms", "ports", "replay", "static", "trace")


def replay_of(
    data: bytes, timing: Timing, name_of: Callable[[int], str], removes: Removes = keeps_all,
    alters: Alters = as_it_is,
) -> Replay:  # fmt: skip
    """name_of: address of a block -> its function. removes: instructions that are left out. alters: gives an
    instruction the cost of another one.

    Raises BadInput for a trace that cannot be read, HostLacks where the core model cannot be built.
    """
    trace = read_trace(data)
    numbers: dict[str, int] = {}
    text, missing = program_text(
        trace, timing, lambda start: numbers.setdefault(name_of(start), len(numbers)), removes, alters
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="kassay-replay-") as scratch:
        path = Path(scratch) / "trace"
        path.write_bytes(data)
        replayed = core.replay(timing.params_text(), text, path)
    answered, names = set(answered_rounds(trace)), list(numbers)
    return Replay(
        rounds=tuple(sorted(answered)), complete=len(trace.complete_rounds), asked=len(trace.rounds), cut=trace.cut,
        rows=tuple(
            ReplayedRow(round=row.round, interval=row.interval, function=names[row.function], cause=row.cause,
                        cycles100=row.cycles100, instructions=row.instructions)
            for row in replayed.rows if row.round in answered
        ),
        unknown=tuple(sorted(missing, key=lambda form: (-missing[form], form))),
        others=tuple(
            (number, interval, executed)
            for (number, interval, _), (executed, _) in sorted(replayed.others.items()) if number in answered
        ),
        accesses=tuple(
            (one.round, one.interval, one.accesses) for one in replayed.intervals if one.round in answered
        ),
        cpus=max(1, replayed.statistics.get("cpus", 1)),
    )  # fmt: skip


@cache
def version() -> str:
    """A hash over the core model and the files that decode code for it: a replay depends on them, and on its input."""
    directory = Path(__file__).parent
    readers = sorted((*(directory / f"{name}.py" for name in _READERS), *directory.glob("decode/*.py")))
    return compiler.digest(((path.name, path) for path in readers), core.identity())[:16]


def answered_rounds(trace: Trace) -> Sequence[int]:
    """The second round of each pair of consecutive complete ones: the first warms the caches and branch predictors."""
    complete, answered = set(trace.complete_rounds), []
    rounds = iter(trace.rounds)
    for first, second in zip(rounds, rounds, strict=False):
        if second == first + 1 and {first, second} <= complete:
            answered.append(second)
    return answered
