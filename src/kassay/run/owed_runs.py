# SPDX-License-Identifier: GPL-2.0-only
"""Make the runs that a directory still owes, and write each into its journal."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kassay.effects.files import swept
from kassay.journal.directory import RunDirectory
from kassay.journal.host_blocks import counted_records, hosts_of_sequences, sequence_of
from kassay.journal.journal import append
from kassay.journal.run_counter import RunCounter
from kassay.model.plan import Plan, PlannedRun
from kassay.model.progress import Progress, Tell
from kassay.model.run import RunRecord
from kassay.plan.expand import profile_of
from kassay.run.agreement import Agreement
from kassay.run.measurer import Measurer
from kassay.run.scheduler import owed, remember_pace, run_all
from kassay.supply.prepare.supply import Supply
from kassay.tools.cluster import Cluster, HostRequirements


class Schedule(NamedTuple):
    """Order and rules by which the runs of a plan are made."""

    stages: Sequence[Sequence[PlannedRun]]
    """Groups of runs. Each group is finished before the next one begins."""
    enough: Callable[[tuple[RunRecord, ...]], bool]
    """Function called after each stage. It returns True if no more runs are needed."""
    outlook: str
    """Expectation that is shown before the first run; "" for none."""
    counter: RunCounter
    """Counter of the runs in the journal so far."""
    rounds: Callable[[tuple[RunRecord, ...], PlannedRun, tuple[int, ...]], tuple[int, ...]]
    """Function called with the records so far, a traced run and the usual rounds. It returns the rounds that the run
    records."""


def make_runs(
    folder: RunDirectory, records: tuple[RunRecord, ...], supply: Supply, hosts: Cluster, schedule: Schedule, tell: Tell
) -> None:  # fmt: skip
    """Make the runs that a directory still owes. records: of its journal. hosts: those that make the runs."""
    plan, counter = folder.plan, schedule.counter
    total, done = len(plan.runs), len(plan.runs) - len(owed(plan, records))
    given_up = done - len({record.run for record in counted_records(plan, records) if record.outcome == "ok"})

    def tell_progress(text: str, **more: bool) -> None:
        subject, counts = f"{done}/{total}", counter.counts()
        tell(Progress(stage="run", subject=subject, text=text, done=done / total, counts=counts, **more))

    if done:
        tell_progress(
            f"already there{f', {given_up} of them failed for good (--fresh measures anew)' if given_up else ''}"
        )
    elif schedule.outlook:
        tell(Progress(stage="plan", subject=plan.experiment.clock, text=schedule.outlook, counts=counter.counts()))

    def keep(record: RunRecord) -> None:
        nonlocal done
        append(folder.journal, record)
        done = min(total, done + (record.outcome == "ok"))  # a block that is made again counts twice
        counter.add(record, begun=True)
        by = f" ({record.host})" if record.host else ""
        tell_progress(f"ok{by}" if record.outcome == "ok" else f"{record.outcome}{by}: {record.detail}")
        agreement.add(record)

    agreement = Agreement(folder, records)
    for sequence, host in hosts_of_sequences(plan, records).items():
        if sequence and host:
            hosts.assign(sequence, host)
    with swept(folder.path / "scratch") as scratch:
        measurer = Measurer(
            plan, supply, folder.path, scratch.resolve(), hosts, agreement.made_by,
            lambda run, usual: schedule.rounds(records, run, usual),
        )  # fmt: skip

        def measure(run: PlannedRun, attempt: int) -> RunRecord:
            counter.begin(run)
            tell_progress("", passing=True)
            return measurer.measure(run, attempt)

        for stage in schedule.stages:
            records = run_all(plan, records, measure, keep, hosts.slots, stage, sequence_of(plan), hosts.stop)
            if schedule.enough(counted_records(plan, records)):
                break
    remember_pace(plan, records)


def host_requirements(plan: Plan, supply: Supply) -> HostRequirements:
    """Requirements on every host that makes these runs."""
    experiment = plan.experiment
    profiled = not supply.no_profile and any(profile_of(experiment, run) for run in plan.runs)
    return HostRequirements(
        machine=supply.machine, arch=experiment.arch, cpus=max(experiment.cpus),
        memory_bytes=max(experiment.memory_bytes), boot=experiment.boot, profiled=profiled,
    )  # fmt: skip
