# SPDX-License-Identifier: GPL-2.0-only
"""Read first: the street in two functions. measure() ends with a journal, answer() starts from one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from kassay.analysis.analyse import analyse
from kassay.analysis.gate.same_shape import SHAPE
from kassay.choosing import chosen
from kassay.directory import RunDirectory, open_directory, resumed, started
from kassay.effects.files import swept
from kassay.evidence import collect
from kassay.journal.journal import append, open_journal, read_journal
from kassay.measuring import Measurer, jobs_for
from kassay.model.experiment import Experiment
from kassay.model.finding import Finding
from kassay.model.plan import Cell
from kassay.model.progress import Progress, Tell, silent
from kassay.model.report import Report
from kassay.model.run import RunRecord
from kassay.prepare import Prepared, prepare, shared_cmdline
from kassay.profiles import Executed, Profiled, Profiles, itemised, profiled, stacks_of
from kassay.profiles import executed as executed_at
from kassay.report.build import build_report
from kassay.run.lock import exclusive, host_for
from kassay.run.scheduler import owed, run_all

_FIRST: Mapping[str, str] = MappingProxyType({})


def measure(experiment: Experiment, directory: Path, tell: Tell) -> None:
    """Makes every run that `directory` still owes; what is already there is kept and never made again."""
    prepared = prepare(experiment, resumed(directory, experiment), tell)
    with exclusive(directory / "lock", f"{directory}"):
        here = started(directory, prepared.plan)
        records, torn = open_journal(here.journal, here.plan_id)
        if torn is not None:
            tell(Progress(stage="journal", subject=directory.name, text=f"a half-written line {torn.line} was cut off"))
        with host_for(timed=prepared.machine.exclusive):
            _make_runs(prepared, here, records, tell)


def answer(directory: Path, tell: Tell = silent) -> Report:
    """The answer from what the directory holds; measures nothing."""
    here = open_directory(directory)
    records = read_journal(here.journal, here.plan_id)
    evidence = collect(here, records, tell)
    findings, ladders = analyse(here.plan, evidence)
    counted = Profiles(here, records, evidence)
    findings = itemised(findings, here.plan.cells, counted)
    return build_report(
        here.plan, findings, ladders, evidence, records, stacks=stacks_of(findings, here.plan.cells, counted),
        cmdline=shared_cmdline(here.plan), spec_toml=here.pinned_spec(), directory=str(directory), plan_id=here.plan_id,
        gate_fields=SHAPE,
    )  # fmt: skip


def profiles(
    directory: Path, kernels: Sequence[str] | None, metric: str | None, settings: Mapping[str, str] = _FIRST
) -> tuple[Profiled, ...]:
    """Profiles of one metric (the primary one), of these kernels (the first and the last one), as reports call them.

    Where an experiment has several settings, the first that has the values in `settings` (names of parameters, cpus,
    memory, workload). Raises BadInput that lists what there is.
    """
    findings, cells, counted = _analysed(directory)
    return profiled(chosen(findings, kernels, metric, settings), cells, counted)


def executed(directory: Path, kernel: str, metric: str | None, settings: Mapping[str, str] = _FIRST) -> Executed:
    """How often each instruction address of one kernel was executed, in the rounds of profiles(), with the code."""
    findings, cells, counted = _analysed(directory)
    (one,) = chosen(findings, (kernel,), metric, settings)
    return executed_at(one, cells, counted)


def _analysed(directory: Path) -> tuple[tuple[Finding, ...], tuple[Cell, ...], Profiles]:
    here = open_directory(directory)
    records = read_journal(here.journal, here.plan_id)
    evidence = collect(here, records)
    findings, _ = analyse(here.plan, evidence)
    return findings, here.plan.cells, Profiles(here, records, evidence)


def _make_runs(prepared: Prepared, here: RunDirectory, records: tuple[RunRecord, ...], tell: Tell) -> None:
    total, done = len(prepared.plan.runs), len(prepared.plan.runs) - len(owed(prepared.plan, records))
    given_up = done - len({record.run for record in records if record.outcome == "ok"})
    if done:
        lost = f", {given_up} of them failed for good (--fresh measures anew)" if given_up else ""
        tell(Progress(stage="run", subject=f"{done}/{total}", text=f"already there{lost}", done=done / total))

    def keep(record: RunRecord) -> None:
        nonlocal done
        append(here.journal, record)
        done += record.outcome == "ok"
        text = record.outcome if record.outcome == "ok" else f"{record.outcome}: {record.detail}"
        tell(Progress(stage="run", subject=f"{done}/{total}", text=text, done=done / total))

    with swept(here.path / "scratch") as scratch:
        measurer = Measurer(prepared, here.path, scratch.resolve())
        run_all(prepared.plan, records, measurer.measure, keep, jobs_for(prepared))
