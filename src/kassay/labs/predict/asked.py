# SPDX-License-Identifier: GPL-2.0-only
"""Subject of a what-if answer: one kernel at one point, on one CPU."""

from collections.abc import Sequence

from kassay.labs.predict.timing import Timing
from kassay.model.finding import Finding, Side
from kassay.model.machine import MachineUse, Point
from kassay.model.records import Record, Setting
from kassay.report.words import point_name


class Asked(Record, frozen=True, kw_only=True):
    """Fields that every what-if answer has."""

    kernel: str
    workload: str
    settings: tuple[Setting, ...]
    metric: str
    operation: str
    cpu: str
    calibrated: bool
    """True if the timing file was calibrated on this CPU and held against measured changes."""
    machine: MachineUse | None = None
    """The machine that recorded the trace; None in answers of earlier versions."""


def asked(f: Finding, side: Side, timing: Timing) -> Asked:
    """The subject of an answer on one side of a finding."""
    return Asked(
        kernel=side.kernel, workload=f.workload, settings=f.settings, metric=f.metric,
        operation=f.unit.partition("/")[2], cpu=timing.name, calibrated=timing.learned, machine=f.machine,
    )  # fmt: skip


def name_of(answer: Asked, answers: Sequence[Asked]) -> str:
    """ "mprotect_toggle size=2MiB, iteration on debian:6.17, zen4": what tells it apart from the other answers."""
    return f"{_point_name(answer, answers)}, {answer.metric} on {answer.kernel}, {answer.cpu}"


def kernel_at(answer: Asked, answers: Sequence[Asked]) -> str:
    """ "debian:6.17", and the point if the answers have several."""
    several = len({(one.workload, one.settings, one.machine) for one in answers}) > 1
    return f"{answer.kernel}, {_point_name(answer, answers)}" if several else answer.kernel


def pair_name(base: Asked, head: Asked, answers: Sequence[Asked]) -> str:
    """ "mprotect_toggle, zen4, debian:6.16 to debian:6.17"."""
    return f"{_point_name(head, answers)}, {head.cpu}, {base.kernel} to {head.kernel}"


def _point_name(answer: Asked, answers: Sequence[Asked]) -> str:
    points = [point for point in map(_point, answers) if point is not None]
    own = _point(answer)
    return answer.workload if own is None else point_name(own, points)


def _point(answer: Asked) -> Point | None:
    return Point(answer.workload, answer.settings, answer.machine) if answer.machine is not None else None
