# SPDX-License-Identifier: GPL-2.0-only
"""Findings -> Report: everything a reader may ask, in words and numbers, without layout."""

from collections.abc import Sequence
from statistics import median

from kassay import __version__
from kassay.model.experiment import labels
from kassay.model.finding import REFUSED, Finding, Ladder
from kassay.model.machine import SCOPES
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan
from kassay.model.report import AuditTable, Report, RunFailure, RunSummary
from kassay.model.run import RunRecord, WallTime
from kassay.model.workload import Workload
from kassay.report.names import spoken_names
from kassay.report.sentences import compare_sentence, ladder_sentence, subject

_STATE_FIELDS = (
    ("range.Rss", "kB resident"), ("range.AnonHugePages", "kB AnonHugePages"),
    ("range.KernelPageSize", "kB pages"), ("pagemap.present", "pages present"), ("range.vmas", "VMA"),
)  # fmt: skip
_LIMITS = {
    "icount": (
        "An instruction is not a nanosecond: caches, atomics and lock contention do not show in counts.",
        "Every iteration of a string instruction (rep movs, rep stos) counts as one instruction.",
    ),
    "tcg": ("Emulated time measures the emulator as much as the kernel.",),
    "kvm": ("Exits to the hypervisor are part of the time.",),
    "host": ("Other work on this machine is part of the time.",),
}


def build_report(
    plan: Plan,
    findings: tuple[Finding, ...],
    ladders: tuple[Ladder, ...],
    evidence: Sequence[CellEvidence],
    records: Sequence[RunRecord],
    *,
    cmdline: str,
    spec_toml: str,
    directory: str,
    plan_id: str,
    gate_fields: tuple[str, ...],
) -> Report:
    """The whole answer. cmdline: the kernel command line all runs share. directory: as the user may type it."""
    experiment = plan.experiment
    return Report(
        title=_title(plan),
        verdict=_verdict(plan, findings, ladders),
        experiment=experiment,
        kernels=plan.kernels,
        machine=plan.machine,
        findings=findings,
        ladders=ladders,
        runs=_runs(plan, findings, evidence, records),
        audits=tuple(_audits(evidence)),
        gate_fields=gate_fields,
        state=_state(findings, evidence),
        scope=SCOPES[experiment.clock],
        disclosures=(*_notes(evidence), *_compilers(plan), *_LIMITS[experiment.clock], *_parameters(plan, cmdline)),
        next_steps=_next_steps(plan, findings, ladders, directory),
        commands=(f"kassay run {directory}/spec.toml --out {directory}-again",),
        spec_toml=spec_toml,
        wall=_wall(records),
        plan_id=plan_id,
        kassay_version=__version__,
    )


def _notes(evidence: Sequence[CellEvidence]) -> tuple[str, ...]:
    """What the workloads said of their own work, kernel by kernel."""
    first = [(item.label, item.measurements[0]) for item in evidence if item.measurements]
    return tuple(f"{label}: {note}" for label, measurement in first for note in measurement.notes)


def _compilers(plan: Plan) -> tuple[str, ...]:
    """Said when it can matter: a difference between two compilers looks like one between two kernels."""
    known = {kernel.compiler for kernel in plan.kernels if kernel.compiler}
    if len(known) < 2:
        return ()
    return ("The kernels were built by different compilers, which may be part of any difference: see Kernels.",)


def _parameters(plan: Plan, cmdline: str) -> tuple[str, ...]:
    """The kernel parameters of all runs, and those of single kernels."""
    own = tuple(
        f"Further kernel parameters of {label}: {use.cmdline}"
        for label, use in zip(labels(plan.experiment), plan.experiment.kernels, strict=True)
        if use.cmdline
    )
    return (*((f"Kernel command line: {cmdline}",) if cmdline else ()), *own)


def _title(plan: Plan) -> str:
    names = ", ".join(use.name for use in plan.experiment.workloads)
    if plan.experiment.question == "ladder":
        return f"Which kernel made {names} slower?"
    base, head = spoken_names(plan.experiment)[:2]
    return f"Did {names} get slower from {base} to {head}?"


def _verdict(plan: Plan, findings: Sequence[Finding], ladders: Sequence[Ladder]) -> str:
    """One sentence per primary metric and setting."""
    names = spoken_names(plan.experiment)
    if plan.experiment.question == "ladder":
        sentences = [
            ladder_sentence(_what(plan, ladder.settings), ladder, names) for ladder in ladders if ladder.primary
        ]
    else:
        sentences = [compare_sentence(_what(plan, f.settings), f, names[0], names[1]) for f in findings if f.primary]
    return " ".join(sentences) or "Nothing was measured."


def _what(plan: Plan, settings: tuple[object, ...]) -> str:
    cell = next(cell for cell in plan.cells if cell.settings == settings)
    return subject(_workload(plan, cell.workload), cell.settings)


def _workload(plan: Plan, name: str) -> Workload:
    return next(workload for workload in plan.workloads if workload.name == name)


def _runs(plan: Plan, findings: Sequence[Finding], evidence: Sequence[CellEvidence],
          records: Sequence[RunRecord]) -> RunSummary:  # fmt: skip
    succeeded = {record.run for record in records if record.outcome == "ok"}
    kernel_of = {cell.id: plan.kernels[cell.kernel].ref for cell in plan.cells}
    cell_of = {run.id: run.cell for run in plan.runs}
    refused_pairs = {(f.sides[0].kernel, f.sides[1].kernel) for f in findings if f.primary and f.verdict in REFUSED}
    refused_kernels = {kernel for pair in refused_pairs for kernel in pair}
    failures = tuple(
        RunFailure(run=r.run, cell=cell_of[r.run], kernel=kernel_of[cell_of[r.run]], attempt=r.attempt,
                   outcome=r.outcome, detail=r.detail)
        for r in records if r.outcome != "ok"
    )  # fmt: skip
    return RunSummary(
        planned=len(plan.runs),
        ok=len(succeeded),
        failed=len({r.run for r in records} - succeeded),
        refused=sum(len(item.measurements) for item in evidence if item.label in refused_kernels),
        retried=sum(1 for r in records if r.attempt > 1),
        failures=failures,
    )


def _audits(evidence: Sequence[CellEvidence]) -> list[AuditTable]:
    tables = []
    for item in evidence:
        if item.measurements:
            first = item.measurements[0]
            for moment, fields in (("before", first.before), ("after", first.after)):
                tables.append(AuditTable(kernel=item.label, settings=item.cell.settings, moment=moment, fields=fields))
    return tables


def _state(findings: Sequence[Finding], evidence: Sequence[CellEvidence]) -> str:
    apart = next((f for f in findings if f.differences), None)
    if apart is not None:
        d = apart.differences[0]
        base, head = (side.kernel for side in apart.sides)
        return f"not the same: {d.field} {d.moment} the region is {d.base} on {base}, {d.head} on {head}"
    measured = [item.measurements[0] for item in evidence if item.measurements]
    if not measured:
        return "unknown: no run succeeded"
    refused = sorted({f.verdict for f in findings if f.verdict in REFUSED})
    before = dict(measured[0].before)
    words = ", ".join(f"{before[name]} {unit}" for name, unit in _STATE_FIELDS if before.get(name) is not None)
    if refused:
        return f"not shown to be the same ({', '.join(refused)})"
    notes = sorted({note for item in measured for note in item.notes})
    said = f"; {notes[0]}" if len(notes) == 1 else ""
    return f"all kernels agree, before and after; before: {words}{said}" if words else f"no range was audited{said}"


def _next_steps(plan: Plan, findings: Sequence[Finding], ladders: Sequence[Ladder], directory: str) -> tuple[str, ...]:
    workload = plan.experiment.workloads[0].name
    refused = next((f for f in findings if f.verdict in REFUSED), None)
    if refused is not None:
        return (f"kassay report {directory} --format markdown  (the whole audit, side by side)",)
    steps = [step for ladder in ladders if ladder.primary for step in ladder.steps]
    if steps:
        worst = max(steps, key=lambda step: abs(step.change or 0.0))
        pair = f"{_exact(plan, worst.from_kernel)} {_exact(plan, worst.to_kernel)}"
        return (f"kassay compare {workload} {pair} --perturb 6  (the step alone, with a wider layout floor)",)
    return (f"kassay report {directory} --format markdown  (every figure, to paste into a mail)",)


def _exact(plan: Plan, label: str) -> str:
    kernel = plan.kernels[labels(plan.experiment).index(label)]
    return f"debian:{kernel.package_version}" if kernel.package_version else kernel.ref


def _wall(records: Sequence[RunRecord]) -> WallTime:
    walls = [record.wall for record in records if record.outcome == "ok"]
    if not walls:
        return WallTime()
    fields = WallTime.__struct_fields__
    return WallTime(**{name: round(median(getattr(wall, name) for wall in walls), 2) for name in fields})
