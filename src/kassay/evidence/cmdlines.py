# SPDX-License-Identifier: GPL-2.0-only
"""Kernel parameters that all runs of a plan share: where a plan does not have them, and in the words of a report."""

from collections.abc import Iterable, Sequence

from kassay.model.experiment import Experiment
from kassay.model.plan import Plan
from kassay.model.records import Setting
from kassay.model.run import RunRecord
from kassay.supply.guest.initramfs import ROOT


def cmdlines_of(plan: Plan, records: Sequence[RunRecord]) -> tuple[Setting, ...]:
    """Kernel command lines of the plan, by number of CPUs.

    A plan without them takes those of its unperturbed runs. A number of CPUs that no such run has is left out.
    """
    if plan.cmdlines:
        return plan.cmdlines
    cells = {cell.id: cell for cell in plan.cells}
    plain = {run.id: cells[run.cell] for run in plan.runs if not run.perturbation.number}
    found: dict[str, str] = {}
    for record in records:
        cell = plain.get(record.run)
        if cell is None or "-append" not in record.argv:
            continue
        cmdline = record.argv[record.argv.index("-append") + 1].removesuffix(cell.cmdline).strip()
        found.setdefault(str(cell.machine.cpus), cmdline.removesuffix(ROOT).strip())
    return tuple(
        Setting(name=cpus, value=cmdline) for cpus, cmdline in sorted(found.items(), key=lambda item: int(item[0]))
    )


def shared_cmdline(experiment: Experiment, started_with: Iterable[Setting]) -> str:
    """The kernel parameters that all runs share, as disclosed in the report. started_with: cmdlines of the plan;
    without any there is nothing to disclose."""
    lines = {line.value: line.name for line in started_with}
    if not lines:
        return ""
    applications = [use for use in experiment.workloads if use.program and use.program.application]
    before = "" if len(applications) == len(experiment.workloads) else "; applications also:"
    root = f"{before} {ROOT}" if applications else ""
    if len(lines) == 1:
        return next(iter(lines)) + root
    return "; ".join(f"{cpus} CPUs: {line}" for line, cpus in lines.items()) + root
