# SPDX-License-Identifier: GPL-2.0-only
"""A report names the kernel parameters that runs were started with, not those that this version would use."""

from msgspec import UNSET, structs

from kassay.evidence.cmdlines import cmdlines_of, shared_cmdline
from kassay.model.plan import Plan
from kassay.model.records import Setting
from kassay.model.run import RunRecord, WallTime
from tests.analysis.plans import plan_input, plan_of

SHARED = "console=ttyS0 quiet nokaslr"
_PLAIN = plan_of(2, cpus=(1, 2))
PLAN = structs.replace(_PLAIN, cells=tuple(structs.replace(c, cmdline="" if c.kernel else "a=1") for c in _PLAIN.cells))


def records(plan: Plan) -> list[RunRecord]:
    """Each run once, as QEMU was started for it."""
    cells = {cell.id: cell for cell in plan.cells}
    made = []
    for run in plan.runs:
        cell = cells[run.cell]
        own = " nolapic_timer" if cell.machine.cpus == 1 else ""
        padding = f" kassay.pad={'x' * run.perturbation.cmdline_bytes}" if run.perturbation.cmdline_bytes else ""
        argv = ("qemu", "-append", f"{SHARED}{own}{padding} {cell.cmdline}".strip(), "-smp", str(cell.machine.cpus))
        made.append(RunRecord(run=run.id, attempt=1, outcome="ok", detail="", stream_sha256=None, console_sha256=None,
                              argv=argv, wall=WallTime(), started_utc="2026-11-21T17:00:00Z"))  # fmt: skip
    return made


def test_a_plan_of_an_earlier_version_gets_them_from_its_records() -> None:
    assert PLAN.cmdlines is UNSET
    found = cmdlines_of(PLAN, records(PLAN))
    assert found == (Setting(name="1", value=f"{SHARED} nolapic_timer"), Setting(name="2", value=SHARED))
    assert shared_cmdline(PLAN.experiment, found) == f"1 CPUs: {SHARED} nolapic_timer; 2 CPUs: {SHARED}"


def test_records_that_do_not_name_them_give_none() -> None:
    silent = [structs.replace(record, argv=()) for record in records(PLAN)]
    assert cmdlines_of(PLAN, silent) == ()
    assert shared_cmdline(PLAN.experiment, ()) == ""


def test_a_plan_that_has_them_needs_no_record() -> None:
    kept = (Setting(name="1", value="console=ttyS0 x=1"),)
    plan = structs.replace(PLAN, cmdlines=kept)
    assert cmdlines_of(plan, ()) == kept
    given = plan_input(plan.kernels, (), cmdlines=kept)
    assert (given.cmdline(1), given.cmdline(2)) == ("console=ttyS0 x=1", "")
