# SPDX-License-Identifier: GPL-2.0-only
"""Findings -> Report: everything a reader may ask, in words and numbers, without layout."""

from collections.abc import Sequence
from shlex import quote
from statistics import median

from kassay import __version__
from kassay.clocks import clock_of
from kassay.model.experiment import labels
from kassay.model.finding import EVIDENCE, REFUSED, Finding, Ladder
from kassay.model.gap import Gap
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan
from kassay.model.report import AuditTable, KernelStacks, Report, RunFailure, RunSummary
from kassay.model.run import RunRecord, WallTime
from kassay.model.series import Series, SeriesTable
from kassay.model.texts import cpus_text, memory_text
from kassay.model.timing import Family
from kassay.model.units import format_numbers
from kassay.report.gap import gap_sentence
from kassay.report.names import spoken_names
from kassay.report.repeat import again, step_alone
from kassay.report.sentences import compare_sentence, ladder_sentence, subject
from kassay.report.series_table import series_sentences
from kassay.report.timing import family_sentence

_STATE_FIELDS = (
    ("range.Rss", "kB resident"), ("range.AnonHugePages", "kB AnonHugePages"),
    ("range.KernelPageSize", "kB pages"), ("pagemap.present", "pages present"), ("range.vmas", "VMA"),
)  # fmt: skip


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
    stacks: tuple[KernelStacks, ...] = (),
    families: tuple[Family, ...] = (),
    decided: bool = False,
    gaps: tuple[Gap, ...] = (),
    series: Series | None = None,
) -> Report:
    """The whole answer. cmdline: the kernel command line all runs share. directory: as the user may type it.

    decided: planned runs that were not made are not needed.
    """
    experiment, clock = plan.experiment, clock_of(plan.experiment.clock)
    return Report(
        title=_title(plan),
        verdict=_told(plan, findings, gaps, series) or _verdict(plan, findings, ladders, families),
        experiment=experiment,
        kernels=plan.kernels,
        machine=plan.machine,
        findings=findings,
        ladders=ladders,
        runs=_runs(plan, findings, evidence, records, decided=decided),
        audits=tuple(_audits(evidence)),
        gate_fields=gate_fields,
        stacks=stacks,
        state=_state(findings, evidence),
        scope=clock.scope,
        disclosures=(*_notes(evidence), *_compilers(plan), *clock.limits, *_parameters(plan, cmdline)),
        next_steps=_next_steps(plan, findings, ladders, directory),
        commands=(again(directory),),
        spec_toml=spec_toml,
        wall=_wall(records),
        plan_id=plan_id,
        kassay_version=__version__,
        families=families,
        workloads=plan.workloads,
        gaps=gaps,
        series=series,
    )


def value_verdict(plan: Plan, metric: str, unit: str, value: float | None, refused: Sequence[str]) -> str:
    """The answer where one kernel was measured alone, as in a step of a bisection."""
    (name,) = spoken_names(plan.experiment)
    if refused or value is None:
        return f"{metric} of {name} is not known: {'; '.join(refused) or 'nothing was measured'}."
    return f"{format_numbers([value])[0]} {unit} ({metric}) on {name}. It is compared with nothing."


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
    return (*((f"Kernel command line: {cmdline}",) if cmdline else ()), *own, *_disturbed(plan))


def _disturbed(plan: Plan) -> tuple[str, ...]:
    """Said of runs that were contaminated on purpose."""
    waited = () if plan.experiment.quiesce else ("The guest did not wait until it was quiet (--no-quiesce).",)
    tasks = plan.experiment.background
    spinning = f"{tasks} task(s) named kassay-spin ran beside the workload (--background)."
    return (*waited, *((spinning,) if tasks else ()))


def _title(plan: Plan) -> str:
    names = ", ".join(use.name for use in plan.experiment.workloads)
    if plan.experiment.question == "ladder":
        return f"Which kernel made {names} slower?"
    if plan.experiment.question == "series":
        return f"What does each patch of the series do to {names}?"
    if plan.experiment.question == "gap":
        old, new, candidate = spoken_names(plan.experiment)
        return f"How much of the change in {names} from {old} to {new} does {candidate} take back?"
    if plan.experiment.question == "value":
        return f"What does {names} cost on {spoken_names(plan.experiment)[0]}?"
    base, head = spoken_names(plan.experiment)[:2]
    return f"Did {names} get slower from {base} to {head}?"


def _verdict(plan: Plan, findings: Sequence[Finding], ladders: Sequence[Ladder], families: Sequence[Family]) -> str:
    """What all settings say together, then one sentence per primary metric, workload, setting and machine, and how
    strong the evidence is."""
    names = spoken_names(plan.experiment)
    called = dict(zip(labels(plan.experiment), names, strict=True))
    sentences = [family_sentence(family) for family in families]
    for one in ladders if plan.experiment.question == "ladder" else findings:
        if not one.primary:
            continue
        what = subject(next(w for w in plan.workloads if w.name == one.workload), one.settings)
        point = ", ".join(_point(plan, one))
        what += f" ({point})" if point else ""
        if isinstance(one, Ladder):
            sentences.append(ladder_sentence(what, one, names))
        else:
            base, head = (called.get(side.kernel, side.kernel) for side in one.sides)
            sentences.append(compare_sentence(what, one, base, head))
    return " ".join((*sentences, *_strength(findings))) or "Nothing was measured."


def _told(plan: Plan, findings: Sequence[Finding], gaps: Sequence[Gap], series: Series | None) -> str:
    """The answer to a question about a gap or a series; "" to any other."""
    names = dict(zip(labels(plan.experiment), spoken_names(plan.experiment), strict=True))
    said = [gap_sentence(_what(plan, gap), gap, names) for gap in gaps if gap.primary]
    if series is not None:
        told = [series_sentences(_what(plan, one), series, one) for one in series.tables if one.primary]
        said += [sentence for sentences in told for sentence in sentences]
    return " ".join((*said, *_strength(findings))) if said else ""


def _what(plan: Plan, one: Gap | SeriesTable) -> str:
    """The work, and at which point of the matrix."""
    point = ", ".join(_point(plan, one))
    what = subject(next(w for w in plan.workloads if w.name == one.workload), one.settings)
    return f"{what} ({point})" if point else what


def _point(plan: Plan, one: Finding | Ladder | Gap | SeriesTable) -> list[str]:
    """Where in the experiment's matrix this is: only what takes more than one value."""
    uses = [use for use in plan.experiment.workloads if use.name == one.workload]
    varied = {axis.name for use in uses for axis in use.axes if len(axis.values) > 1 or len(uses) > 1}
    words = [f"{item.name}={item.value}" for item in one.settings if item.name in varied]
    if len({cell.machine for cell in plan.cells}) > 1:
        machine = (cpus_text(one.machine.cpus), memory_text(one.machine.memory_bytes))
        words += [text for text in machine if text]
    return words


def _strength(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Said whenever it is not the strongest: a sentence must not sound surer than it is."""
    admitted = [f for f in findings if f.primary and f.verdict not in REFUSED]
    weak = [f for f in admitted if f.evidence not in ("exact", "reliable")]
    if not weak:
        return ()
    worst = max((f.evidence for f in weak), key=list(EVIDENCE).index)
    reasons = list(dict.fromkeys(reason for f in weak if f.evidence == worst for reason in f.reasons))
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return (f"Evidence: {worst} ({reasons[0]}{more})." if reasons else f"Evidence: {worst}.",)


def _runs(plan: Plan, findings: Sequence[Finding], evidence: Sequence[CellEvidence],
          records: Sequence[RunRecord], *, decided: bool) -> RunSummary:  # fmt: skip
    succeeded = {record.run for record in records if record.outcome == "ok"}
    kernel_of = {cell.id: plan.kernels[cell.kernel].ref for cell in plan.cells}
    cell_of = {run.id: run.cell for run in plan.runs}
    refused = {
        (f.workload, f.settings, f.machine, side.kernel)
        for f in findings
        if f.primary and f.verdict in REFUSED
        for side in f.sides
    }
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
        refused=sum(
            len(item.measurements)
            for item in evidence
            if (item.cell.workload, item.cell.settings, item.cell.machine, item.label) in refused
        ),
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
        ladder, worst = max(steps, key=lambda pair: abs(pair[1].change or 0.0))
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
