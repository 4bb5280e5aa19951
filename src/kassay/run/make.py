# SPDX-License-Identifier: GPL-2.0-only
"""Makes the runs that a directory still owes, here or on other hosts, and writes each into its journal."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kassay.effects.files import swept
from kassay.journal.blocks import hosts_of_lanes, lane_of, standing
from kassay.journal.directory import RunDirectory
from kassay.journal.journal import append
from kassay.journal.tally import Tally
from kassay.model.plan import PlannedRun
from kassay.model.progress import Progress, Tell
from kassay.model.run import RunRecord
from kassay.plan.prepare import Prepared
from kassay.run.agreement import Agreement
from kassay.run.boot import Measurer, jobs_for
from kassay.run.scheduler import owed, remember_pace, run_all
from kassay.tools.cluster import Cluster, Wanted


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
    prepared: Prepared, folder: RunDirectory, records: tuple[RunRecord, ...], tell: Tell, session: Session,
    cluster: Cluster | None = None,
) -> None:  # fmt: skip
    """records: of the journal. cluster: hosts that make the runs, None for this one."""
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

    own, agreement = jobs_for(prepared), Agreement(folder, records)
    if cluster is not None:
        for lane, host in hosts_of_lanes(plan, records).items():
            if lane and host:
                cluster.begun(lane, host)
    with swept(folder.path / "scratch") as scratch:
        measurer = Measurer(
            prepared, folder.path, scratch.resolve(), cluster, agreement.made_by,
            lambda run, usual: session.rounds(records, run, usual),
        )  # fmt: skip

        def measure(run: PlannedRun, attempt: int) -> RunRecord:
            tally.begin(run)
            tell_progress("", passing=True)
            return measurer.measure(run, attempt)

        for stage in session.stages:
            jobs = cluster.slots if cluster is not None else lambda: own
            records = run_all(
                plan, records, measure, keep, jobs, stage, lane_of(plan), cluster.stop if cluster else lambda: None
            )
            if session.enough(standing(plan, records)):
                break
    remember_pace(plan, records)


def wanted(prepared: Prepared) -> Wanted:
    """Requirements on every host that makes these runs."""
    experiment = prepared.plan.experiment
    profiled = experiment.profile != "none" and not prepared.no_profile
    return Wanted(
        machine=prepared.machine, arch=experiment.arch, cpus=max(experiment.cpus),
        memory_bytes=max(experiment.memory_bytes), boot=experiment.boot, profiled=profiled,
    )  # fmt: skip
