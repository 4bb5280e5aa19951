# SPDX-License-Identifier: GPL-2.0-only
"""One trace on one CPU: the time that the core model predicts for its rounds, by function and cause."""

import math
import tempfile
from collections.abc import Callable, Sequence, Set
from functools import cache
from importlib import metadata
from pathlib import Path

from kassay.effects import compiler
from kassay.evidence.profile import symbols
from kassay.labs.predict import core
from kassay.labs.predict.core import Replayed
from kassay.labs.predict.side import PlacedInterval, Replay, ReplayedRow
from kassay.labs.predict.static import Alters, Removes, as_it_is, keeps_all, program_text
from kassay.labs.predict.timing import Timing
from kassay.labs.predict.trace import Trace, read_trace

PLACEMENTS = 5
"""Placements that are replayed where it matters. The expected range of five normal values is 2.33 standard deviations:
90 % of the differences of two values are smaller."""
MISSING, MOVED = 0.01, 0.01
"""Share of an interval's time that its misses of the second level may take, and that another placement may move,
until more are replayed."""
_Sums = dict[tuple[int, int, int, str], tuple[int, int]]
"""1/100 cycles and instructions by round, interval, function and cause."""
_READERS = ("forms", "ports", "replay", "static", "trace")


def replay_of(
    data: bytes, timing: Timing, name_of: Callable[[int], str], removes: Removes = keeps_all,
    alters: Alters = as_it_is, placements: int = 0,
) -> Replay:  # fmt: skip
    """name_of: address of a block -> its function. removes: instructions that are left out. alters: gives an
    instruction the cost of another one. placements: ways in which pages lie in physical memory; 0: as many as matter.

    Raises BadInput for a trace that cannot be read, HostLacks where the core model cannot be built.
    """
    trace = read_trace(data)
    numbers: dict[str, int] = {}
    text, missing = program_text(
        trace, timing, lambda start: numbers.setdefault(name_of(start), len(numbers)), removes, alters
    )  # fmt: skip
    answered, names = set(answered_rounds(trace)), list(numbers)
    with tempfile.TemporaryDirectory(prefix="kassay-replay-") as scratch:
        path = Path(scratch) / "trace"
        path.write_bytes(data)

        def replay_placed(placement: int) -> Replayed:
            return core.replay(timing.params_text(), text, path, placement=placement)

        if placements:
            placed: Sequence[Replayed] = list(map(replay_placed, range(placements)))
        else:
            placed = placed_as_it_matters(replay_placed, answered, timing.parameters["l3_latency"].value)
    replayed, sums = placed[0], _sums(placed, answered)
    return Replay(
        rounds=tuple(sorted(answered)), complete=len(trace.complete_rounds), asked=len(trace.rounds), cut=trace.cut,
        rows=tuple(
            ReplayedRow(round=number, interval=interval, function=names[function], cause=cause, cycles100=cycles100,
                        instructions=instructions)
            for (number, interval, function, cause), (cycles100, instructions) in sums.items()
        ),
        unknown=tuple(sorted(missing, key=lambda form: (-missing[form], form))),
        others=tuple(
            (number, interval, executed)
            for (number, interval, _), (executed, _) in sorted(replayed.others.items()) if number in answered
        ),
        accesses=tuple(
            (one.round, one.interval, one.accesses) for one in replayed.intervals if one.round in answered
        ),
        cpus=max(1, replayed.statistics.get("cpus", 1)), placements=len(placed),
        placed=tuple(
            PlacedInterval(placement=number, round=one.round, interval=one.interval, cycles100=one.cycles100)
            for number, each in enumerate(placed) for one in each.intervals if one.round in answered
        ) if len(placed) > 1 else (),
    )  # fmt: skip


def placed_as_it_matters(
    replay: Callable[[int], Replayed], answered: Set[int], l3_cycles: float
) -> Sequence[Replayed]:  # fmt: skip
    """The trace with pages in one placement, in two, or in PLACEMENTS, as far as it matters where they lie. replay: of
    one placement, by number. answered: rounds. l3_cycles: latency of the third level."""
    first = replay(0)
    wanted = [one for one in first.intervals if one.round in answered]
    if not any(one.l2_misses * l3_cycles * 100 > MISSING * one.cycles100 for one in wanted):
        return [first]
    second = replay(1)
    moved = _moved(_sums([first], answered), _sums([second], answered))
    if not any(moved.get((one.round, one.interval), 0.0) > MOVED * one.cycles100 for one in wanted):
        return [first, second]
    return [first, second, *(replay(placement) for placement in range(2, PLACEMENTS))]


def _moved(first: _Sums, second: _Sums) -> dict[tuple[int, int], float]:
    """1/100 cycles by round and interval that another placement moves: the difference of the totals, or the root of the
    squares of the rows' differences if that is more. Totals may be equal by chance."""
    moves: dict[tuple[int, int], list[int]] = {}
    for key in first.keys() | second.keys():
        moves.setdefault(key[:2], []).append(second.get(key, (0, 0))[0] - first.get(key, (0, 0))[0])
    return {key: max(abs(sum(parts)), math.hypot(*parts)) for key, parts in moves.items()}


def _sums(placed: Sequence[Replayed], answered: Set[int]) -> _Sums:
    """1/100 cycles and instructions of all placements together."""
    sums: _Sums = {}
    for row in (row for replayed in placed for row in replayed.rows if row.round in answered):
        key = (row.round, row.interval, row.function, row.cause)
        cycles100, instructions = sums.get(key, (0, 0))
        sums[key] = (cycles100 + row.cycles100, instructions + row.instructions)
    return sums


@cache
def version() -> str:
    """A hash over the core model, the files that decode code for it, the disassembler and the code that names
    functions: a replay depends on them, and on its input."""
    directory = Path(__file__).parent
    readers = sorted((*(directory / f"{name}.py" for name in _READERS), *directory.glob("decode/*.py")))
    readers.append(Path(symbols.__file__))
    made_with = core.identity(), metadata.version("capstone")
    return compiler.digest(((path.name, path) for path in readers), made_with)[:16]


def answered_rounds(trace: Trace) -> Sequence[int]:
    """The second round of each pair of consecutive complete ones: the first warms the caches and branch predictors."""
    complete, answered = set(trace.complete_rounds), []
    rounds = iter(trace.rounds)
    for first, second in zip(rounds, rounds, strict=False):
        if second == first + 1 and {first, second} <= complete:
            answered.append(second)
    return answered
