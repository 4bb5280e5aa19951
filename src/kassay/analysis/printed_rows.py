# SPDX-License-Identifier: GPL-2.0-only
"""Values that users' programs printed, by kernel. No verdict follows from them. Numbers that differ are a doubt."""

import re
from collections.abc import Iterable, Sequence
from statistics import median

from kassay.model.printed_values import Printed, PrintedRow
from kassay.model.reason import Reason, reason
from kassay.model.records import grouped
from kassay.model.run import CellEvidence
from kassay.supply.clocks import clock_of

_OF_PROCESS = re.compile(r"(?:^|_)[a-z]{0,2}id$", re.IGNORECASE)
"""Names such as "pid", whose numbers are the system's."""
_CLOSE = 0.05
"""Part by which a number may vary that the executions on one kernel print."""


def printed_rows(evidence: Iterable[CellEvidence]) -> tuple[PrintedRow, ...]:
    """One row for each name at each point, in the order in which it first appeared."""
    points = grouped((item.cell.setting_key, item) for item in evidence)
    return tuple(row for group in points.values() for row in _rows(group))


def _rows(group: Sequence[CellEvidence]) -> Iterable[PrintedRow]:
    runs = {item.label: [m.printed for m in item.measurements if m.plain] for item in group}
    kinds: dict[str, str] = {}
    for printed in (item for kernel_runs in runs.values() for run in kernel_runs for item in run):
        if kinds.get(printed.name) != "word":  # what one execution prints as a word is no number
            kinds[printed.name] = printed.kind
    cell = group[0].cell
    for name, kind in kinds.items():
        values = {label: [_of(run, name) for run in kernel_runs] for label, kernel_runs in runs.items()}
        distinct = {value for kernel_runs in values.values() for run in kernel_runs for value in run}
        yield PrintedRow(
            workload=cell.workload, settings=cell.settings, machine=cell.machine, name=name, kind=kind,
            values=tuple((label, _value_of_run(first[0], kind) if first else None) for label, first in values.items()),
            steady=all(len({v for run in own for v in run}) <= 1 for own in values.values()) and bool(distinct),
        )  # fmt: skip


def _of(run: Sequence[Printed], name: str) -> tuple[str | None, ...]:
    return next((printed.values for printed in run if printed.name == name), ())


def _value_of_run(values: Sequence[str | None], kind: str) -> str | None:
    """One value for all executions of a run."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    if len(set(present)) == 1:
        return present[0]
    return "differs" if kind == "word" else f"{median(map(float, present)):.6g}"


def printed_difference(base: CellEvidence, head: CellEvidence) -> Reason | None:
    """Numbers that all executions on one kernel print alike, to a few per cent, and those on the other one otherwise:
    the program may have done different work. Times, and the number that values are divided by, are left out."""
    if not clock_of(base.cell.machine.clock).counts_work:
        return None
    sides = [_steady_numbers(side) for side in (base, head)]
    apart = [name for name in sides[0] if name in sides[1] and _are_apart(sides[0][name], sides[1][name])]
    if not apart or any(phase.printed for m in base.measurements for phase in m.phases):
        return None
    values = [_range_text(side[apart[0]]) for side in sides]
    return reason(
        "prints-differ", name=apart[0], base_value=values[0], base=base.label, head_value=values[1], head=head.label,
        more=len(apart) - 1 or None,
    )  # fmt: skip


def _steady_numbers(side: CellEvidence) -> dict[str, tuple[str, str]]:
    """Name -> the smallest and the largest of the numbers that all executions of all runs print, if they are close."""
    values: dict[str, set[str | None]] = {}
    for printed in (item for m in side.measurements if not m.control for item in m.printed if item.kind == "number"):
        values.setdefault(printed.name, set()).update(printed.values)
    ranges = {}
    for name, found in values.items():
        ordered = sorted((text for text in found if text is not None), key=float)
        if _OF_PROCESS.search(name) or not ordered or len(ordered) != len(found):
            continue
        if _are_close(float(ordered[0]), float(ordered[-1])):
            ranges[name] = ordered[0], ordered[-1]
    return ranges


def _are_close(low: float, high: float) -> bool:
    return high - low <= _CLOSE * abs(high)


def _are_apart(base: tuple[str, str], head: tuple[str, str]) -> bool:
    return float(base[1]) < float(head[0]) or float(head[1]) < float(base[0])


def _range_text(ends: tuple[str, str]) -> str:
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
