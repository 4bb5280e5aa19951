# SPDX-License-Identifier: GPL-2.0-only
"""A session: the runs that a directory still owes are made, and each is written into its journal."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kassay.effects.files import swept
from kassay.journal.blocks import hosts_of_sequences, sequence_of, standing
from kassay.journal.directory import RunDirectory
from kassay.journal.journal import append
from kassay.journal.tally import Tally
from kassay.model.plan import Plan, PlannedRun
from kassay.model.progress import Progress, Tell
from kassay.model.run import RunRecord
from kassay.plan.expand import profile_of
from kassay.run.agreement import Agreement
from kassay.run.measurer import Measurer
from kassay.run.scheduler import owed, remember_pace, run_all
from kassay.supply.prepare.supply import Supply
from kassay.tools.cluster import Cluster, HostRequirements


class Session(NamedTuple):
    """How the runs of a plan are made. stages: runs that are finished before the next ones begin. enough: called after
    each stage; whether no more runs are needed. outlook: what to expect, shown before the first run; "" for nothing.
    tally: of the journal so far. rounds: called with the records so far, a traced run and the usual rounds; returns
    the rounds that it records."""

    stages: Sequence[Sequence[PlannedRun]]
    enough: Callable[[tuple[RunRecord, ...]], bool]
    outlook: str
    tally: Tally
    rounds: Callable[[tuple[RunRecord, ...], PlannedRun, tuple[int, ...]], tuple[int, ...]]


def make_runs(
    folder: RunDirectory, records: tuple[RunRecord, ...], supply: Supply, hosts: Cluster, session: Session, tell: Tell
) -> None:  # fmt: skip
    """Make the runs that a directory still owes. records: of its journal. hosts: those that make the runs."""
    plan, tally = folder.plan, session.tally
    total, done = len(plan.runs), len(plan.runs) - len(owed(plan, records))
    given_up = done - len({record.run for record in standing(plan, records) if record.outcome == "ok"})

    def tell_progress(text: str, **more: bool) -> None:
        subject, counts = f"{done}/{total}", tally.counts()
        tell(Progress(stage="run", subject=subject, text=text, done=done / total, counts=counts, **more))

    if done:
        tell_progress(
            f"already there{f', {given_up} of them failed for good (--fresh measures anew)' if given_up else ''}"
        )
    elif session.outlook:
        tell(Progress(stage="plan", subject=plan.experiment.clock, text=session.outlook, counts=tally.counts()))

    def keep(record: RunRecord) -> None:
        nonlocal done
        append(folder.journal, record)
        done = min(total, done + (record.outcome == "ok"))  # a block that is made again counts twice
        tally.add(record, begun=True)
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
            lambda run, usual: session.rounds(records, run, usual),
        )  # fmt: skip

        def measure(run: PlannedRun, attempt: int) -> RunRecord:
            tally.begin(run)
            tell_progress("", passing=True)
            return measurer.measure(run, attempt)

        for stage in session.stages:
            records = run_all(plan, records, measure, keep, hosts.slots, stage, sequence_of(plan), hosts.stop)
            if session.enough(standing(plan, records)):
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
