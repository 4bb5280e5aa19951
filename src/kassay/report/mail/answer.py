# SPDX-License-Identifier: GPL-2.0-only
"""The first paragraph: what changed, from which kernel to which, by how much, and whether that is time."""

from collections.abc import Sequence

from kassay.model.finding import REFUSED, VERDICTS, Finding, Ladder
from kassay.model.report import Report
from kassay.model.texts import listed
from kassay.report.conditions import confounder_sentences
from kassay.report.mail.headline import headline, told
from kassay.report.mail.names import (
    everyday_text,
    mail_name,
    mail_names,
    metric_name,
    point_text,
    quantity,
    unit_text,
    work_text,
)
from kassay.report.mail.text import ascii_text, bare_percent, interval, number, percent, sentence
from kassay.report.sections.changed_lines import further_sentences
from kassay.report.sections.programs import calls_text, steps_text
from kassay.report.sentences import (
    apart,
    family_sentence,
    is_multiple,
    leading_first,
    other_phases,
    other_steps,
    stretches,
)
from kassay.report.series import ladders
from kassay.report.words import compilers
from kassay.supply.clocks import clock_of

_WHY = {
    "state-mismatch": "they did not work on the same state",
    "semantic-failure": "the work was not done as declared",
    "contaminated": "other tasks ran while the clock did",
    "incomplete": "too few boots succeeded",
    "hosts-disagree": "two hosts counted the same work otherwise",
    "different-work": "the program did not do the same work on both",
}


def answer(report: Report) -> list[str]:
    """Paragraphs, each one text: what was found, then what kind of number it is."""
    topic = headline(report)
    if topic is None:
        return ["Nothing was measured, so there is nothing to compare."]
    f, primary = topic.finding, [f for f in report.findings if f.primary] or list(report.findings)
    confounders = " ".join(confounder_sentences(report, mail_names(report)))
    if "mail" in report.lead.replaces:
        paragraphs = [report.lead.mail_answer or ascii_text(report.verdict), confounders]
        meanings = [clock_of(f.machine.clock).meaning]
    else:
        families = [ascii_text(family_sentence(family, mail_names(report))) for family in report.families]
        paragraphs = [_answered(report, primary), confounders, *families]
        clocks = dict.fromkeys(f.machine.clock for f in primary)
        meanings = [] if f.verdict in REFUSED else [clock_of(clock).meaning for clock in clocks]
    paragraphs += map(ascii_text, further_sentences(report, " ".join(paragraphs)))
    return [text for text in (*paragraphs, " ".join([*meanings, *_built(report)])) if text]


def _answered(report: Report, primary: Sequence[Finding]) -> str:
    """The comparison of the headline, then one of each other workload if these are few, and how many more there are."""
    described = told(report)
    texts = [text for f in described for text in _described(report, f)]
    count = len(primary) if report.sources else len({finding.point for finding in primary})
    noun = "comparisons" if report.sources else "settings"
    if count > len(described):
        which = f"That is one of {count} {noun}; the table below has"
        which = which if len(described) == 1 else f"Those are {len(described)} of {count} cases; the tables below have"
        texts.append(f"{which} them all.")
    return " ".join(texts)


def _described(report: Report, f: Finding) -> list[str]:
    """A comparison, or the ladder that it is a step of, then its other phases."""
    in_order = () if report.sources else ladders(report, primary=True)
    same = [ladder for ladder in in_order if (ladder.point, ladder.metric) == (f.point, f.metric)]
    texts = [_ladder(report, ladder) for ladder in same] or [_pair(report, f)]
    others = [other_steps(ladder, ladders(report), mail_names(report)) for ladder in same]
    return [*texts, *filter(None, map(ascii_text, others or [other_phases(f, report.findings)]))]


def _built(report: Report) -> list[str]:
    """Architecture and compiler: what readers ask for first."""
    arches = [arch for arch in dict.fromkeys(kernel.arch for kernel in report.kernels) if arch != "unknown"]
    built = [compiler.partition(", ")[0] for compiler, _ in compilers(report)]
    by = f"built by {built[0]}" if len(set(built)) == 1 else "built by different compilers, which are listed below"
    parts = [f"for {listed(arches)}"] if arches else []
    parts += [by] if built and built != ["not known"] else []
    return [f"All kernels are {', '.join(parts)}."] if parts else []


def _at(report: Report, result: Finding | Ladder, *, workload: bool = True) -> str:
    point = point_text(report, result, workload=workload)
    return f" ({point})" if point else ""


def _pair(report: Report, f: Finding) -> str:
    base, head = (mail_name(report, side.kernel) for side in f.sides)
    if f.verdict in REFUSED or f.change is None:
        return refused_text(report, f)
    if clock_of(f.machine.clock).imported:
        return _elsewhere(f, base, head, _at(report, f, workload=False))
    what = f"{work_text(report, f)}{_at(report, f)}"
    if f.verdict == "inconclusive":
        return _open(report, f, what, base, head)
    if f.verdict == "equivalent":
        return f"{what} costs the same on {base} and on {head}: {_values(f)} {unit_text(f.unit)}, {_no_larger(f)}."
    costs = _costs(f.change, quantity(f.unit, f.metric, f.machine.clock), head, base)
    return f"{what} {costs}: {_values(f)}{_unit(f.unit)}{_range(f)}."


def refused_text(report: Report, f: Finding) -> str:
    """The reason why the two kernels of a finding cannot be compared, as a sentence."""
    base, head = (mail_name(report, label) for label in f.kernels)
    detail = "; ".join(everyday_text(report, why) for why in f.reasons)
    why = _WHY.get(f.verdict, VERDICTS.get(f.verdict, f.verdict))
    pair = f"{base} and {head}{_at(report, f)}"
    text = sentence(f"{pair} cannot be compared, because {why}{f': {detail}' if detail else ''}")
    calls = ascii_text(calls_text(f, base, head))
    return " ".join(filter(None, (text, calls)))


def _elsewhere(f: Finding, base: str, head: str, at: str) -> str:
    directions = {"lower": "; lower is better", "higher": "; higher is better"}
    better = directions.get(f.better, "; which way is better is not known")
    unit = f" {unit_text(f.unit)}" if f.unit else ""
    values = f"{number(f.head_value)}{unit} on {head} and {number(f.base_value)} on {base}"
    claim = " No claim is made; why not stands below." if f.reasons else ""
    if f.verdict == "inconclusive":
        claim = " Whether that is more than chance is not decided; why not stands below."
    change = f"a change of {percent(f.change)}{_range(f)}"
    return f"{metric_name(f)} of {f.workload}{at} is {values}, {change}{better}.{claim}"


def _open(report: Report, f: Finding, what: str, base: str, head: str) -> str:
    reasons = f" ({listed([everyday_text(report, why) for why in f.reasons])})" if f.reasons else ""
    clock = clock_of(f.machine.clock)
    costs = f"takes more {clock.time_word}" if clock.screening else "costs more"
    return (
        f"Whether {what[:1].lower()}{what[1:]} {costs} on {head} than on {base} is not decided: {_values(f)} "
        f"{unit_text(f.unit)}, a change of {percent(f.change)}{_range(f)}{reasons}."
    )


def _values(f: Finding) -> str:
    if f.base_value == f.head_value:
        return f"{number(f.head_value)} on both"
    return f"{number(f.head_value)} instead of {number(f.base_value)}"


def _unit(unit: str) -> str:
    """After figures whose unit the sentence has not named yet."""
    return "" if unit.startswith("instructions") else f" {unit_text(unit)}"


def _range(f: Finding) -> str:
    imported = clock_of(f.machine.clock).imported
    boots = f"{f.n_base} and {f.n_head} {'values' if imported else 'boots'}"
    if f.timing is None or f.interval is None:
        return f" ({boots})" if imported and f.n_base and f.n_head else ""
    return f" ({boots}; {f.timing.level * 100:.3g}% interval of the change: {interval(f.interval)})"


def _no_larger(f: Finding) -> str:
    """How large a difference may still be."""
    if f.change == 0 and f.timing is None:
        return "the same to the digit"
    bound = f.timing.bound if f.timing is not None else None
    if bound is None:
        bound = max((abs(limit) for limit in (*(f.interval or ()), f.change) if limit is not None), default=0.0)
    return f"no difference larger than {bare_percent(bound)}"


def _costs(change: float, what: str, head: str, base: str) -> str:
    """ "executes 2.21x as many instructions per page on B as on A"."""
    counted = what.startswith("instructions")
    verb = "executes" if counted else "takes"
    if is_multiple(change):
        return f"{verb} {change + 1:.2f}x {'as many' if counted else 'as much'} {what} on {head} as on {base}"
    more = "more" if change > 0 else "fewer" if counted else "less"
    return f"{verb} {bare_percent(abs(change))} {more} {what} on {head} than on {base}"


def _ladder(report: Report, ladder: Ladder) -> str:
    """The largest step with its figures, the other steps, kernels that cost the same, pairs without a verdict."""
    what = f"{work_text(report, ladder)}{_at(report, ladder)}"
    values = {point.kernel: point.value for point in ladder.points}
    steps = leading_first([step for step in ladder.steps if step.change is not None])
    texts: list[str] = []
    for step in steps:
        base, head = (mail_name(report, label) for label in step.ends)
        if texts:
            texts.append(f"There is another step of {percent(step.change)} from {base} to {head}.")
            continue
        costs = _costs(step.change or 0.0, quantity(ladder.unit, ladder.metric, ladder.machine.clock), head, base)
        figures = f"{number(values[step.to_kernel])} instead of {number(values[step.from_kernel])}"
        subject = (step.ends, ladder.point, ladder.metric)
        judged = (f for f in report.findings if (f.kernels, f.point, f.metric) == subject)
        texts.append(f"{what} {costs}: {figures}{_unit(ladder.unit)}{next(map(_range, judged), '')}.")
    same = stretches(ladder)
    if not steps and not same:
        undecided = any(step.verdict == "inconclusive" for step in ladder.steps)
        texts.append(f"{what}: {'nothing is decided' if undecided else 'no two of the kernels can be compared'}.")
    for stretch in same:
        kernels, spread = [mail_name(report, ladder.points[i].kernel) for i in stretch], apart(ladder, stretch)
        text = f"{listed(kernels)} cost the same {f'within {bare_percent(spread)}' if spread else 'to the digit'}."
        texts.append(text if steps else f"{what}: {text}")
    for step in ladder.steps:
        pair = " and ".join(mail_name(report, label) for label in step.ends)
        if step not in steps and step.verdict == "inconclusive":
            texts.append(f"Between {pair} ({percent(step.change)}) it is not decided.")
        elif step not in steps:
            texts.append(f"{pair} cannot be compared: {_WHY.get(step.verdict, step.verdict)}.")
    texts.append(ascii_text(steps_text(ladder, report.findings, lambda label: mail_name(report, label))))
    return " ".join(filter(None, texts))
