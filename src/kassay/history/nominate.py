# SPDX-License-Identifier: GPL-2.0-only
"""Series -> nominations: where it may have changed, by the rule of its clock, with what was found out since."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from kassay.clocks import clock_of
from kassay.history.archive import Archive
from kassay.history.changes import MINIMUM_SEGMENT, change_points, exact_changes
from kassay.history.records import Confirmation, Nomination, Point, PointLine

_TIMED_NEEDS = 2 * MINIMUM_SEGMENT
_COUNTS_NEED = 2


def nominations(line: PointLine, confirmed: dict[str, Confirmation]) -> tuple[Nomination, ...]:
    """Every nominated place of one series, in its order. confirmed: from confirmations()."""
    points = [point for point in line.points if point.value is not None and point.value > 0]
    values = [point.value for point in points if point.value is not None]
    if clock_of(line.series.machine.clock).exact:
        found = exact_changes(values, [point.floor for point in points])
        starts = [index for index, _ in found]
        why = [f"exact counts; neighbours and layout explain up to {limit:.2%}" for _, limit in found]
    else:
        starts = list(change_points(values))
        why = [f"{len(values)} points; segments found by their cost, noise allowed for"] * len(starts)
    spans = list(pairwise((0, *starts, len(values))))
    return tuple(
        _nomination(line, points, values, spans[place], spans[place + 1], why[place], confirmed)
        for place in range(len(starts))
    )


def too_short(line: PointLine) -> str:
    """Why nothing can be nominated in this series, "" when it can."""
    needed = _COUNTS_NEED if clock_of(line.series.machine.clock).exact else _TIMED_NEEDS
    there = sum(point.value is not None for point in line.points)
    few = f"{there} point{'' if there == 1 else 's'}; at least {needed} are needed to nominate one"
    return few if there < needed else ""


def confirmations(archive: Archive) -> dict[str, Confirmation]:
    """The latest outcome of each nomination that was measured again, by its id."""
    names = Confirmation.__struct_fields__
    rows = archive.rows(f"SELECT {', '.join(names)} FROM t_confirmations ORDER BY when_utc, rowid")
    return {row[0]: Confirmation(**dict(zip(names, row, strict=True))) for row in rows}


def judged_directories(archive: Archive) -> set[str]:
    """Where the pairs of all kept outcomes lie."""
    return {directory for (directory,) in archive.rows("SELECT DISTINCT directory FROM t_confirmations")}


def remember(archive: Archive, outcome: Confirmation) -> None:
    """Keeps an outcome; earlier ones of the same nomination stay."""
    names = Confirmation.__struct_fields__
    marks = ", ".join("?" for _ in names)
    archive.run(
        f"INSERT INTO t_confirmations ({', '.join(names)}) VALUES ({marks})", [getattr(outcome, name) for name in names]
    )


def _nomination(
    line: PointLine, points: Sequence[Point], values: Sequence[float], before: tuple[int, int], after: tuple[int, int],
    why: str, confirmed: dict[str, Confirmation],
) -> Nomination:  # fmt: skip
    sides = points[after[0] - 1], points[after[0]]
    words = "\0".join((line.series.id, *(f"{point.kernel.id} {point.session}" for point in sides)))
    name = hashlib.sha256(words.encode()).hexdigest()[:8]
    change = median(values[slice(*after)]) / median(values[slice(*before)]) - 1
    return Nomination(
        id=name, series=line.series, before=sides[0], after=sides[1], change=change,
        points=(before[1] - before[0], after[1] - after[0]), why=why, confirmation=confirmed.get(name),
    )  # fmt: skip
