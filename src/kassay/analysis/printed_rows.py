# SPDX-License-Identifier: GPL-2.0-only
"""Values that users' programs printed, by kernel. No verdict follows from them. Numbers that differ are a doubt."""

from collections.abc import Iterable, Sequence
from statistics import median

from kassay.model.printed_values import Printed, PrintedRow
from kassay.model.reason import Reason, reason
from kassay.model.records import grouped
from kassay.model.run import CellEvidence
from kassay.supply.clocks import clock_of


def printed_rows(evidence: Iterable[CellEvidence]) -> tuple[PrintedRow, ...]:
    """One row for each name at each point, in the order in which it first appeared."""
    points = grouped((item.cell.setting_key, item) for item in evidence)
    return tuple(row for group in points.values() for row in _rows(group))


def _rows(group: Sequence[CellEvidence]) -> Iterable[PrintedRow]:
    runs = {item.label: [m.printed for m in item.measurements if m.plain] for item in group}
    kinds = {printed.name: printed.kind for kernel_runs in runs.values() for run in kernel_runs for printed in run}
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
    """Numbers that all executions on one kernel print alike, and those on the other one otherwise: the program may have
    done different work. Times, and the number that values are divided by, are left out."""
    if not clock_of(base.cell.machine.clock).counts_work:
        return None
    sides = [_steady_numbers(side) for side in (base, head)]
    apart = [name for name in sides[0] if name in sides[1] and sides[0][name] != sides[1][name]]
    if not apart or any(phase.printed for m in base.measurements for phase in m.phases):
        return None
    values = [side[apart[0]] for side in sides]
    return reason(
        "prints-differ", name=apart[0], base_value=values[0], base=base.label, head_value=values[1], head=head.label,
        more=len(apart) - 1 or None,
    )  # fmt: skip


def _steady_numbers(side: CellEvidence) -> dict[str, str]:
    """Name -> the number that all executions of all runs print."""
    values: dict[str, set[str | None]] = {}
    for printed in (item for m in side.measurements if not m.control for item in m.printed if item.kind == "number"):
        values.setdefault(printed.name, set()).update(printed.values)
    return {name: next(iter(found)) or "" for name, found in values.items() if len(found) == 1 and None not in found}
