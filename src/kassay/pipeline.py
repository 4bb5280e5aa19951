# SPDX-License-Identifier: GPL-2.0-only
"""Start reading here: the street in two functions. measure() ends with a journal, answer() starts from one."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from kassay.analysis.interim import InterimLooks
from kassay.analysis.planned_looks import between_looks, outlook
from kassay.analysis.recording import RoundsToRecord
from kassay.answers import itemised_findings, report_of
from kassay.effects.files import write_atomic
from kassay.effects.lock import locked, refusing
from kassay.evidence.changes import keep_changes
from kassay.evidence.cmdlines import cmdlines_of
from kassay.evidence.codes import FILE as CODES
from kassay.evidence.codes import differ_in_configuration, keep_codes
from kassay.evidence.collect import collect
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory, check_plugin, open_directory, resumed, started
from kassay.journal.journal import open_journal
from kassay.journal.run_counter import RunCounter
from kassay.model.experiment import Experiment, labels
from kassay.model.guest import Programs
from kassay.model.plan import Plan
from kassay.model.progress import Progress, Tell, silent
from kassay.model.remote_machine import HERE, RemoteOptions
from kassay.model.report import Report
from kassay.model.run import CellEvidence, RunRecord
from kassay.plan.expand import expand
from kassay.report.words import point_names, short_kernel_names
from kassay.run.local_host import local_host
from kassay.run.owed_runs import Schedule, host_requirements, make_runs
from kassay.run.reuse import with_reused
from kassay.run.scheduler import known_pace, owed, stages
from kassay.spec.rules import question_of
from kassay.supply.guest.program_source import PROGRAMS, SUFFIX
from kassay.supply.prepare.kernels import source_changes
from kassay.supply.prepare.supply import Supply, supply_for
from kassay.tools.cluster import joined


def measure(
    experiment: Experiment, directory: Path, tell: Tell, programs: Programs | None = None, *, cluster: str = "",
    reach: RemoteOptions = HERE, reuse: Sequence[Path] = (),
) -> None:  # fmt: skip
    """Makes every planned run that `directory` does not have yet; runs that it has are never made again.

    programs: guest programs to use instead of building them. cluster: address of the hosts that make the runs; "" for
    this host. reach: how a remote machine is reached. reuse: run directories whose finished runs are taken instead of
    making them again, if all inputs are equal and counts are exact.
    """
    if experiment.predict:  # fails before anything is measured if a timing file or the core is missing
        from kassay.labs.predict.predictions import ready_to_predict

        ready_to_predict(experiment.predict, experiment.arch)
    supply = supply_for(experiment, _resumed_plan(directory, experiment), tell, programs, remote=bool(cluster))
    plan = expand(experiment, supply.plan_input)
    with locked(directory / "lock", refusing(str(directory))):
        folder = started(directory, plan)
        _keep_inputs(folder, supply)
        records = _records(folder, tell)
        if owed(folder.plan, records):
            check_plugin(folder, plan)
            (directory / CODES).unlink(missing_ok=True)  # of the findings so far
        records = with_reused(folder, records, supply, reuse, tell)
        schedule = _schedule(folder, records, tell, several_hosts=bool(cluster))
        if cluster:
            hosts = joined(cluster, host_requirements(folder.plan, supply), tell)
        else:
            hosts = local_host(supply, experiment, directory, reach, tell)
        with hosts as makers:
            make_runs(folder, records, supply, makers, schedule, tell)
        _keep_codes(experiment, directory, supply)


def _keep_codes(experiment: Experiment, directory: Path, supply: Supply) -> None:
    """Store whether the functions of each finding were compiled differently, where the configuration alone differs."""
    found, names = supply.artifacts, labels(experiment)
    pairs = [
        (base, head)
        for base, head in question_of(experiment).pairs(experiment.kernels)
        if differ_in_configuration(found[base], found[head])
    ]
    if pairs and not (directory / CODES).exists():
        kernels = {(names[base], names[head]): (found[base], found[head]) for base, head in pairs}
        keep_codes(directory, kernels, itemised_findings(directory))


def _resumed_plan(directory: Path, experiment: Experiment) -> Plan | None:
    """The plan of a directory that is resumed, with the kernel parameters of its runs."""
    plan = resumed(directory, experiment)
    if plan is None or plan.cmdlines:
        return plan
    return structs.replace(plan, cmdlines=cmdlines_of(plan, open_directory(directory).records()))


def _keep_inputs(folder: RunDirectory, supply: Supply) -> None:
    """Store what an answer or a later run needs and cannot make again: the programs, the sources of users' programs,
    timing files, and how the kernels' sources differ."""
    experiment, directory = folder.plan.experiment, folder.path
    for _, path in supply.programs.files:
        artifacts.put(directory, path.read_bytes())
    for name, measured in supply.measured.items():
        path = directory / PROGRAMS / f"{name}{SUFFIX}"
        if not path.exists() and (sources := measured.stored_sources()) is not None:
            write_atomic(path, sources)
    if experiment.predict:
        from kassay.labs.predict.predictions import keep_timings

        keep_timings(experiment.predict, directory)
    pairs = question_of(experiment).pairs(experiment.kernels)
    keep_changes(directory, source_changes(experiment, supply.artifacts, pairs))


def _records(folder: RunDirectory, tell: Tell) -> tuple[RunRecord, ...]:
    """The records of the journal so far."""
    records, torn = open_journal(folder.journal, folder.plan_id)
    if torn is not None:
        text = f"a half-written line {torn.line} was cut off"
        tell(Progress(stage="journal", subject=folder.path.name, text=text))
    return records


def _schedule(folder: RunDirectory, records: tuple[RunRecord, ...], tell: Tell, *, several_hosts: bool) -> Schedule:
    """How the runs are made: in which stages, when they end early, and what is said of them meanwhile."""
    plan, experiment = folder.plan, folder.plan.experiment

    def collected(finished: tuple[RunRecord, ...]) -> tuple[CellEvidence, ...]:
        return collect(folder, finished)

    return Schedule(
        stages=between_looks(plan) if several_hosts and experiment.timed else stages(plan),
        enough=InterimLooks(plan, question_of(experiment), collected, tell),
        outlook=outlook(plan, known_pace(experiment)) if experiment.timed else "",
        counter=RunCounter(plan, short_kernel_names(experiment), point_names(plan), records),
        rounds=RoundsToRecord(plan, collected),
    )


def answer(
    directory: Path, tell: Tell = silent, *, seed_rules: bool = False, predict: Sequence[str] | None = None
) -> Report:
    """The answer from the runs or the imported values of a directory; measures nothing.

    seed_rules: the report also says what the rules of the seeds' framework make of the same boots. predict: CPUs or
    timing files for which time is predicted, an empty list for those of the experiment; BadInput where no run has a
    trace. None: those of the experiment, if it has any.
    """
    return report_of(directory, tell, seed_rules, predict)
