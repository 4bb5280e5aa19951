# SPDX-License-Identifier: GPL-2.0-only
"""Read first: the street in two functions. measure() ends with a journal, answer() starts from one."""

import tempfile
from pathlib import Path

from kassay.analysis.analyse import analyse
from kassay.analysis.gate.same_shape import SHAPE
from kassay.directory import RunDirectory, open_directory, resumed, started
from kassay.evidence import collect
from kassay.journal.journal import append, open_journal, read_journal
from kassay.measuring import Measurer, jobs_for
from kassay.model.experiment import Experiment
from kassay.model.progress import Progress, Tell
from kassay.model.report import Report
from kassay.model.run import RunRecord
from kassay.prepare import Prepared, prepare, shared_cmdline
from kassay.report.build import build_report
from kassay.run.lock import exclusive, host_for_timing
from kassay.run.scheduler import owed, run_all


def measure(experiment: Experiment, directory: Path, tell: Tell) -> None:
    """Makes every run that `directory` still owes; what is already there is kept and never made again."""
    with exclusive(directory / "lock", f"{directory}"):
        before = resumed(directory, experiment)
        prepared = prepare(experiment, before, tell)
        here = started(directory, prepared.plan)
        records, torn = open_journal(here.journal, here.plan_id)
        if torn is not None:
            tell(Progress(stage="journal", subject=directory.name, text=f"a half-written line {torn.line} was cut off"))
        with host_for_timing(prepared.machine.exclusive):
            _make_runs(prepared, here, records, tell)


def answer(directory: Path) -> Report:
    """The answer from what the directory holds; measures nothing."""
    here = open_directory(directory)
    records = read_journal(here.journal)
    evidence = collect(here, records)
    findings, ladders = analyse(here.plan, evidence)
    return build_report(
        here.plan, findings, ladders, evidence, records,
        cmdline=shared_cmdline(here.plan), spec_toml=here.pinned_spec(), directory=str(directory), plan_id=here.plan_id,
        gate_fields=SHAPE,
    )  # fmt: skip


def _make_runs(prepared: Prepared, here: RunDirectory, records: tuple[RunRecord, ...], tell: Tell) -> None:
    total, done = len(prepared.plan.runs), len(prepared.plan.runs) - len(owed(prepared.plan, records))
    if done:
        tell(Progress(stage="run", subject=f"{done}/{total}", text="already there", done=done / total))

    def keep(record: RunRecord) -> None:
        nonlocal done
        append(here.journal, record)
        done += record.outcome == "ok"
        text = record.outcome if record.outcome == "ok" else f"{record.outcome}: {record.detail}"
        tell(Progress(stage="run", subject=f"{done}/{total}", text=text, done=done / total))

    with tempfile.TemporaryDirectory(prefix="kassay-run-") as scratch:
        measurer = Measurer(prepared, here.path, Path(scratch))
        run_all(prepared.plan, records, measurer.measure, keep, jobs_for(prepared.machine))
