# SPDX-License-Identifier: GPL-2.0-only
"""Samples become quantities, and a journal keeps them, so that a killed calibration goes on where it was.

Other programs on the same machine can only add time. So the value of a repeat is the lower quartile of its samples, and
a quantity is the value of its least disturbed repeat; low is the smallest sample, high the upper quartile of the
repeats. The very smallest samples of a repeat do not count: where the reference chains before and after a sample were
both interrupted, the sample looks too short.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

import msgspec

from kassay.effects import files
from kassay.errors import BadInput
from kassay.labs.predict.calibrate.machine import HostMachine
from kassay.labs.predict.calibrate.program import Output
from kassay.model.records import Record, from_json, grouped, to_json

SCHEMA = "kassay-samples/1"


class Measured(NamedTuple):
    """One point, in cycles (or Hz)."""

    value: float
    low: float
    high: float
    n: int
    """Number of samples behind it."""


class Point(Record, frozen=True, kw_only=True):
    """One point in one repeat: lower quartile and (nearly) minimum of n samples, cycles of one operation."""

    quartile: float
    least: float
    n: int


class Repeat(Record, frozen=True, kw_only=True):
    """One process: a group of points, once."""

    repeat: int
    group: str
    hz: float
    """Upper quartile of the core's clock."""
    points: dict[str, Point]
    refused: dict[str, str]
    """Reason why a point was not measured, by point."""


class Head(Record, frozen=True, kw_only=True):
    """First line of a journal."""

    schema: str
    machine: HostMachine
    program: str
    """Id of the probes."""


def repeat_of(number: int, group: str, output: Output) -> Repeat:
    """Measurements of one process."""
    points = {}
    for word, samples in output.samples.items():
        cycles = sorted(sample.cycles for sample in samples)
        points[word] = Point(
            quartile=cycles[len(cycles) // 4], least=cycles[max(len(cycles) // 10, min(1, len(cycles) // 6))],
            n=len(cycles),
        )  # fmt: skip
    hz = sorted(sample.hz for samples in output.samples.values() for sample in samples)
    return Repeat(repeat=number, group=group, points=points, refused=output.refused,
                  hz=hz[3 * len(hz) // 4] if hz else 0.0)  # fmt: skip


def quantities(repeats: Iterable[Repeat]) -> dict[str, Measured]:
    """Every point by name, over all repeats."""
    by_word = grouped((word, point) for repeat in repeats for word, point in repeat.points.items())
    return {word: _over(points) for word, points in by_word.items()}


def refusals(repeats: Iterable[Repeat]) -> dict[str, str]:
    """Every point that could not be measured, and why."""
    return {word: why for repeat in repeats for word, why in repeat.refused.items()}


def core_hz(repeats: Sequence[Repeat]) -> Measured:
    """The core's clock while the probes ran."""
    clocks = sorted(repeat.hz for repeat in repeats if repeat.hz)
    return Measured(clocks[len(clocks) // 2], clocks[0], clocks[-1], len(clocks))


def _over(points: list[Point]) -> Measured:
    quartiles = sorted(point.quartile for point in points)
    return Measured(
        quartiles[0], min(point.least for point in points),
        quartiles[ceil(3 * (len(quartiles) - 1) / 4)], sum(point.n for point in points),
    )  # fmt: skip


def curve(measured: Mapping[str, Measured], name: str) -> dict[int, float]:
    """Argument -> cycles, of all points NAME:ARGUMENT."""
    names = [word for word in measured if word.startswith(f"{name}:")]
    return {int(word.partition(":")[2]): measured[word].value for word in names}


def begin(path: Path, machine: HostMachine, program: str) -> list[Repeat]:
    """Measurements of an earlier, killed calibration with the same probes. Starts a journal if there is none.

    Raises BadInput for a journal of another machine.
    """
    try:
        lines = path.read_bytes().splitlines()
        head = from_json(lines[0], Head) if lines else None
    except FileNotFoundError:
        head = None
    except (OSError, msgspec.MsgspecError) as error:
        raise BadInput(f"{path}: {error}", "remove it, and calibrate anew") from error
    if head is not None and head.machine.cpuinfo != machine.cpuinfo:
        raise BadInput(f"{path}: begun on another machine ({json.dumps(head.machine.cpuinfo)})",
                       "give this calibration another name, or begin anew with --fresh")  # fmt: skip
    if head is None or (head.machine, head.program) != (machine, program):
        files.write_atomic(path, to_json(Head(schema=SCHEMA, machine=machine, program=program)) + b"\n")
        return []
    repeats = []
    for line in lines[1:]:
        try:
            repeats.append(from_json(line, Repeat))
        except msgspec.MsgspecError:
            # The last line is cut short where it was killed: it is removed, and the next repeat gets its own line.
            files.write_atomic(path, b"\n".join([lines[0], *map(to_json, repeats)]) + b"\n")
            break
    return repeats


def add(path: Path, repeat: Repeat) -> None:
    """Keeps one process's points."""
    files.append_durable(path, to_json(repeat) + b"\n")
