# SPDX-License-Identifier: GPL-2.0-only
"""A directory of runs or of imported values -> what may be said of it: its report, its findings, its profiles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import NamedTuple

from msgspec import structs

from kassay.analysis.analyse import analyse, with_itself
from kassay.analysis.causes import causes
from kassay.analysis.changed_lines import with_changed_lines
from kassay.analysis.counters import at_points
from kassay.analysis.counts_and_time import side_by_side
from kassay.analysis.gate import compared_fields
from kassay.analysis.hosts import across
from kassay.analysis.imported import CLOCK, judge_samples
from kassay.analysis.itemised import Profiled, chosen, itemised, profiled, stacks_of
from kassay.analysis.itemised import branches as branches_at
from kassay.analysis.itemised import executed as executed_at
from kassay.analysis.kernel_shares import kernel_shares
from kassay.analysis.own_work import work_summary
from kassay.analysis.printed_rows import printed_rows
from kassay.analysis.statistics.seed_rules import judged_by_seed_rules
from kassay.effects.workers import cpus, mapped
from kassay.errors import BadInput
from kassay.evidence.boots import timed_boots
from kassay.evidence.changes import read_changes
from kassay.evidence.cmdlines import cmdlines_of, shared_cmdline
from kassay.evidence.codes import read_codes
from kassay.evidence.collect import collect
from kassay.evidence.hosts import hosts_of
from kassay.evidence.profiles import StoredProfiles
from kassay.evidence.reached import reached
from kassay.journal.directory import BESIDE, RunDirectory, open_directory
from kassay.model.branches import KernelBranches
from kassay.model.experiment import labels
from kassay.model.finding import Finding
from kassay.model.kernel_share import KernelShare
from kassay.model.plan import Plan
from kassay.model.profile import Executed, NoProfile
from kassay.model.progress import Progress, Tell, silent
from kassay.model.question import QUESTIONS, Answered, Question
from kassay.model.reason import Reason, own_words, reason
from kassay.model.records import content_id
from kassay.model.report import Comparisons, Report, Times
from kassay.model.run import CellEvidence, RunRecord
from kassay.registry import discover
from kassay.report.build import build_imported, build_report
from kassay.report.conditions import compiled
from kassay.report.overview import FROM, wide, with_overview
from kassay.report.sections.changed_lines import with_unexecuted
from kassay.report.words import short_kernel_names
from kassay.spec.rules import question_of
from kassay.supply.clocks import clock_of
from kassay.tools.imports import store

_FIRST: Mapping[str, str] = MappingProxyType({})
_MANY = 12
"""Points from which on other processes itemise where there are two CPUs: they read kernels and profiles anew that this
process has read. With four points that took 1.6 times the CPU time and the same wall time."""


def report_of(
    directory: Path, tell: Tell, seed_rules: bool = False, predict: Sequence[str] | None = None
) -> Report:  # fmt: skip
    """See pipeline.answer()."""
    if store.is_import(directory):
        if predict is not None:
            raise BadInput(f"{directory}: holds imported values", "only runs that recorded a trace predict time")
        return _answer_import(directory, seed_rules=seed_rules)
    for kind in (question.directory for question in discover(QUESTIONS, "QUESTION", Question).values()):
        if kind is not None and kind.is_one(directory):
            return kind.answer(directory, lambda run: report_of(run, tell, seed_rules, predict))
    return _with_times(_answer_run(directory, tell, seed_rules, predict), directory / BESIDE, tell)


def _answer_run(directory: Path, tell: Tell, seed_rules: bool, predict: Sequence[str] | None) -> Report:
    """The answer of a run directory, without what was timed beside the counts."""
    read = _read(directory, tell)
    counted = read.stored_profiles()
    plan, compared = read.folder.plan, read.compared
    question = question_of(plan.experiment)
    many = question.overview and wide(plan)
    if many:
        findings, shares = _itemised_in_parts(read, tell)
    else:
        findings = itemised(compared.findings, plan.cells, counted)
        shares = kernel_shares(compared.findings, plan.cells, counted)
    stacks = () if many else stacks_of(findings, plan.cells, counted)
    counters = () if many else at_points(plan, read.evidence)
    if changes := read_changes(directory):
        findings = with_changed_lines(findings, plan.cells, changes, counted, reached())
    findings = _predicted(read, findings, predict, tell, primary_only=many)
    parameters = shared_cmdline(plan.experiment, cmdlines_of(plan, read.records))
    report = build_report(
        plan, compared._replace(findings=findings, stacks=stacks, counters=counters, shares=shares),
        read.evidence, read.records, title=_title(plan, question), cmdline=parameters,
        spec_toml=read.folder.pinned_spec(), directory=str(directory), plan_id=read.folder.plan_id,
        gate_fields=compared_fields(),
    )  # fmt: skip
    if rows := printed_rows(read.evidence):
        report = structs.replace(report, printed=rows)
    if codes := read_codes(directory):
        report = structs.replace(report, disclosures=(*report.disclosures, *compiled(codes)))
    if work := work_summary(findings, read.evidence):
        report = structs.replace(report, work=work)
    if any(record.host for record in read.records):
        report = structs.replace(report, hosts=hosts_of(read.folder, read.records), across_hosts=across(findings))
    if seed_rules:
        report = structs.replace(report, seed_rules=judged_by_seed_rules(findings))
    if plan.experiment.timed:
        report = structs.replace(report, times=_times(read))
    if many:
        report = with_overview(report, causes(findings, labels(plan.experiment)), str(directory))
    if question.complete is not None:
        report = question.complete(Answered(report=report, plan=plan, evidence=read.evidence, directory=directory))
    return with_unexecuted(report)


def _predicted(
    read: "_Read", findings: tuple[Finding, ...], predict: Sequence[str] | None, tell: Tell, *, primary_only: bool
) -> tuple[Finding, ...]:
    """The findings, with predictions if these were requested."""
    experiment = read.folder.plan.experiment
    cpus = predict or experiment.predict or ()
    if predict is None and not cpus:
        return findings
    from kassay.labs.predict.predictions import asked_timings, found_timings, with_predictions
    from kassay.labs.predict.timing import timings

    asked = asked_timings(cpus, experiment.arch, read.folder.path) if predict else None
    if not any(record.trace for record in read.records) and predict is not None:
        named = ",".join(cpus) or "CPU"
        again = f"kassay run {quote(f'{read.folder.path}/pinned.toml')} --predict {quote(named)}"
        raise BadInput(f"{read.folder.path}: no run recorded a trace",
                       f"measure again with one: {again} --out {quote(f'{read.folder.path}-traced')}")  # fmt: skip
    if not cpus:
        raise BadInput(f"{read.folder.path}: no CPU is named", f"add --cpu; known: {', '.join(timings())}")
    cpu_timings, lacking = (asked, ()) if asked else found_timings(cpus, experiment.arch, read.folder.path)
    return with_predictions(
        findings, read.folder, read.records, read.evidence, cpu_timings, tell, lacking, primary_only=primary_only
    )


class _Part(NamedTuple):
    """Findings of one point, and what their profiles are made of."""

    findings: tuple[Finding, ...]
    folder: RunDirectory
    records: tuple[RunRecord, ...]
    evidence: tuple[CellEvidence, ...]


class _Itemised(NamedTuple):
    findings: tuple[Finding, ...]
    shares: tuple[KernelShare, ...]


def _itemised_in_parts(read: "_Read", tell: Tell) -> "_Itemised":
    """The findings of a suite, point by point on all CPUs, only the primary ones itemised."""
    points = dict.fromkeys(finding.point for finding in read.compared.findings)
    parts = []
    for point in points:
        evidence = tuple(item for item in read.evidence if item.cell.point == point)
        runs = {measurement.run for item in evidence for measurement in item.measurements}
        records = tuple(record for record in read.records if record.run in runs)
        findings = tuple(finding for finding in read.compared.findings if finding.point == point)
        parts.append(_Part(findings, read.folder, records, evidence))
    itemised_findings: list[Finding] = []
    shares: list[KernelShare] = []
    for number, part in enumerate(mapped(_itemised_part, parts, many=FROM if cpus() > 2 else _MANY), 1):
        itemised_findings += part.findings
        shares += part.shares
        text, share = f"{number} of {len(parts)}: {part.findings[0].workload}", number / len(parts)
        tell(Progress(stage="itemise", subject=read.folder.path.name, text=text, done=share))
    return _Itemised(tuple(itemised_findings), tuple(shares))


def _itemised_part(part: _Part) -> "_Itemised":
    counted, cells = StoredProfiles(part.folder, part.records, part.evidence), part.folder.plan.cells
    return _Itemised(
        itemised(part.findings, cells, counted, primary_only=True), kernel_shares(part.findings, cells, counted)
    )


def _title(plan: Plan, question: Question) -> str:
    names = list(dict.fromkeys(use.name for use in plan.experiment.workloads))
    workloads = ", ".join(names) if len(names) < FROM else f"{len(names)} workloads"
    return question.title(workloads, short_kernel_names(plan.experiment))


def _answer_import(directory: Path, *, seed_rules: bool = False) -> Report:
    """The answer from imported values, by the rules of own timed runs."""
    samples = store.load(directory)
    margin = samples.margin or clock_of(CLOCK).margin
    analysis = judge_samples(samples, margin)
    return build_imported(
        samples, analysis.findings, analysis.ladders, analysis.families, directory=str(directory),
        plan_id=content_id(samples), margin=margin,
        seed_rules=judged_by_seed_rules(analysis.findings) if seed_rules else (),
    )  # fmt: skip


def _with_times(report: Report, directory: Path, tell: Tell) -> Report:
    """The report, with the times that `directory` holds, if it holds any."""
    if not (directory / "plan.json").exists():
        return report
    timed = _read(directory, tell)
    plan = timed.folder.plan
    if [kernel.image_sha256 for kernel in plan.kernels] != [kernel.image_sha256 for kernel in report.kernels]:
        other = reason("times-of-other-images")
        return structs.replace(report, disclosures=(*report.disclosures, other))
    rows = side_by_side(report.findings, timed.compared.findings)
    return structs.replace(
        report, beside=rows, beside_machine=plan.machine, times=_times(timed),
        disclosures=(*report.disclosures, *map(own_words, _other_programs(report, plan))),
    )  # fmt: skip


def _times(read: "_Read") -> Times:
    """The timed runs of a directory, boot by boot."""
    compared, plan = read.compared, read.folder.plan
    return Times(
        findings=compared.findings, ladders=compared.ladders, seed_rules=judged_by_seed_rules(compared.findings),
        boots=timed_boots(plan, read.records), experiment=plan.experiment,
    )  # fmt: skip


def _other_programs(report: Report, timed: Plan) -> tuple[str, ...]:
    """A note where the guest programs of the times are others than those of the counts."""
    if report.guest_sha256 == timed.guest_sha256:
        return ()
    by = [compiler or "an unknown compiler" for compiler in (report.guest_compiler, timed.guest_compiler)]
    return (f"The times were measured with other guest programs than the counts: by {by[1]}, not by {by[0]}.",)


def profiles(
    directory: Path, kernels: Sequence[str] | None, metric: str | None, settings: Mapping[str, str] = _FIRST
) -> tuple[Profiled, ...]:
    """Profiles of one metric (default: the primary one) and of kernels by their names in reports (default: the first
    and the last).

    Where an experiment has several settings, the first that has the values in `settings` (names of parameters, cpus,
    memory, workload). Raises BadInput that lists the possible values.
    """
    read = _read(directory)
    counted = read.stored_profiles()
    return profiled(chosen(_sides(read, kernels), kernels, metric, settings), read.folder.plan.cells, counted)


def findings(directory: Path) -> tuple[Finding, ...]:
    """Every comparison of a run directory, not itemised; where nothing is compared, each kernel with itself."""
    return tuple(_sides(_read(directory)))


def itemised_findings(directory: Path) -> tuple[Finding, ...]:
    """Every comparison of a run directory, the primary ones itemised by function."""
    read = _read(directory)
    counted = read.stored_profiles()
    return itemised(read.compared.findings, read.folder.plan.cells, counted, primary_only=True)


class Paired(NamedTuple):
    """The primary comparison of a point, with the profiles of the requested kernels."""

    finding: Finding
    """Finding that compares these kernels. If there is none, it is one that has the first of them."""
    profiles: tuple[Profiled, ...]
    problem: Reason | None = None
    """Reason why there are no profiles."""


def paired(
    directory: Path, kernels: Sequence[str], tell: Tell = silent, predict: Sequence[str] | None = None
) -> Iterator[Paired]:
    """Point by point, as profiles are large. kernels: one or two, by their names in reports. predict: as of
    pipeline.answer().

    Raises BadInput for a kernel that the directory does not have.
    """
    read = _read(directory, tell)
    counted = read.stored_profiles()
    primary = tuple(finding for finding in _sides(read, kernels) if finding.primary)
    predicted = _predicted(read, primary, predict, tell, primary_only=True)
    for point in dict.fromkeys(finding.point for finding in predicted):
        yield _paired([finding for finding in predicted if finding.point == point], kernels, read.folder.plan, counted)


def _paired(findings: Sequence[Finding], kernels: Sequence[str], plan: Plan, counted: StoredProfiles) -> Paired:
    sides = chosen(findings, kernels, None, _FIRST)
    finding = next((f for f in findings if {*f.kernels} == set(kernels)), sides[0].finding)
    try:
        return Paired(finding, profiled(sides, plan.cells, counted))
    except NoProfile as error:
        return Paired(finding, (), error.reason)


def executed(directory: Path, kernel: str, metric: str | None, settings: Mapping[str, str] = _FIRST) -> Executed:
    """Executions of each instruction of one kernel, by address, in the rounds of profiles(), with the code."""
    read = _read(directory)
    (side,) = chosen(_sides(read), (kernel,), metric, settings)
    return executed_at(side, read.folder.plan.cells, read.stored_profiles())


def branches(
    directory: Path, kernels: Sequence[str], metric: str | None, settings: Mapping[str, str], function: str
) -> tuple[KernelBranches, ...]:
    """Branches and loops of a function on these kernels, in the rounds of profiles()."""
    read = _read(directory)
    counted = read.stored_profiles()
    sides, cells = chosen(_sides(read, kernels), kernels, metric, settings), read.folder.plan.cells
    return tuple(branches_at(side, cells, counted, function) for side in sides)


def _sides(read: "_Read", kernels: Sequence[str] | None = ()) -> Sequence[Finding]:
    """The findings; where nothing is compared, each kernel with itself. kernels: where the question does not compare
    these two, as a ladder compares only neighbours, they are compared as well. None for the first and the last."""
    plan = read.folder.plan
    found = read.compared.findings or with_itself(plan, read.evidence)
    places = {name: at for at, name in enumerate(labels(plan.experiment))}
    wanted = tuple(places.get(name, -1) for name in (list(places) if kernels is None else kernels))
    pair = min(wanted, default=-1), max(wanted, default=-1)
    asked = {frozenset(places[kernel] for kernel in finding.kernels) for finding in found}
    if plan.experiment.timed or pair[0] in (-1, pair[1]) or frozenset(pair) in asked:
        return found
    question = replace(
        question_of(plan.experiment), ladder=False, pairs=lambda have: [pair] if pair[1] < len(have) else []
    )
    return *found, *analyse(plan, read.evidence, question).findings


class _Read(NamedTuple):
    folder: RunDirectory
    records: tuple[RunRecord, ...]
    evidence: tuple[CellEvidence, ...]
    compared: Comparisons

    def stored_profiles(self) -> StoredProfiles:
        return StoredProfiles(self.folder, self.records, self.evidence)


def _read(directory: Path, tell: Tell = silent) -> _Read:
    folder = open_directory(directory)
    records = folder.records()
    evidence = collect(folder, records, tell)
    if folder.plan.experiment.timed:  # many settings take longer than two seconds
        tell(Progress(stage="judge", subject=directory.name, text=f"{len(records)} boots"))
    return _Read(folder, records, evidence, analyse(folder.plan, evidence, question_of(folder.plan.experiment)))
