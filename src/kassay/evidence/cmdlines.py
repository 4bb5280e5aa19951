# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> kernel parameters that all runs of a plan share, also for plans that do not have them."""

from collections.abc import Sequence

from kassay.guest.initramfs import ROOT
from kassay.model.plan import Plan
from kassay.model.records import Setting
from kassay.model.run import RunRecord


def cmdlines_of(plan: Plan, records: Sequence[RunRecord]) -> tuple[Setting, ...]:
    """As in the plan; of a plan without them, as its unperturbed runs were started. None for CPUs of which there is no
    such run."""
    if plan.cmdlines:
        return plan.cmdlines
    cells = {cell.id: cell for cell in plan.cells}
    plain = {run.id: cells[run.cell] for run in plan.runs if not run.perturbation.number}
    found: dict[str, str] = {}
    for record in records:
        cell = plain.get(record.run)
        if cell is None or "-append" not in record.argv:
            continue
        words = record.argv[record.argv.index("-append") + 1].removesuffix(cell.cmdline).strip()
        found.setdefault(str(cell.machine.cpus), words.removesuffix(ROOT).strip())
    return tuple(
        Setting(name=cpus, value=words) for cpus, words in sorted(found.items(), key=lambda item: int(item[0]))
    )
