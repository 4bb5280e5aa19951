# SPDX-License-Identifier: GPL-2.0-only
"""Findings -> Report: everything a reader may ask, in words and numbers, without layout."""

from collections.abc import Iterable, Sequence
from shlex import join, quote
from statistics import median

from kassay import __version__
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse, labels
from kassay.model.finding import CHANGES, REFUSED, Finding, Ladder
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity
from kassay.model.plan import Plan
from kassay.model.reason import Reason, own_words, reason
from kassay.model.report import AuditTable, Comparisons, Report, RunFailure, RunSummary
from kassay.model.run import CellEvidence, RunRecord, WallTime
from kassay.model.samples import UNITS_OF_REPLICATION, ImportedKernel, Samples
from kassay.model.texts import shortened
from kassay.model.timing import Family, SeedFinding
from kassay.model.work import CLONES, OPERATION
from kassay.report.conditions import cpu_sentences, disclosures, host_dependent, memory_state, seen_cpus, without_runs
from kassay.report.mail.headline import changed_phase, largest_change
from kassay.report.sections.programs import AWAKE, next_step, same_start, turns
from kassay.report.sections.repeat import one_run, question_again, step_alone, whole_again
from kassay.report.sentences import measured_sentence, verdict_of
from kassay.supply.clocks import clock_of


def build_report(
    plan: Plan, compared: Comparisons, evidence: Sequence[CellEvidence], records: Sequence[RunRecord], *,
    title: str, cmdline: str, spec_toml: str, directory: str, plan_id: str, gate_fields: tuple[str, ...],
) -> Report:  # fmt: skip
    """The report of an experiment's comparisons. title: the question in words. cmdline: the kernel command line that
    all runs share. directory: as the user may type it."""
    findings, ladders = compared.findings, compared.ladders
    cpus = seen_cpus(evidence)
    return Report(
        title=title,
        verdict=verdict_of(plan, findings, ladders, compared.families),
        experiment=plan.experiment, kernels=plan.kernels, machine=plan.machine, workloads=plan.workloads,
        findings=findings, ladders=ladders, families=compared.families, stacks=compared.stacks,
        counters=compared.counters, shares=compared.shares,
        runs=_runs(plan, findings, evidence, records, decided=compared.decided),
        audits=_audits(evidence), gate_fields=gate_fields, state=memory_state(findings, evidence),
        scope=clock_of(plan.experiment.clock).scope,
        disclosures=(
            *host_dependent(records), *disclosures(plan, evidence, cmdline, compared.shares),
            *map(own_words, cpu_sentences(cpus)),
        ), cpus=cpus,
        next_steps=_next_steps(plan, compared, directory), commands=(whole_again(directory),),
        spec_toml=spec_toml, wall=_wall(records), plan_id=plan_id, kassay_version=__version__,
        guest_sha256=plan.guest_sha256, guest_compiler=plan.guest_compiler,
    )  # fmt: skip


def _runs(plan: Plan, findings: Sequence[Finding], evidence: Sequence[CellEvidence],
          records: Sequence[RunRecord], *, decided: bool) -> RunSummary:  # fmt: skip
    succeeded = {record.run for record in records if record.outcome == "ok"}
    kernel_of = {cell.id: plan.kernels[cell.kernel].ref for cell in plan.cells}
    cell_of = {run.id: run.cell for run in plan.runs}
    judged = [(f.verdict, (f.point, side.kernel)) for f in findings if f.primary for side in f.sides]
    refused = {cell for verdict, cell in judged if verdict in REFUSED}
    refused -= {cell for verdict, cell in judged if verdict not in REFUSED}
    failures = tuple(
        RunFailure(run=r.run, cell=cell_of[r.run], kernel=kernel_of[cell_of[r.run]], attempt=r.attempt,
                   outcome=r.outcome, detail=r.detail)
        for r in records if r.outcome != "ok"
    )  # fmt: skip
    tried = {record.run for record in records}
    failed = len(tried - succeeded)
    dropped = max(0, sum(item.lost for item in evidence) - failed)  # they would fail as another run did
    unmade = len({run.id for run in plan.runs} - tried) - dropped
    return RunSummary(
        planned=len(plan.runs),
        ok=len(succeeded),
        failed=failed + dropped,
        refused=sum(len(item.measurements) for item in evidence if (item.cell.point, item.label) in refused),
        unmade=0 if decided else unmade,
        unneeded=unmade if decided else 0,
        retried=sum(1 for r in records if r.attempt > 1),
        failures=failures,
    )


def _audits(evidence: Sequence[CellEvidence]) -> tuple[AuditTable, ...]:
    """The audited fields before and after the first measurement of each cell."""
    first = [(item.label, item.cell, item.measurements[0]) for item in evidence if item.measurements]
    return tuple(
        AuditTable(kernel=label, workload=cell.workload, settings=cell.settings, machine=cell.machine, moment=moment,
                   fields=fields)
        for label, cell, measurement in first
        for moment, fields in (("before", measurement.before), ("after", measurement.after))
    )  # fmt: skip


OF_OTHER_THINGS = ("arguments-differ", "arguments-unread", "found-otherwise", "outside-differs")
"""Codes of reasons for which the same calls are no verdict: they worked on other memory or files."""


OF_TURNS = ("change-elsewhere", "layout-floor", "margin-crossed", "own-runs-apart", "work-varies")
"""Codes of reasons by which exact counts of a program give no verdict, which may be that its tasks took other turns."""


def _took_turns(compared: Comparisons, first: Iterable[Reason]) -> bool:
    """True if tasks of a program took other turns, or if that may be why exact counts give no verdict."""
    known = any(why.code == "turns-differ" for f in compared.findings if f.primary for why in f.reasons)
    made = any(entry.key in CLONES for share in compared.shares for entry in share.entries or ())
    return known or (made and any(why.code in OF_TURNS for why in first))


_TOO_FEW = {"no-perturbed-run", "one-plain-run"}
"""Reasons for weak evidence that more runs take away."""


_DARK = {"panic", "oops", "timeout", "machine-died", "no-boot", "torn-output"}
"""Outcomes of runs whose reason may stand on the console alone."""


def _is_dark(why: Reason) -> bool:
    outcomes = why["outcomes"]
    return isinstance(outcomes, tuple) and any(name in _DARK for name, _ in outcomes)


def _next_steps(plan: Plan, compared: Comparisons, directory: str) -> tuple[str, ...]:
    findings, ladders = compared.findings, compared.ladders
    names = labels(plan.experiment)
    if any(map(without_runs, findings)):
        others = compared._replace(findings=tuple(f for f in findings if not without_runs(f)))
        rest = _next_steps(plan, others, directory) if others.findings else ()
        lost = ((f, why.kernel) for f in findings for why in f.reasons if why.code == "no-plain-run" and _is_dark(why))
        finding, kernel = next(lost, (None, ""))
        if finding is None:
            return rest
        alone = one_run(plan.experiment, plan.kernels, names.index(kernel), finding.point)
        return (f"{alone}  # how its runs end", *rest)
    if different := next((f for f in findings if f.verdict == "different-work"), None):
        program = plan.experiment.program(different.workload)
        counted = next((cost.name for cost in different.calls if cost.kind == OPERATION), "")
        return (next_step(program, plan.experiment.sched or "", str(different.reasons[0]["what"]), counted),)
    first = [f.reasons[0] for f in findings if f.verdict == "inconclusive" and f.reasons]
    if before := next((why for why in first if why.code in OF_OTHER_THINGS), None):
        return (same_start(before), *_profile(findings, directory, ""))
    if _took_turns(compared, first) and (advice := turns(plan.experiment.sched or "")):
        return (advice, *_profile(findings, directory, ""))
    if any(f.verdict in REFUSED for f in findings):
        sleeping = any(f.verdict == "contaminated" and plan.experiment.program(f.workload) for f in findings)
        audit = f"kassay report {quote(directory)} --format markdown  # the whole audit, side by side"
        return (*((AWAKE,) if sleeping else ()), audit)
    if any(
        f.primary and f.timing is not None and f.evidence == "unstable" and f.verdict == "inconclusive"
        for f in findings
    ):
        return (f"kassay run {quote(directory)}/spec.toml --out {quote(directory)} --fresh  # a session of its own",)
    steps = [(ladder, step) for ladder in ladders if ladder.primary for step in ladder.steps if step.change is not None]
    if steps:
        ladder, worst = max(steps, key=lambda pair: (pair[1].verdict == "regression", abs(pair[1].change or 0.0)))
        pair = (names.index(worst.from_kernel), names.index(worst.to_kernel))
        command = step_alone(plan.experiment, plan.kernels, pair, ladder.point)
        why = "in a session of its own" if plan.experiment.timed else "with more perturbed runs"
        options = f" --base {quote(worst.from_kernel)} --head {quote(worst.to_kernel)}"
        return (*_profile(findings, directory, options), f"{command}  # the step alone, {why}")
    few = next((f for f in findings if f.primary and {why.code for why in f.reasons} & _TOO_FEW), None)
    if few is not None and not plan.experiment.timed:
        base, head = map(names.index, few.kernels)
        command = question_again(plan.experiment, plan.kernels, (base, head), few.point)
        return (f"{command}  # with a noise floor", *_profile(findings, directory, ""))
    every = f"kassay report {quote(directory)} --format markdown  # every figure, to paste into a mail"
    return (*_profile(findings, directory, ""), every)


def _profile(findings: Sequence[Finding], directory: str, options: str) -> tuple[str, ...]:
    if all(f.attribution is None for f in findings):
        return ()
    # What is shown without options: the first setting, in the primary phase, from the first kernel to the last.
    shown = [f for f in findings if f.primary] or findings[:1]
    of_setting = [f for f in shown if f.point == shown[0].point]
    changed = [other for f in of_setting if (other := changed_phase(findings, f)) is not None]
    if changed and not options and not any(f.verdict in CHANGES for f in of_setting):
        other = largest_change(changed)
        base, head = map(quote, other.kernels)
        options = f" --base {base} --head {head}" if len({f.kernels for f in findings}) > 1 else ""
        options += f" --metric {quote(other.metric)}"
    return (f"kassay profile {quote(directory)}{options} --top 0  # every function",)


def _wall(records: Sequence[RunRecord]) -> WallTime:
    walls = [record.wall for record in records if record.outcome == "ok"]
    if not walls:
        return WallTime()
    fields = WallTime.__struct_fields__
    return WallTime(**{name: round(median(getattr(wall, name) for wall in walls), 2) for name in fields})


_SHOWN = 6  # sentences in the answer; the others stand in the tables


def build_imported(
    samples: Samples, findings: tuple[Finding, ...], ladders: tuple[Ladder, ...], families: tuple[Family, ...], *,
    directory: str, plan_id: str, margin: float, seed_rules: tuple[SeedFinding, ...] = (),
) -> Report:  # fmt: skip
    """The whole answer. directory: as the user may type it."""
    names = ", ".join(source.name for source in samples.sources)
    formats = ", ".join(dict.fromkeys(source.format for source in samples.sources))
    workloads = ", ".join(dict.fromkeys(series.workload for series in samples.series if series.primary))
    first, last = samples.kernels[0].label, samples.kernels[-1].label
    sentences = [measured_sentence(f) for f in findings if f.primary]
    verdict = " ".join(shortened(sentences, _SHOWN, "{} further comparisons: see all findings."))
    files = (reason("read-from", file=s.name, format=s.format, sha256=s.sha256) for s in samples.sources)
    value = reason("one-value-is", because=UNITS_OF_REPLICATION[samples.replication])
    return Report(
        title=f"What do these results say of {workloads or samples.name} from {first} to {last}?",
        verdict=verdict or "Nothing here can be compared: no metric has values of two kernels.",
        experiment=_imported_experiment(samples, margin),
        kernels=tuple(_imported_kernel(kernel, names) for kernel in samples.kernels),
        machine=MachineIdentity(
            arch=samples.arch, clock="imported", accelerator="unknown", program=formats, options=(),
            host=samples.machine,
        ),
        findings=findings, ladders=ladders, families=families, seed_rules=seed_rules, runs=_values(samples), audits=(),
        state=reason("memory-of-files"), scope=clock_of("imported").scope,
        disclosures=(*files, value, *map(own_words, samples.notes)),
        next_steps=(
            f"kassay report {quote(directory)} --rules seed  # what the seeds' own rules say of the same values",
            f"kassay report {quote(directory)} --format markdown  # every figure, to paste into a mail",
        ),
        commands=_import_again(samples, directory), spec_toml="", wall=WallTime(), plan_id=plan_id,
        kassay_version=__version__, sources=samples.sources, lkp_header=samples.lkp_header,
    )  # fmt: skip


def _imported_experiment(samples: Samples, margin: float) -> Experiment:
    most = max((len(s.samples) for s in samples.series), default=0)
    return Experiment(
        name=samples.name, question="compare" if len(samples.kernels) == 2 else "ladder",
        kernels=tuple(KernelUse(ref=kernel.label) for kernel in samples.kernels),
        workloads=tuple(WorkloadUse(name=name) for name in dict.fromkeys(series.workload for series in samples.series)),
        clock="imported", arch=samples.arch, cpus=(), memory_bytes=(), order="unknown", repeats=most, perturb=0,
        rounds=0, seed=0, margin=margin, timeout_s=0, retries=0, flavour="unknown", boot="unknown", profile="none",
    )  # fmt: skip


def _imported_kernel(kernel: ImportedKernel, files: str) -> KernelIdentity:
    named = kernel.named_by or files
    commit = f", commit {kernel.commit}" if kernel.commit else ""
    return KernelIdentity(
        ref=kernel.label, arch=kernel.arch or "unknown", release=kernel.release or kernel.label, image_sha256=None,
        compiler=kernel.compiler, source=f"as named by {named}{commit}; not verified",
    )  # fmt: skip


def _values(samples: Samples) -> RunSummary:
    """Counts the values of the primary metrics: the other metrics are of the same boots."""
    chosen = [series for series in samples.series if series.primary] or list(samples.series)
    failures = tuple(
        RunFailure(run=sample.run, cell=series.metric, kernel=series.kernel, attempt=1, outcome="failed",
                   detail=sample.detail)
        for series in chosen for sample in series.samples if sample.value is None
    )  # fmt: skip
    planned = sum(len(series.samples) for series in chosen)
    return RunSummary(planned=planned, ok=planned - len(failures), failed=len(failures), refused=0, retried=0,
                      failures=failures)  # fmt: skip


def _import_again(samples: Samples, directory: str) -> tuple[str, ...]:
    """Commands that import the same files again and report on them; none where the import's command is not recorded."""
    if not samples.command:
        return ()
    out = f"{quote(directory)}-again"
    return (f"{join(samples.command)} --out {out}", f"kassay report {out}")
