# SPDX-License-Identifier: GPL-2.0-only
"""Start reading here: the street in two functions. measure() ends with a journal, answer() starts from one."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from kassay.analysis.interim import InterimLooks
from kassay.analysis.looks import between_looks, outlook
from kassay.analysis.recording import RoundsToRecord
from kassay.answers import report_of
from kassay.effects.files import write_atomic
from kassay.effects.lock import locked, refusing
from kassay.evidence.changes import keep_changes
from kassay.evidence.cmdlines import cmdlines_of
from kassay.evidence.collect import collect
from kassay.journal import artifacts
from kassay.journal.directory import open_directory, resumed, started
from kassay.journal.journal import open_journal
from kassay.journal.tally import Tally
from kassay.model.experiment import Experiment
from kassay.model.guest import Programs
from kassay.model.plan import Plan
from kassay.model.progress import Progress, Tell, silent
from kassay.model.reach import HERE, Reach
from kassay.model.report import Report
from kassay.plan.changes import source_changes
from kassay.plan.prepare import prepare
from kassay.plan.visit import at_its_machine
from kassay.report.words import point_names, short_kernel_names
from kassay.run.make import Session, make_runs, wanted
from kassay.run.scheduler import known_pace, stages
from kassay.spec.rules import question_of
from kassay.supply.guest.program_source import PROGRAMS, SUFFIX, stored
from kassay.tools.cluster import joined, refuse_unless_it_travels


def measure(
    experiment: Experiment, directory: Path, tell: Tell, programs: Programs | None = None, *, cluster: str = "",
    reach: Reach = HERE,
) -> None:  # fmt: skip
    """Makes every planned run that `directory` does not have yet; runs that it has are never made again.

    programs: guest programs to use instead of building them. cluster: address of the hosts that make the runs; "" for
    this host. reach: how a remote machine is reached.
    """
    if experiment.predict:  # fails before anything is measured if a timing file or the core is missing
        from kassay.labs.predict.predictions import keep_timings, ready_to_predict

        ready_to_predict(experiment.predict, experiment.arch)
    if cluster:
        refuse_unless_it_travels(experiment.clock, experiment.machine or "")
    prepared = prepare(experiment, _before(directory, experiment), tell, programs, elsewhere=bool(cluster))
    with locked(directory / "lock", refusing(str(directory))):
        folder = started(directory, prepared.plan)
        for _, path in prepared.programs.files:
            artifacts.put(directory, path.read_bytes())
        _keep_sources(experiment, directory)
        if experiment.predict:
            keep_timings(experiment.predict, directory)
        keep_changes(directory, source_changes(prepared, question_of(experiment).pairs(experiment.kernels)))
        records, torn = open_journal(folder.journal, folder.plan_id)
        if torn is not None:
            tell(Progress(stage="journal", subject=directory.name, text=f"a half-written line {torn.line} was cut off"))
        plan = folder.plan
        looks = InterimLooks(plan, question_of(experiment), lambda finished: collect(folder, finished), tell)
        words = "" if experiment.exact else outlook(plan, known_pace(experiment))
        tally = Tally(plan, short_kernel_names(experiment), point_names(plan), records)
        rounds = RoundsToRecord(plan, lambda finished: collect(folder, finished))
        session = Session(stages(plan), looks, words, tally, rounds)
        if cluster:
            with joined(cluster, wanted(prepared), tell) as hosts:
                if not experiment.exact:
                    session = session._replace(stages=between_looks(plan))
                make_runs(prepared, folder, records, tell, session, hosts)
            return
        with at_its_machine(prepared, directory, reach, tell) as prepared:
            make_runs(prepared, folder, records, tell, session)


def _before(directory: Path, experiment: Experiment) -> Plan | None:
    """The plan of a directory that is resumed, with the kernel parameters of its runs."""
    plan = resumed(directory, experiment)
    if plan is None or plan.cmdlines:
        return plan
    return structs.replace(plan, cmdlines=cmdlines_of(plan, open_directory(directory).records()))


def _keep_sources(experiment: Experiment, directory: Path) -> None:
    """Stores the sources of users' programs, so that a run can be resumed after the originals moved."""
    for use in experiment.workloads:
        path = directory / PROGRAMS / f"{use.name}{SUFFIX}"
        if use.program and not path.exists() and (data := stored(use.program)) is not None:
            write_atomic(path, data)


def answer(
    directory: Path, tell: Tell = silent, *, seed_rules: bool = False, predict: Sequence[str] | None = None
) -> Report:
    """The answer from the runs or the imported values of a directory; measures nothing.

    seed_rules: the report also says what the rules of the seeds' framework make of the same boots. predict: CPUs or
    timing files for which time is predicted, an empty list for those of the experiment; BadInput where no run has a
    trace. None: those of the experiment, if it has any.
    """
    return report_of(directory, tell, seed_rules, predict)
