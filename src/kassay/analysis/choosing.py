# SPDX-License-Identifier: GPL-2.0-only
"""Which findings a question about profiles means: one setting, one metric, kernels by label."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.guess import nearest_of, unknown
from kassay.model.point import Point
from kassay.model.reason import Reason
from kassay.model.texts import machine_text, memory_text, settings_text
from kassay.model.units import parse_bytes


class Chosen(NamedTuple):
    """One kernel's side of a finding. verdict, reasons: of a refused comparison of these kernels, "" and none of an
    admitted one. where: "setting 1 of 4: size=256KiB", "" where there is one only."""

    finding: Finding
    side: Side
    verdict: str
    reasons: tuple[Reason, ...]
    where: str


def chosen(
    findings: Sequence[Finding], kernels: Sequence[str] | None, metric: str | None, settings: Mapping[str, str]
) -> tuple[Chosen, ...]:
    """One entry per kernel, by default the first and the last, of the first setting that has these values.

    settings: parameters of the workload, cpus, memory or workload -> the value wanted. Raises BadInput that lists
    what there is.
    """
    points = list(dict.fromkeys(f.point for f in findings))
    point = _with(points, settings)[0]
    here = [f for f in findings if f.point == point]
    found = [f for f in here if f.metric == metric or (metric is None and f.primary)]
    if not found:
        raise unknown("unknown metric", str(metric), dict.fromkeys(f.metric for f in here))
    sides = {side.kernel: (finding, side) for finding in found for side in finding.sides}
    names = list(sides)
    wanted = list(dict.fromkeys(kernels if kernels is not None else (names[0], names[-1])))
    strange = [name for name in wanted if name not in sides]
    if strange:
        raise unknown("unknown kernel", strange[0], names)
    pair = [f for f in found if {side.kernel for side in f.sides} == set(wanted)]
    return tuple(
        Chosen(*sides[name], *_refusal(pair or found, wanted if pair else [name]), _where(point, points))
        for name in wanted
    )


def _with(points: Sequence[Point], settings: Mapping[str, str]) -> Sequence[Point]:
    for name, value in settings.items():
        have = [_values(point).get(name) for point in points]
        if not any(have):
            names = dict.fromkeys(name for point in points for name in _values(point))
            raise BadInput(f"--set {name}: unknown name", nearest_of(name, names))
        left = [point for point, one in zip(points, have, strict=True) if one is not None and _same(one, value)]
        if not left:
            raise BadInput(f"--set {name}: no setting has {value!r}", f"known: {', '.join(filter(None, _once(have)))}")
        points = left
    return points


def _values(point: Point) -> dict[str, str]:
    workload, settings, machine = point
    of_machine = {"workload": workload, "cpus": str(machine.cpus or ""), "memory": memory_text(machine.memory_bytes)}
    return of_machine | {one.name: one.value for one in settings}


def _once(values: Iterable[str | None]) -> dict[str | None, None]:
    return dict.fromkeys(values)


def _same(one: str, other: str) -> bool:
    """Equal as texts or as sizes: 1MiB is 1024KiB."""
    try:
        return one == other or parse_bytes(one) == parse_bytes(other)
    except ValueError:
        return False


def _refusal(found: Iterable[Finding], wanted: Sequence[str]) -> tuple[str, tuple[Reason, ...]]:
    """Verdict and reasons of the first refused comparison whose reasons do not all concern another kernel."""
    for f in found:
        reasons = tuple(reason for reason in f.reasons if not reason.kernel or reason.kernel in wanted)
        if f.verdict in REFUSED and reasons and any(side.kernel in wanted for side in f.sides):
            return f.verdict, reasons
    return "", ()


def _where(point: Point, points: Sequence[Point]) -> str:
    if len(points) == 1:
        return ""
    number = points.index(point)
    return f"setting {number + 1} of {len(points)}: {own_texts(points)[number]}"


def own_texts(points: Sequence[Point]) -> tuple[str, ...]:
    """Of each point workload, settings and machine, as far as they differ between the points."""
    parts = [(point.workload, settings_text(point.settings), machine_text(point.machine)) for point in points]
    differing = [index for index in range(3) if len({texts[index] for texts in parts}) > 1]
    return tuple(", ".join(texts[index] for index in differing) for texts in parts)
