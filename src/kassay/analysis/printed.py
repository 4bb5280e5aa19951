# SPDX-License-Identifier: GPL-2.0-only
"""What users' programs printed, kernel beside kernel. Nothing is judged: what kassay counted is judged."""

from collections.abc import Iterable, Sequence
from statistics import median

from kassay.model.printed import Printed, PrintedRow
from kassay.model.run import CellEvidence


def printed_rows(evidence: Iterable[CellEvidence]) -> tuple[PrintedRow, ...]:
    """One row for each name at each point, in the order in which it first appeared."""
    points: dict[str, list[CellEvidence]] = {}
    for item in evidence:
        points.setdefault(item.cell.setting_key, []).append(item)
    return tuple(row for group in points.values() for row in _rows(group))


def _rows(group: Sequence[CellEvidence]) -> Iterable[PrintedRow]:
    runs = {item.label: [m.printed for m in item.measurements if m.plain] for item in group}
    kinds = {one.name: one.kind for found in runs.values() for run in found for one in run}
    cell = group[0].cell
    for name, kind in kinds.items():
        values = {label: [_of(run, name) for run in found] for label, found in runs.items()}
        distinct = {value for found in values.values() for run in found for value in run}
        yield PrintedRow(
            workload=cell.workload, settings=cell.settings, machine=cell.machine, name=name, kind=kind,
            values=tuple((label, _one(found[0], kind) if found else None) for label, found in values.items()),
            steady=all(len({v for run in found for v in run}) <= 1 for found in values.values()) and bool(distinct),
        )  # fmt: skip


def _of(run: Sequence[Printed], name: str) -> tuple[str | None, ...]:
    return next((one.values for one in run if one.name == name), ())


def _one(values: Sequence[str | None], kind: str) -> str | None:
    """What stands for all executions of a run."""
    there = [value for value in values if value is not None]
    if not there:
        return None
    if len(set(there)) == 1:
        return there[0]
    return "differs" if kind == "word" else f"{median(map(float, there)):.6g}"
