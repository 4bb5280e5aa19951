# SPDX-License-Identifier: GPL-2.0-only
"""The answer in plain words: no claim wider than its finding."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol

from msgspec import structs

from kassay.model.experiment import labels
from kassay.model.finding import CHANGES, EVIDENCE, REFUSED, Finding, Ladder, LadderStep
from kassay.model.machine import MachineUse
from kassay.model.plan import Plan
from kassay.model.reason import Reason
from kassay.model.reason_texts import can_be_joined, reason_text, reasons_text
from kassay.model.records import Setting, grouped
from kassay.model.report import Report
from kassay.model.texts import counted, granted_texts, listed, shortened
from kassay.model.timing import Family, Timing
from kassay.model.units import format_change, format_number
from kassay.model.workload import Workload
from kassay.report.sections.programs import calls_text, steps_text
from kassay.report.words import interval_text, p_text, short_kernel_names

MOST_REASONS = 3  # of weak evidence, in a sentence


def subject(workload: Workload, settings: tuple[Setting, ...], metric: str) -> str:
    """The workload's own words with its settings filled in ("1 task" for "{tasks} task(s)"), and the phase that the
    metric is about."""
    text = workload.subject
    for item in settings:
        text = text.replace("{" + item.name + "}", item.value)
    text = re.sub(r"\b(\d+) (\w+)\(s\)", lambda found: counted(int(found[1]), found[2]), text)
    return f"{text}{phase_words(workload, metric)}"


def compare_sentence(what: str, finding: Finding, base: str, head: str) -> str:
    """One sentence for one comparison. what: the work in words."""
    if finding.verdict in REFUSED or finding.change is None:
        because = f": {reason_text(finding.reasons[0])}" if finding.reasons else ""
        calls = calls_text(finding, base, head)
        return f"No verdict on {_lower(what)} ({finding.verdict}){because}.{calls and f' {calls}'}"
    values = f"{_values(finding)} {finding.unit}"
    if finding.verdict == "equivalent":
        if finding.base_value == finding.head_value and finding.timing is None:
            value = f"{format_number(finding.base_value)} {finding.unit}"
            return f"{what} costs the same on {base} and {head}, to the digit ({value})."
        return f"{what} costs the same on {base} and {head} within the margin ({_with_interval(finding)}; {values})."
    if finding.verdict == "inconclusive":
        because = f"{format_change(finding.change)}; {reason_text(finding.reasons[0])}"
        return f"{what}: no verdict between {base} and {head} ({because})."
    costs = _costs(finding.change, finding.unit)
    change = f"{_with_interval(finding)}; " if is_multiple(finding.change) or finding.timing else ""
    return f"{what} {costs} on {head} compared with {base} ({change}{values})."


def _values(f: Finding) -> str:
    """Both values in the order in which the sentence names the kernels. A change of times is that of the ranks, which
    may have another sign than that of the medians."""
    base, head = format_number(f.base_value), format_number(f.head_value)
    if f.verdict == "equivalent":
        return f"{base} and {head}"
    apart = f.timing is not None and (f.change or 0) * ((f.head_value or 0) - (f.base_value or 0)) < 0
    return f"{'the medians differ the other way: ' if apart else ''}{head} against {base}"


def _with_interval(f: Finding) -> str:
    """The change; of times with its interval, since the change alone claims too much."""
    between = f", between {' and '.join(map(format_change, f.interval))}" if f.timing and f.interval else ""
    return f"{format_change(f.change)}{between}"


def measured_sentence(finding: Finding) -> str:
    """One sentence for one comparison of imported values."""
    base, head = finding.kernels
    what = f"{finding.metric} of {finding.workload}"
    if finding.verdict in REFUSED or finding.change is None:
        return f"{what}: no verdict between {base} and {head} ({reasons_text(finding.reasons) or finding.verdict})."
    n = f", n {finding.n_base} and {finding.n_head}" if finding.n_base and finding.n_head else ""
    values = f"{' '.join(text for text in (_values(finding), finding.unit) if text)}{n}"
    if finding.verdict == "equivalent":
        return f"{what} is the same on {base} and {head} within the margin ({format_change(finding.change)}; {values})."
    direction = "higher" if finding.change > 0 else "lower"
    size = f"{abs(finding.change) * 100:.3g} % {direction} on {head} than on {base}"
    size += f" ({_with_interval(finding)})" if finding.timing is not None and finding.interval is not None else ""
    if finding.verdict == "inconclusive":
        reason = reason_text(finding.reasons[0]) if finding.reasons else finding.verdict
        return f"{what}: {size} ({values}), which is no verdict: {reason}."
    return f"{what} is {size} ({values}): {a_or_an(finding.verdict)}, if both worked on the same page state."


def a_or_an(verdict: str) -> str:
    """ "a regression", "an improvement"."""
    return f"{'an' if verdict[0] in 'aeiou' else 'a'} {verdict}"


def ladder_sentence(what: str, ladder: Ladder, names: Sequence[str]) -> str:
    """The steps of a ladder in the order of leading_first(), then what is the same. what: the work in words."""
    steps = leading_first(ladder.steps)
    name_of = {point.kernel: name for point, name in zip(ladder.points, names, strict=True)}
    measured = [index for index, point in enumerate(ladder.points) if point.value is not None]
    if steps:
        first, *others = steps
        ends = (name_of[first.from_kernel], name_of[first.to_kernel])
        text = f"{what} {_costs(first.change or 0.0, ladder.unit)} {since(ends, names)}"
        also = (f"From {name_of[step.from_kernel]} to {name_of[step.to_kernel]}" for step in others)
        text += "".join(f". {pair}: {format_change(step.change)}" for step, pair in zip(others, also, strict=True))
        text += _plateaus(ladder, names)
    elif len(measured) > 1 and all(step.verdict == "incomplete" for step in ladder.steps):
        all_of = f"all {len(names)} kernels" if len(measured) == len(names) else listed([names[i] for i in measured])
        text = f"{what} costs the same on {all_of}{_within(ladder, measured)}"
    elif ladder.steps and all(step.verdict == "inconclusive" for step in ladder.steps):
        open_ = "anywhere" if len(ladder.steps) == len(ladder.points) - 1 else "everywhere"
        return f"{what}: no step is shown, and none is excluded {open_}{_plateaus(ladder, names)}."
    else:
        text = f"No step could be admitted for {_lower(what)}{_plateaus(ladder, names)}"
    unsettled = (step for step in ladder.steps if step.verdict not in CHANGES)
    left_open = (
        f" No verdict from {name_of[s.from_kernel]} to {name_of[s.to_kernel]} ({s.verdict})." for s in unsettled
    )
    return f"{text}.{''.join(left_open)}"


def since(ends: tuple[str, str], names: Sequence[str]) -> str:
    """ "since B" for a step from the kernel before B. "on C compared with A" for one that reaches further back, as a
    kernel between can have a part of it. ends: names of its kernels; names: of all kernels in order."""
    base, head = ends
    return f"since {head}" if ends in pairwise(names) else f"on {head} compared with {base}"


def leading_first(steps: Sequence[LadderStep]) -> list[LadderStep]:
    """The changes among these steps: the largest regression, then the others by size.

    The question is which kernel made it slower: an improvement, however large, is no answer to that.
    """
    changes = sorted((step for step in steps if step.verdict in CHANGES), key=lambda step: -abs(step.change or 0.0))
    first = next((step for step in changes if step.verdict == "regression"), None)
    return changes if first is None else [first, *(step for step in changes if step is not first)]


def _plateaus(ladder: Ladder, names: Sequence[str]) -> str:
    """ ". 6.12 and 6.16 are the same to the digit" for each stretch."""
    same = stretches(ladder) if ladder.steps else []
    texts = (f"{listed([names[i] for i in stretch])} are the same{_within(ladder, stretch)}" for stretch in same)
    return "".join(f". {text}" for text in texts)


def stretches(ladder: Ladder) -> list[list[int]]:
    """Indexes of kernels without a step between them, two or more in each; kernels without a value are skipped."""
    breaks = {step.to_kernel for step in ladder.steps}
    plateaus: list[list[int]] = [[]]
    for index, point in enumerate(ladder.points):
        if point.value is not None:
            if point.kernel in breaks:
                plateaus.append([])
            plateaus[-1].append(index)
    return [stretch for stretch in plateaus if len(stretch) > 1]


def apart(ladder: Ladder, stretch: Sequence[int]) -> float:
    """How far the values of these kernels lie apart: the largest / the smallest - 1."""
    values = [value for i in stretch if (value := ladder.points[i].value) is not None]
    return max(values) / min(values) - 1 if min(values) else 0.0


def _within(ladder: Ladder, stretch: Sequence[int]) -> str:
    spread = apart(ladder, stretch)
    return f" within {spread * 100:.2g} %" if spread else " to the digit"


def is_multiple(change: float) -> bool:
    """True if a change reads as "2.21×" rather than in percent: half as much again or more, or down to two thirds."""
    return change >= 0.5 or change <= -1 / 3


def _costs(change: float, unit: str) -> str:
    """In words: 2.21× as much from half as much again on, below that in percent."""
    counted, _, operation = unit.partition("/")
    verb, quantity, fewer = (
        ("executes", "instructions", "fewer") if counted == "instructions" else ("takes", "time", "less")
    )
    if is_multiple(change):
        return f"{verb} {change + 1:.2f}× the {quantity} per {operation}"
    return (
        f"{verb} {format_change(abs(change)).lstrip('+')} {'more' if change > 0 else fewer} {quantity} per {operation}"
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


class AtMetric(Protocol):
    """A result: one metric of a workload with its settings on a machine."""

    @property
    def workload(self) -> str: ...
    @property
    def settings(self) -> tuple[Setting, ...]: ...
    @property
    def machine(self) -> MachineUse: ...
    @property
    def metric(self) -> str: ...


def verdict_of(plan: Plan, findings: Sequence[Finding], ladders: Sequence[Ladder], families: Sequence[Family]) -> str:
    """One sentence on all settings together, then one per primary metric, workload, setting and machine, then how
    strong the evidence is."""
    names = short_kernel_names(plan.experiment)
    name_of = dict(zip(labels(plan.experiment), names, strict=True))
    sentences = [family_sentence(family, name_of) for family in families]
    if ladders:
        for ladder in (ladder for ladder in ladders if ladder.primary):
            sentences.append(ladder_sentence(work_at(plan, ladder), ladder, names))
            sentences.append(steps_text(ladder, findings, lambda label: name_of.get(label, label)))
            sentences.append(other_steps(ladder, ladders, name_of))
    else:
        for f in (f for f in findings if f.primary):
            base, head = (name_of.get(side.kernel, side.kernel) for side in f.sides)
            sentences += [compare_sentence(work_at(plan, f), f, base, head), other_phases(f, findings)]
    return " ".join(filter(None, (*sentences, *strength(findings, compared=not ladders)))) or "Nothing was measured."


def work_at(plan: Plan, result: AtMetric) -> str:
    """The work, and at which point of the matrix."""
    point = ", ".join(_point(plan, result))
    what = subject(next(w for w in plan.workloads if w.name == result.workload), result.settings, result.metric)
    return f"{what} ({point})" if point else what


def _point(plan: Plan, result: AtMetric) -> list[str]:
    """Where in the experiment's matrix this is: only what takes more than one value."""
    uses = [use for use in plan.experiment.workloads if use.name == result.workload]
    varied = {axis.name for use in uses for axis in use.axes if len(axis.values) > 1 or len(uses) > 1}
    settings_given = [f"{item.name}={item.value}" for item in result.settings if item.name in varied]
    if len({cell.machine for cell in plan.cells}) > 1:
        settings_given += granted_texts(result.machine)
    return settings_given


def strength(
    findings: Sequence[Finding], names: Mapping[str, str] = MappingProxyType({}), *, everyday: bool = False,
    compared: bool = False,
) -> tuple[str, ...]:  # fmt: skip
    """The weakest evidence, unless all findings are exact or reliable: no sentence may sound surer than it is.

    names: of kernels by label. everyday: in words that need no glossary. compared: compare_sentence() stands before it,
    with the first reason of what is inconclusive.
    """
    admitted = [f for f in findings if f.primary and f.verdict not in REFUSED]
    weak = [f for f in admitted if f.evidence not in ("exact", "reliable")]
    if not weak:
        return ()
    worst = max((f.evidence for f in weak), key=list(EVIDENCE).index)
    reasons = [
        reason for f in weak if f.evidence == worst
        for reason in f.reasons[compared and f.verdict == "inconclusive" :]
    ]  # fmt: skip
    texts = shortened(joined_reasons(reasons, names, everyday=everyday), MOST_REASONS, "and {} more")
    title = "Weaker than it looks" if everyday else f"Evidence: {worst}"
    because = f" ({'; '.join(texts)})" if texts else ""
    return (f"{title}{because}.",)


def joined_reasons(
    reasons: Iterable[Reason], names: Mapping[str, str] = MappingProxyType({}), *, everyday: bool = False
) -> list[str]:
    """The text of each reason, once for all kernels that it is true of, whose names stand before the first such text.
    An unknown noise floor comes first, since no change is certain without it. names, everyday: as for strength()."""
    kernels = grouped((structs.replace(one, kernel="") if can_be_joined(one) else one, one.kernel) for one in reasons)
    texts: list[str] = []
    told = ""
    for one in sorted(kernels, key=lambda one: one.code != "no-perturbed-run"):
        text = reason_text(one, names, everyday=everyday)
        of = (
            ""
            if one.kernel
            else listed(list(dict.fromkeys(names.get(kernel, kernel) for kernel in kernels[one] if kernel)))
        )
        texts.append(f"{of}: {text}" if of and of != told else text)
        told = of
    return texts


def family_sentence(f: Family, name_of: Mapping[str, str]) -> str:
    """The change of all settings together, and the range of the single ones. name_of: names of kernels by label."""
    pair = f"from {name_of.get(f.base, f.base)} to {name_of.get(f.head, f.head)}"
    p = f"p = {p_text(f.p)}".replace("= <", "< ")
    more = f", and {f.candidates - f.confirmed} more are candidates" if f.candidates > f.confirmed else ""
    return (
        f"All {f.cells} settings together, {f.metric} {pair}: {format_change(f.change)} ({interval_text(f.interval)}, "
        f"{p}). The single ones lie between {format_change(f.smallest)} and {format_change(f.largest)}; "
        f"{f.confirmed} of {f.cells} stand when all are judged together{more}."
    )


def timing_words(report: Report) -> tuple[str, ...]:
    """How the primary findings on time were judged, one line for each way; nothing where nothing was timed."""
    return tuple(dict.fromkeys(_timed(f, f.timing) for f in report.findings if f.primary and f.timing is not None))


def _timed(f: Finding, t: Timing) -> str:
    looks = f"looked at after {'/'.join(map(str, t.looks))}" if len(t.looks) > 1 else "looked at once"
    stopped = ", ended early: the primary metrics are decided" if t.stopped else ""
    interval = f"interval {interval_text(f.interval)} at {t.level:.1%}" if f.interval else "no interval"
    judged = f"{interval}, p = {p_text(t.p)} (claimed at {t.threshold:g})"
    text = f"{counted(t.boots, 'boot')} a kernel, {looks}{stopped}; {judged}"
    if t.control is None:
        return text
    c = t.control
    return f"{text}; {c.kernel} against itself {format_change(c.change)}, p = {p_text(c.p)}"


WHOLE = "iteration"
"""The metric of a whole round: all phases together."""


def phase_words(workload: Workload, metric: str) -> str:
    """ ", phase fault" if the metric is one of several phases; "" if it covers the round, or is the only one."""
    return f", phase {metric}" if len(workload.phases) > 1 and metric != WHOLE else ""


def other_phases(finding: Finding, findings: Sequence[Finding]) -> str:
    """The other phases of the comparison that changed otherwise than the finding, or are undecided; "" for none."""
    kernels = finding.kernels
    others = [
        f for f in findings
        if f.point == finding.point and f.metric != finding.metric and f.kernels == kernels
    ]  # fmt: skip
    others = [f for f in others if f.verdict != finding.verdict]
    texts = [f"{f.metric} {format_change(f.change)} ({f.verdict})" for f in others if f.verdict in CHANGES]
    open_ = [f.metric for f in others if f.verdict == "inconclusive"]
    texts += [f"no verdict on {listed(open_)}"] if open_ else []
    return f"Other phases: {', '.join(texts)}." if texts else ""


def other_steps(ladder: Ladder, ladders: Sequence[Ladder], names: Mapping[str, str] = MappingProxyType({})) -> str:
    """The steps of other phases that the ladder itself does not have; "" for none. names: of kernels' labels."""
    real_steps = {(step.from_kernel, step.to_kernel, step.verdict) for step in ladder.steps}
    steps = [
        f"{other.metric} {format_change(step.change)} from {names.get(step.from_kernel, step.from_kernel)} to "
        f"{names.get(step.to_kernel, step.to_kernel)} ({step.verdict})"
        for other in ladders
        if other.point == ladder.point and other.metric != ladder.metric
        for step in other.steps
        if step.verdict in CHANGES and (step.from_kernel, step.to_kernel, step.verdict) not in real_steps
    ]
    return f"Other phases: {', '.join(steps)}." if steps else ""
