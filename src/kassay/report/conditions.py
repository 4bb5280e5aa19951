# SPDX-License-Identifier: GPL-2.0-only
"""Limits of a claim: the state of memory, the CPUs that were seen, other differences, disclosures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import UNSET

from kassay.model.codes import ComparedCode
from kassay.model.configuration import TOPIC_OF
from kassay.model.experiment import APART, labels
from kassay.model.finding import CONFOUNDERS, REFUSED, Finding
from kassay.model.guest import GuestCpu
from kassay.model.kernel import name_and_version
from kassay.model.kernel_share import KernelShare
from kassay.model.plan import Plan
from kassay.model.profile import DEFERRED
from kassay.model.program import build_sentence
from kassay.model.reason import Reason, own_words, reason
from kassay.model.records import grouped
from kassay.model.report import Report, SeenCpu
from kassay.model.run import CellEvidence, RunRecord
from kassay.model.texts import listed, one_line, shortened
from kassay.model.units import format_number
from kassay.report.words import names_by_label, point_name
from kassay.supply.clocks import clock_of

_STATE_FIELDS = (
    ("range.Rss", "kB resident"), ("range.AnonHugePages", "kB AnonHugePages"),
    ("range.KernelPageSize", "kB pages"), ("pagemap.present", "pages present"), ("range.vmas", "VMA"),
)  # fmt: skip
_PROGRAM_FIELDS = (
    ("program.Rss", "kB resident"), ("program.AnonHugePages", "kB AnonHugePages"),
    ("program.ShmemPmdMapped", "kB ShmemPmdMapped"), ("program.Swap", "kB Swap"), ("program.vmas", "VMAs"),
)  # fmt: skip
Values = Mapping[str, str | None]


def memory_state(findings: Sequence[Finding], evidence: Sequence[CellEvidence]) -> Reason:
    """The state of memory that the kernels worked on, and how it differed."""
    apart = next(((f, d) for f in findings for d in f.differences if d.moment != "during"), None)
    if apart is not None:
        d, (base, head) = apart[1], (side.kernel for side in apart[0].sides)
        return reason("memory-differs", field=d.field, moment=d.moment, base_value=d.base, base=base,
                      head_value=d.head, head=head)  # fmt: skip
    first = [(item.cell.point, item.measurements[0]) for item in evidence if item.measurements]
    measured = [measurement for _, measurement in first]
    if not measured:
        return reason("memory-not-known")
    compared = [f for f in findings if not without_runs(f)] or findings
    refused = sorted({f.verdict for f in compared if f.verdict in REFUSED and f.verdict != "different-work"})
    if refused:
        counts = tuple((verdict, sum(f.verdict == verdict for f in findings)) for verdict in refused)
        return reason("memory-not-shown", verdicts=counts)
    audited = {point: _amounts(_STATE_FIELDS, dict(measurement.before)) for point, measurement in reversed(first)}
    point = first[0][0]
    fields = audited[point]
    setting = point_name(point, [*audited]) if len({*audited.values()}) > 1 else None
    notes = sorted({note for item in measured for note in item.notes})
    note = notes[0] if len(notes) == 1 else None
    if fields:
        ran = {side.kernel for f in findings for side in f.sides if side.runs}
        lost = [side for f in findings for side in f.sides if side.kernel in without_runs(f) and side.kernel not in ran]
        failed = {side.kernel: side.failed for side in lost}
        return reason("memory-same", setting=setting, fields=fields, note=note, failed=tuple(failed.items()))
    return _of_programs(evidence) or reason("memory-not-audited", note=note)


def without_runs(finding: Finding) -> tuple[str, ...]:
    """Labels of the kernels of a comparison that have no successful plain run."""
    if finding.verdict != "incomplete":
        return ()
    return tuple(side.kernel for side in finding.sides if not side.runs)


def _amounts(fields: Iterable[tuple[str, str]], state: Values) -> tuple[tuple[str, str], ...]:
    """The unit and the value of each of these fields that the state has. fields: as (name, unit)."""
    return tuple((unit, value) for name, unit in fields if (value := state.get(name)) is not None)


def _of_programs(evidence: Sequence[CellEvidence]) -> Reason | None:
    """The state of users' programs, whose memory is read once, outside of the region; None for other workloads."""
    measured = (item for item in evidence if item.measurements)
    points = grouped((item.cell.setting_key, dict(item.measurements[0].after)) for item in measured)
    first = next(iter(points.values()))[0]
    fields = _amounts(_PROGRAM_FIELDS, first)
    if not fields:
        return None
    apart = [
        name.removeprefix("program.")
        for name, _ in _PROGRAM_FIELDS
        if any(len({state.get(name) for state in states}) > 1 for states in points.values())
    ]
    return reason("memory-of-program", fields=fields, differing=", ".join(apart) or None)


def disclosures(
    plan: Plan, evidence: Sequence[CellEvidence], cmdline: str, shares: Sequence[KernelShare]
) -> tuple[Reason, ...]:
    """Notes of the workloads, what else differs, limits of the clock, parameters. cmdline: that all runs share."""
    first = [(item.label, item.measurements[0]) for item in evidence if item.measurements]
    notes = tuple(own_words(note, label) for label, measurement in first for note in measurement.notes)
    limits = (reason("clock-limit", text=text) for text in clock_of(plan.experiment.clock).limits)
    # A difference between two compilers looks like one between two kernels.
    several = len({kernel.compiler for kernel in plan.kernels if kernel.compiler}) > 1
    compilers = (reason("different-compilers"),) if several else ()
    programs = (own_words(build_sentence(use.name, use.program)) for use in plan.experiment.workloads if use.program)
    deferred, idle = deferred_work(evidence), idle_time(shares)
    return (*notes, *programs, *deferred, *idle, *compilers, *_absent_symbols(plan), *limits,
            *_parameters(plan, cmdline), *_contaminated(plan))  # fmt: skip


def _absent_symbols(plan: Plan) -> Iterator[Reason]:
    """Symbols that a fragment switches off and the sources lack: misspelt, or of another version."""
    for label, kernel in zip(labels(plan.experiment), plan.kernels, strict=True):
        if kernel.build is not None and (names := listed(kernel.build.absent or ())):
            yield own_words(f"{label}: its sources have no symbol {names}, which its configuration switches off")


def compiled(codes: Sequence[ComparedCode]) -> tuple[Reason, ...]:
    """For each pair of kernels whose configuration alone differs: the functions that it compiled differently."""
    pairs = grouped(((code.base, code.head), code) for code in codes)
    return tuple(_compiled(pair, of) for pair, of in pairs.items())


def _compiled(pair: tuple[str, str], codes: Sequence[ComparedCode]) -> Reason:
    functions = grouped((code.code, f"{code.function}()") for code in codes)
    names = {word: listed(functions.get(word, ())) or None for word in ("different", "same", "inlined")}
    code = "compiled-differently" if len(functions.get("same", ())) < len(codes) else "compiled-the-same"
    return reason(code, base=pair[0], head=pair[1], **names)


def _parameters(plan: Plan, cmdline: str) -> tuple[Reason, ...]:
    """The kernel parameters of all runs, and those of single kernels."""
    own = tuple(
        reason("own-parameters", which=label, parameters=use.cmdline)
        for label, use in zip(labels(plan.experiment), plan.experiment.kernels, strict=True)
        if use.cmdline
    )
    return (*((reason("command-line", parameters=cmdline),) if cmdline else ()), *own)


def _contaminated(plan: Plan) -> tuple[Reason, ...]:
    """How runs were disturbed on purpose."""
    waited = () if plan.experiment.quiesce else (reason("did-not-wait"),)
    tasks = plan.experiment.background
    return (*waited, *((reason("background-tasks", count=tasks),) if tasks else ()))


def host_dependent(records: Sequence[RunRecord]) -> Iterator[Reason]:
    """One for each cause by which the host may have changed digits of an exact clock."""
    ok = [record for record in records if record.outcome == "ok"]
    for why, count in Counter(record.host_dependence for record in ok).items():
        if why:
            yield reason("host-dependent", count=count, total=len(ok), why=why)


_SAFE = "Not affected"
_CURED = "Mitigation: "


def seen_cpus(evidence: Iterable[CellEvidence]) -> tuple[SeenCpu, ...]:
    """Each CPU with the kernels that reported it, in their order; runs without a recorded CPU add nothing."""
    seen = ((measurement.cpu, item.label) for item in evidence for measurement in item.measurements[:1])
    kernels = grouped((cpu, label) for cpu, label in seen if cpu is not None)
    return tuple(SeenCpu(kernels=tuple(dict.fromkeys(labels)), cpu=cpu) for cpu, labels in kernels.items())


def cpu_facts(cpus: Sequence[SeenCpu]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """(kernels, their CPU in words). Kernels with the same words are together, though new ones list more features."""
    kernels = grouped((_words(seen_cpu.cpu), label) for seen_cpu in cpus for label in seen_cpu.kernels)
    return tuple((tuple(dict.fromkeys(labels)), words) for words, labels in kernels.items())


def cpu_sentences(cpus: Sequence[SeenCpu]) -> tuple[str, ...]:
    """A sentence for each fact; the kernels are named where there are two."""
    facts = cpu_facts(cpus)
    if len(facts) == 1:
        return (f"CPU as the kernel saw it: {facts[0][1]}.",)
    return tuple(f"CPU as {', '.join(map(one_line, labels))} saw it: {words}." for labels, words in facts)


def _words(cpu: GuestCpu) -> str:
    parts = [one_line(cpu.name) or "unknown"]
    missing = " ".join(name.upper() for name in cpu.missing)
    if cpu.named is not UNSET:
        parts[0] = f"{cpu.named.name}, {parts[0]}"
        parts += [f"{item.name} {item.value}" for item in cpu.named.other]
    if cpu.named is not UNSET and cpu.named.real:
        lacking = f"lacks {missing}, which the real one has" if missing else "has all that kernels choose code by"
        parts.append(lacking)
    elif missing:
        parts.append(f"without {missing}")
    cured = [
        f"{item.name} {one_line(item.value.removeprefix(_CURED).partition(';')[0])}"
        for item in cpu.vulnerabilities
        if item.value.startswith(_CURED)
    ]
    others = [item.name for item in cpu.vulnerabilities if not item.value.startswith((_CURED, _SAFE))]
    if cured:
        parts.append(f"mitigations: {', '.join(cured)}")
    if others:
        parts.append(f"not mitigated: {', '.join(map(one_line, others))}")
    if cpu.vulnerabilities and not cured and not others:
        parts.append("not affected by any vulnerability that the kernel knows")
    return "; ".join(parts)


_DIFFER = {
    "compiler": "Different compilers",
    "configuration": "Different configurations",
    "cpu": "Different CPU features",
    "parameters": "Different kernel parameters",
}
_GROUPS, _NAMES = 3, 4
"""Different values in a sentence, and names for one value, at most; the others are counted."""


def confounding(report: Report) -> dict[tuple[str, str], Values]:
    """(code, name) -> value on each kernel of the findings that the verdict is about; kernels by label, in order.

    Refused comparisons are left out: they claim nothing.
    """
    confounders: dict[tuple[str, str], dict[str, str | None]] = {}
    known: dict[tuple[str, str], Values] = {("configuration", name): of for _, name, of in differing_options(report)}
    known["compiler", ""] = {
        label: name_and_version(kernel.compiler)
        for label, kernel in zip(labels(report.experiment), report.kernels, strict=True) if kernel.compiler
    }  # fmt: skip
    for finding in report.findings:
        if finding.primary and finding.verdict not in REFUSED:
            base, head = finding.kernels
            for confounder in finding.confounders:
                key = (confounder.code, confounder.name)
                values = confounders.setdefault(key, dict(known.get(key, {})))
                values.update({base: confounder.base, head: confounder.head})
    order = list(CONFOUNDERS)
    return dict(sorted(confounders.items(), key=lambda item: order.index(item[0][0])))


def confounder_sentences(report: Report, names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """One sentence for each code that differs, in the order of CONFOUNDERS; none where all agrees.

    names: kernel label -> name in the sentence; by default the short names.
    """
    name_of = names_by_label(report) if names is None else names
    alike: dict[str, dict[str, list[str]]] = {}
    for (code, name), values in confounding(report).items():
        whole = len(values) == len(report.kernels)
        alike.setdefault(code, {}).setdefault(_listed(values, name_of, whole=whole), []).append(name)
    return tuple(one_line(f"{_DIFFER[code]} may be part of this: {_parts(groups)}.") for code, groups in alike.items())


def _parts(groups: Mapping[str, Sequence[str]]) -> str:
    """groups: values in words -> names of the options with these values, "" where the code needs none."""
    are = (f"{listed(shortened(names, _NAMES))} {'is' if len(names) == 1 else 'are'} " for names in groups.values())
    parts = [f"{text}{values}" if groups[values][0] else values for text, values in zip(are, groups, strict=True)]
    left = sum(len(names) for names in list(groups.values())[_GROUPS:])
    return "; ".join([*parts[:_GROUPS], *([f"and {left} more"] if left else [])])


def differing_options(report: Report) -> tuple[tuple[str, str, Values], ...]:
    """Topic, name and each kernel's value of every option in which two kernels differ, as far as that is known."""
    options = {
        label: {item.name: item.value for item in kernel.configuration or ()}
        for label, kernel in zip(labels(report.experiment), report.kernels, strict=True)
    }
    known = grouped(item for values in options.values() for item in values.items())
    return tuple(
        (topic, name, {label: values.get(name) for label, values in options.items()})
        for name, topic in TOPIC_OF.items()
        if len(set(known.get(name, ()))) > 1
    )


def _listed(values: Values, names: Mapping[str, str], *, whole: bool) -> str:
    """ "gcc 12.2.0 for 6.1, gcc 14.2.0 for 6.12 and 6.17", or "for the others" at the end when it has every kernel."""
    kernels = grouped(
        ("not known" if value is None else value, names.get(label, label)) for label, value in values.items()
    )
    if whole and len(kernels) == 1:
        return f"{next(iter(kernels))} for any kernel"
    *first, last = (f"{value} for {listed(labels)}" for value, labels in kernels.items())
    if whole and first and len(next(reversed(kernels.values()))) > 2:
        last = f"{next(reversed(kernels))} for the others"
    return ", ".join((*first, last))


_LEAST = 0.001  # of the region: below it deferred work and idle time have only their rows
_OBJECTS = {"work-item": "work items", "rcu-callback": "RCU callbacks", "irq-work": "irq_works"}
"""Names of objects in the plural. Timers are left out: one that was cancelled looks like one that is outstanding."""


def deferred_work(evidence: Sequence[CellEvidence]) -> tuple[Reason, ...]:
    """Deferred work of each kernel, and the kinds of it that cannot be followed, for all readers."""
    return tuple(dict.fromkeys(told for item in evidence for told in _of_kernel(item)))


def _of_kernel(item: CellEvidence) -> Iterator[Reason]:
    plain = next((m for m in item.measurements if m.plain), None)
    region = plain.region if plain is not None else None
    if plain is None or region is None or region.problem or not region.deferred:
        return
    waiting = [(_OBJECTS[work.context], work.outstanding) for work in region.deferred if work.context in _OBJECTS]
    counts = [(work.context, work.count) for work in region.deferred if work.count]
    total = sum(count for _, count in region.counts)
    share = sum(count for _, count in counts) / total if total else 0.0
    if share >= _LEAST:
        part = "left out of the value" if plain.deferred == APART else "part of the value"
        outstanding = tuple((name, count) for name, count in waiting if count)
        yield reason("deferred-work", item.label, share=share, part=part, counts=tuple(counts), outstanding=outstanding)
    missing = [name for name in DEFERRED if name not in {work.context for work in region.deferred}]
    if missing:
        yield reason("deferred-not-followed", item.label, kinds=", ".join(missing))


def idle_time(shares: Iterable[KernelShare]) -> tuple[Reason, ...]:
    """How much of a value is time that the guest was idle, for each kernel and point where that is not almost none."""
    return tuple(
        reason(
            "idle-counted", share.label, share=share.idle / share.count, workload=share.workload,
            count=format_number(share.idle / share.operations), total=format_number(share.count / share.operations),
            unit=share.unit,
        )
        for share in shares
        if share.count and share.idle / share.count >= _LEAST
    )  # fmt: skip
