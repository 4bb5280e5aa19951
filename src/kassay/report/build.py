# SPDX-License-Identifier: GPL-2.0-only
"""Findings -> Report: everything a reader may ask, in words and numbers, without layout."""

from collections.abc import Sequence
from shlex import quote
from statistics import median

from kassay import __version__
from kassay.clocks import clock_of
from kassay.model.experiment import labels
from kassay.model.finding import REFUSED, Finding, Ladder
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan
from kassay.model.reason import own_words
from kassay.model.report import AuditTable, Comparisons, Report, RunFailure, RunSummary
from kassay.model.run import RunRecord, WallTime
from kassay.report.answer import verdict_of
from kassay.report.cpu import cpu_sentences, seen_cpus
from kassay.report.disclosures import disclosures, memory_state
from kassay.report.repeat import again, step_alone


def build_report(
    plan: Plan,
    compared: Comparisons,
    evidence: Sequence[CellEvidence],
    records: Sequence[RunRecord],
    *,
    title: str,
    cmdline: str,
    spec_toml: str,
    directory: str,
    plan_id: str,
    gate_fields: tuple[str, ...],
) -> Report:
    """The report of an experiment's comparisons. title: the question in words. cmdline: the kernel command line that
    all runs share. directory: as the user may type it."""
    experiment, findings, ladders = plan.experiment, compared.findings, compared.ladders
    clock = clock_of(experiment.clock)
    cpus = seen_cpus(evidence)
    return Report(
        title=title,
        verdict=verdict_of(plan, findings, ladders, compared.families),
        experiment=experiment,
        kernels=plan.kernels,
        machine=plan.machine,
        findings=findings,
        ladders=ladders,
        runs=_runs(plan, findings, evidence, records, decided=compared.decided),
        audits=tuple(_audits(evidence)),
        gate_fields=gate_fields,
        stacks=compared.stacks,
        state=memory_state(findings, evidence),
        scope=clock.scope,
        disclosures=(*disclosures(plan, evidence, cmdline), *map(own_words, cpu_sentences(cpus))),
        next_steps=_next_steps(plan, findings, ladders, directory),
        commands=(again(directory),),
        spec_toml=spec_toml,
        wall=_wall(records),
        plan_id=plan_id,
        kassay_version=__version__,
        families=compared.families,
        workloads=plan.workloads,
        guest_sha256=plan.guest_sha256,
        guest_compiler=plan.guest_compiler,
        cpus=seen_cpus(evidence),
    )


def _runs(plan: Plan, findings: Sequence[Finding], evidence: Sequence[CellEvidence],
          records: Sequence[RunRecord], *, decided: bool) -> RunSummary:  # fmt: skip
    succeeded = {record.run for record in records if record.outcome == "ok"}
    kernel_of = {cell.id: plan.kernels[cell.kernel].ref for cell in plan.cells}
    cell_of = {run.id: run.cell for run in plan.runs}
    refused = {(f.point, side.kernel) for f in findings if f.primary and f.verdict in REFUSED for side in f.sides}
    failures = tuple(
        RunFailure(run=r.run, cell=cell_of[r.run], kernel=kernel_of[cell_of[r.run]], attempt=r.attempt,
                   outcome=r.outcome, detail=r.detail)
        for r in records if r.outcome != "ok"
    )  # fmt: skip
    unmade = len({run.id for run in plan.runs} - {record.run for record in records})
    return RunSummary(
        planned=len(plan.runs),
        ok=len(succeeded),
        failed=len({r.run for r in records} - succeeded),
        refused=sum(len(item.measurements) for item in evidence if (item.cell.point, item.label) in refused),
        unmade=0 if decided else unmade,
        unneeded=unmade if decided else 0,
        retried=sum(1 for r in records if r.attempt > 1),
        failures=failures,
    )


def _audits(evidence: Sequence[CellEvidence]) -> list[AuditTable]:
    tables = []
    for item in evidence:
        if item.measurements:
            first = item.measurements[0]
            for moment, fields in (("before", first.before), ("after", first.after)):
                table = AuditTable(
                    kernel=item.label,
                    workload=item.cell.workload,
                    settings=item.cell.settings,
                    machine=item.cell.machine,
                    moment=moment,
                    fields=fields,
                )
                tables.append(table)
    return tables


def _next_steps(plan: Plan, findings: Sequence[Finding], ladders: Sequence[Ladder], directory: str) -> tuple[str, ...]:
    if any(f.verdict in REFUSED for f in findings):
        return (f"kassay report {quote(directory)} --format markdown  (the whole audit, side by side)",)
    if any(
        f.primary and f.timing is not None and f.evidence == "unstable" and f.verdict == "inconclusive"
        for f in findings
    ):
        return (f"kassay run {quote(directory)}/spec.toml --out {quote(directory)} --fresh  (a session of its own)",)
    names = labels(plan.experiment)
    steps = [(ladder, step) for ladder in ladders if ladder.primary for step in ladder.steps]
    if steps:
        ladder, worst = max(steps, key=lambda pair: (pair[1].verdict == "regression", abs(pair[1].change or 0.0)))
        pair = (names.index(worst.from_kernel), names.index(worst.to_kernel))
        command = step_alone(plan.experiment, plan.kernels, pair, ladder.workload, ladder.settings, ladder.machine)
        why = "with a wider layout floor" if plan.experiment.exact else "in a session of its own"
        options = f" --base {quote(worst.from_kernel)} --head {quote(worst.to_kernel)}"
        return (*_profile(findings, directory, options), f"{command}  (the step alone, {why})")
    every = f"kassay report {quote(directory)} --format markdown  (every figure, to paste into a mail)"
    return (*_profile(findings, directory, ""), every)


def _profile(findings: Sequence[Finding], directory: str, options: str) -> tuple[str, ...]:
    itemised = any(f.attribution is not None for f in findings)
    return (f"kassay profile {quote(directory)}{options} --top 0  (every function)",) if itemised else ()


def _wall(records: Sequence[RunRecord]) -> WallTime:
    walls = [record.wall for record in records if record.outcome == "ok"]
    if not walls:
        return WallTime()
    fields = WallTime.__struct_fields__
    return WallTime(**{name: round(median(getattr(wall, name) for wall in walls), 2) for name in fields})
