# SPDX-License-Identifier: GPL-2.0-only
"""Why the figures may be believed: how many boots, in which order, by which test, and what else was checked."""

from collections.abc import Iterator, Sequence

from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import listed
from kassay.model.timing import ControlCheck, FailureCheck, Timing
from kassay.report.document import LETTER, PAGE, Section, filled, section
from kassay.report.mail.headline import headline
from kassay.report.mail.names import everyday_sentence, everyday_text, mail_name, point_text
from kassay.report.mail.text import bare_percent, interval, percent
from kassay.report.sections.timing import timing_tables
from kassay.report.series import ladders
from kassay.supply.clocks import clock_of

_STANDING = {
    "confirmed": "stands when every comparison is allowed to err together (Holm, 5 %)",
    "candidate": "stands when 5 % of the changes named may be false (Benjamini and Hochberg)",
    "alone": "stands only while nobody counts the other comparisons; no verdict",
}
_MOVED = "the amount of memory, the offsets of stack and mappings, the length of the command line, the random seed"
_TIMES = {1: "once", 2: "twice"}
_NUMBERS = {0: "none", 1: "one", 2: "two", 3: "three", 4: "four"}
_FIGURE = {
    "mode": "the one that most repetitions gave",
    "mean": "the mean of the steady ones",
    "median": "the median of the steady ones",
}
"""Figure of a boot in words, by the first word of a side's method."""
_ORDERS = {"sequential": "one kernel after the other", "sandwich": "first kernel, second kernel, first kernel again"}


_JUDGED = (
    "One value per boot. Boots are made in blocks, in random order; ranks are compared inside the blocks, which holds "
    "under drift, outliers and failed boots. The session is looked at only after the planned numbers of boots, each "
    "time at the p given, so that all looks at one comparison together err in 5 % of sessions. The change is what "
    "these ranks say; it need not be the ratio of the two medians.",
)
_JUDGED_ELSEWHERE = (
    "One value per boot, or what the file has instead. Values are compared by their ranks, inside blocks where the "
    "file tells which were made one after the other; where it does not, drift cannot be told from a change.",
)


def judged(report: Report) -> Iterator[Section]:
    """On a page: tables of how each time was judged. In a mail: paragraphs on the comparison of the headline."""
    text = _JUDGED_ELSEWHERE if report.sources else _JUDGED
    yield from filled("How time was judged", text=text, tables=timing_tables(report), readers=(PAGE,))
    if texts := _how_sure(report):
        topic = headline(report)
        point = point_text(report, topic.finding) if topic is not None and not report.sources else ""
        yield section("", text=(f"How sure{point and f' ({point})'}: {texts[0]}", *texts[1:]), readers=(LETTER,))


def _how_sure(report: Report) -> list[str]:
    """None where nothing was measured by kassay."""
    topic = headline(report)
    if topic is None or topic.finding.verdict in REFUSED or all(s.value is None for s in topic.finding.sides):
        return []
    f = topic.finding
    if not clock_of(f.machine.clock).timed:
        return [_counts(report, f)]
    return _times(report, f) if f.timing is not None else _means(report, f)


def _counts(report: Report, f: Finding) -> str:
    sides, floor = _booted(report, f)
    names = [mail_name(report, side.kernel) for side in sides]
    plain, perturbed = ([len(getattr(side, name)) for side in sides] for name in ("runs", "perturbed"))
    sentences = [f"{_plain(plain, names)} with nothing changed; {_agree(sides, names)}."]
    if any(perturbed):
        apart = None if floor is None else bare_percent(floor).lstrip("<") if floor else ""
        most = (
            "" if apart is None else f"; all boots of one kernel agree {f'within {apart}' if apart else 'to the digit'}"
        )
        further = _further(perturbed, names)
        sentences.append(f"In {further} things were moved that should not matter ({_MOVED}){most}.")
    else:
        sentences.append("No boot had things moved that should not matter, so the noise floor is unknown.")
    figure = _FIGURE.get(f.sides[0].method.partition(" ")[0].rstrip(":"))
    if report.experiment.rounds > 1 and figure:
        sentences.append(f"A boot repeats the work {report.experiment.rounds} times; its figure is {figure}.")
    told = ("one-plain-run",) if any(perturbed) else ("one-plain-run", "no-perturbed-run")
    sentences += [everyday_sentence(report, why) for why in f.reasons if why.code not in told]
    return " ".join(sentences)


def _booted(report: Report, f: Finding) -> tuple[Sequence[Side], float | None]:
    """The kernels of the mail's table, all of a ladder, and how far boots of one of them lie apart; None if that is not
    known."""
    subject = (f.point, f.metric)
    ladder = next((one for one in ladders(report) if (one.point, one.metric) == subject), None)
    if ladder is None:
        return f.sides, f.floor
    floors = [
        one.floor for one in report.findings
        if (one.point, one.metric) == subject and None not in (one.base_value, one.head_value)
    ]  # fmt: skip
    known = [floor for floor in floors if floor is not None]
    sides = [point.side for point in ladder.points if point.value is not None]
    return sides, max(known, default=None) if len(known) == len(floors) else None


def _plain(counts: Sequence[int], names: Sequence[str]) -> str:
    """ "Each kernel was booted twice", or "A was booted 3 times and B and C twice"."""
    kernels = grouped(zip(counts, names, strict=True))
    times = [_TIMES.get(count, f"{count} times") for count in kernels]
    if len(kernels) == 1:
        return f"Each kernel was booted {times[0]}"
    first, *others = kernels.values()
    texts = [f"{listed(first)} {'was' if len(first) == 1 else 'were'} booted {times[0]}"]
    return listed([*texts, *(f"{listed(of)} {time}" for of, time in zip(others, times[1:], strict=True))])


def _further(perturbed: Sequence[int], names: Sequence[str]) -> str:
    """ "two further boots of each kernel", or the number for each kernel, the largest one first."""
    kernels = sorted(grouped(zip(perturbed, names, strict=True)).items(), reverse=True)
    (most, first), *others = kernels
    boots = f"{_NUMBERS.get(most, most)} further {'boot' if most == 1 else 'boots'} of"
    texts = [f"{boots} {listed(first) if others else 'each kernel'}"]
    return listed([*texts, *(f"{_NUMBERS.get(count, count)} of {listed(of)}" for count, of in others)])


def _agree(sides: Sequence[Side], names: Sequence[str]) -> str:
    counts = [len(side.runs) for side in sides]
    once = [name for name, count in zip(names, counts, strict=True) if count < 2]
    if once:
        which = "" if len(once) == len(names) else f" of {listed(once)}"
        return f"that a second boot{which} would give the same is not shown"
    agree = all(len(set(side.runs)) == 1 for side in sides)
    return "both gave the same figure to the digit" if {*counts} == {2} and agree else (
        "all gave the same figure to the digit" if agree else "they did not all give the same figure")  # fmt: skip


def _times(report: Report, f: Finding) -> list[str]:
    t = f.timing
    assert t is not None
    if clock_of(f.machine.clock).imported:
        return _means(report, f)
    first = f"The unit is one boot: {t.boots} of each kernel, {_order(report, t)}."
    planned = listed([str(look) for look in t.looks])
    looks = f"The figures were to be looked at after {planned} boots of each kernel, never in between"
    early = f"; at {t.boots} the main figure was decided, so it ended early{_open(report, f)}" if t.stopped else ""
    rule = (
        f"a look claims a change only at p <= {t.threshold:g}, so that all looks together err in 5% of such sessions. "
        f"Here p = {'-' if t.p is None else f'{t.p:.2g}'}"
    )
    method = (
        "The change is the median of all pairs of boots, and the test ranks boots within blocks, so that drift and "
    )
    step = "" if t.tick is None else f" One step of the clock is {bare_percent(t.tick)} of the value."
    sentences = [f"{first} {looks}{early}; {rule}. {method}single stray boots do not decide.{step}"]
    sentences += [_control(report, t.control)] if t.control is not None else []
    sentences += [_failures(report, f, t.failures)] if t.failures is not None else []
    sentences += [f"Among all comparisons measured, this change {_STANDING[f.standing]}."] if f.standing else []
    sentences += [everyday_sentence(report, why) for why in f.reasons]
    if f.evidence == "robust-only":
        sentences.append("Single boots stray so far that a mean would mislead; the test on ranks decides without them.")
    return sentences


def _open(report: Report, f: Finding) -> str:
    """The metrics of the same comparison that were not decided when it ended early."""
    pair = (f.point, f.base, f.head)
    left = [finding.metric for finding in report.findings if finding.verdict == "inconclusive" and not finding.primary
            and (finding.point, finding.base, finding.head) == pair]  # fmt: skip
    return f" (not decided: {listed(list(dict.fromkeys(left)))})" if left else ""


def _order(report: Report, t: Timing) -> str:
    if t.blocks > 1:
        return f"made in {t.blocks} blocks with the kernels in random order inside each"
    return f"made {_ORDERS.get(report.experiment.order, 'in an order that is not known to be random')}"


def _control(report: Report, c: ControlCheck) -> str:
    outcome = _no_difference(c) if c.passed else "the same kernel differs from itself, so this session proves nothing"
    boots = f"{c.n_control} more boots of it against its {c.n_base} others"
    p = "" if c.p is None else f", p = {c.p:.2g}"
    return (
        f"As a check {mail_name(report, c.kernel)} was also compared with itself ({boots}): {percent(c.change)} "
        f"({interval(c.interval)}{p}); {outcome}."
    )


def _no_difference(c: ControlCheck) -> str:
    """Sentence on a check that found no difference, with the smallest one that it can show."""
    if c.interval is None:
        return "no difference was found, and how large one would have shown is not known"
    most = bare_percent(max(map(abs, c.interval)))
    return f"no difference was found; a difference larger than {most} would have shown"


def _failures(report: Report, f: Finding, c: FailureCheck) -> str:
    base, head = (mail_name(report, side.kernel) for side in f.sides)
    if not c.base_failed + c.head_failed:
        return f"No boot failed ({c.base_tried} tried on {base}, {c.head_tried} on {head})."
    text = f"{c.base_failed} of {c.base_tried} boots failed on {base}, {c.head_failed} of {c.head_tried} on {head}"
    verdict = "one kernel fails more often" if c.p <= 0.05 else "no evidence that one kernel fails more often"
    return f"{text} (Fisher's exact test, p = {c.p:.2g}: {verdict})."


def _means(report: Report, f: Finding) -> list[str]:
    text = "; ".join(everyday_text(report, why) for why in f.reasons)
    counts = f"n = {f.n_base} and {f.n_head}" if f.n_base or f.n_head else "the number of values is not known"
    return [f"{counts}{f'; {text}' if text else ''}."]
