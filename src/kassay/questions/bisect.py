# SPDX-License-Identifier: GPL-2.0-only
"""bisect: which commit or release made it slower; answered by the comparison of the culprit and its search."""

from collections.abc import Callable
from pathlib import Path
from shlex import quote
from statistics import median

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.bisect import OUTCOMES, Bisection, Step
from kassay.model.finding import REFUSED
from kassay.model.question import OwnDirectory, Question, neighbours
from kassay.model.report import Lead, Report
from kassay.model.texts import Table, TextBlock, cells, figures, one_line, table
from kassay.model.units import format_change, format_numbers
from kassay.report.mail.text import ascii_text
from kassay.search import log


def _answer(directory: Path, answer_run: Callable[[Path], Report]) -> Report:
    """The answer of a finished search. answer_run: of a run directory."""
    found = log.kept_result(directory)
    if found is None:
        raise BadInput(f"{directory}: the bisection is not finished", "the same bisect command goes on with it")
    if not (directory / log.CULPRIT / "plan.json").exists():
        raise BadInput(f"{directory}: found, but not yet compared with what was before it: {verdict(found)}",
                       "the same bisect command goes on with it")  # fmt: skip
    return bisected(answer_run(directory / log.CULPRIT), found, str(directory))


def bisected(report: Report, found: Bisection, directory: str) -> Report:
    """The report of the culprit's comparison, as the answer of the whole search."""
    step = found.steps[0]
    check = f"kassay bisect --replay {quote(directory)}  (every decision again, from the log alone)"
    # Between states that are not the same there is a difference, but none in speed.
    direction = "slower" if step.change > 0 else "faster"
    asked = f"changed the figure of {found.workload}" if _refused(report) else f"made {found.workload} {direction}"
    return structs.replace(
        report,
        title=f"Which {noun(found)} {asked}?",
        verdict=f"{verdict(found)} {_judged(report)}".strip(),
        bisection=found,
        lead=_lead(found),
        next_steps=(check, *report.next_steps),
    )


def _refused(report: Report) -> bool:
    """Whether the culprit and the kernel before it must not be compared."""
    primary = [f for f in report.findings if f.primary]
    return bool(primary) and all(f.verdict in REFUSED for f in primary)


def _judged(report: Report) -> str:
    """The comparison's own verdict, which must not be drowned by the search's."""
    if _refused(report):
        return f"No claim is made of it: compared with what was before it, {report.verdict}"
    word = next((f"{f.verdict}, {f.evidence}" for f in report.findings if f.primary), "")
    return f"Compared with what was before it: {word}. {report.verdict}" if word else report.verdict


def _lead(found: Bisection) -> Lead:
    path = path_table(found)
    page = TextBlock(title="How it was found", text=section_texts(found), items=skips(found), tables=tables(found))
    return Lead(
        screen=(TextBlock(title=path.title, tables=(path,)),),
        page=(page,),
        mail_also=(ascii_text(verdict(found)),),
        mail_open=_open(found),
        introduced=(found.introduced, _measured(found)) if found.introduced else None,
    )


def _open(found: Bisection) -> tuple[str, ...]:
    """What is not known of the commit that did it."""
    if found.kind != "git":
        return ("Which commit did it is not known: only whole kernels were measured, not the commits between them.",)
    if found.steps[0].between:
        return ("Which of the commits that could not be measured did it, if it was one of them, is not known.",)
    return ()


def _measured(found: Bisection) -> str:
    """How it was found; of releases also which two it lies between, as mainline tags do not say that."""
    search = f"found by bisection, {found.measured} kernels measured"
    if found.kind != "releases":
        return search
    last, first = (called(found, index) for index in (found.steps[0].last_without, found.steps[0].first))
    return f"{search}; {last} does not have it, {first} has, both as packaged by Debian"


def verdict(found: Bisection) -> str:
    """The culprit, by how much, what it took; then the other steps and what is open."""
    sentences = [f"{_culprit(found, found.steps[0])}.", effort(found)]
    others = [f"{named(found, s)} ({amounts(s)}, {format_change(s.change)})" for s in found.steps[1:]]
    sentences += [f"{len(others)} other step{'s' * (len(others) > 1)}: {', '.join(others)}."] if others else []
    sentences += [f"In doubt: {text}." for text in found.open]
    return " ".join(sentences)


def _culprit(found: Bisection, step: Step) -> str:
    values = f"{found.unit} {amounts(step)} ({format_change(step.change)})"
    sure = f", with {step.odds:.1%} probability" if step.odds is not None else ""
    if step.between:
        names = ", ".join(called(found, index) for index in step.between)
        what = f"in {named(found, step)} or in what could not be measured before it ({names})"
        return f"The change after {called(found, step.last_without)} is {what}: {values}{sure}"
    by = f" by {one.author}" if (one := found.candidates[step.first]).author else ""
    return f"{named(found, step)}{by} is the first {noun(found)} with the change: {values}{sure}"


def amounts(step: Step) -> str:
    """ "303.6 -> 671.6"."""
    return " -> ".join(format_numbers([step.before, step.after]))


def named(found: Bisection, step: Step) -> str:
    """A commit with its subject, or a release."""
    candidate = found.candidates[step.first]
    title = one_line(candidate.title)
    return f'{candidate.name[:12]} ("{title}")' if found.kind == "git" else title


def called(found: Bisection, index: int) -> str:
    """A commit's first digits, or a release."""
    candidate = found.candidates[index]
    return candidate.name[:12] if found.kind == "git" else one_line(candidate.title)


def effort(found: Bisection) -> str:
    """ "Found among 32 commits with 7 measured (7 boots); skipped: ..."."""
    searches = [found]
    while (outer := searches[-1].within) is not None:
        searches.append(outer)
    boots = sum(search.boots for search in searches)
    measured = sum(search.measured for search in searches)
    count = len(searches[-1].candidates) - 1
    among = f"Found among {count} {noun(found)}{'s' * (count != 1)} by measuring {measured}, ends included"
    through = f", through {len(searches) - 1} merge{'s' * (len(searches) > 2)}" if len(searches) > 1 else ""
    skips = [
        f"{called(search, index)} ({outcomes[index]})"
        for search in searches
        for outcomes in [{boot.candidate: boot.outcome for boot in search.observations}]
        for index in search.skipped
    ]
    skipped = f"; skipped: {', '.join(skips)}" if skips else "; nothing was skipped"
    return f"{among}{through}, in {boots} boot{'s' * (boots != 1)}{skipped}."


def noun(found: Bisection) -> str:
    """What a candidate is: a commit, a release, a kernel."""
    return {"git": "commit", "releases": "release"}.get(found.kind, "kernel")


def section_texts(found: Bisection) -> tuple[str, ...]:
    """Paragraphs of the section."""
    clock = "exact counts, one boot a candidate" if found.error_rate is None else (
        f"clock {found.clock}; boots of a candidate are repeated until the odds are past {1 - found.error_rate:.0%}"
    )  # fmt: skip
    texts = [f"Range: {one_line(found.range)}. {clock[:1].upper()}{clock[1:]}.", effort(found)]
    if found.introduced and found.steps[0].change > 0:
        texts.append(f"For a regression tracker: introduced: {one_line(found.introduced)}")
    return (*texts, *(f"{note[:1].upper()}{note[1:]}." for note in map(one_line, found.notes)))


def steps_table(found: Bisection) -> Table:
    """Every step, largest first."""
    rows = (
        cells(
            named(found, step), called(found, step.last_without), *format_numbers([step.before, step.after]),
            format_change(step.change), "-" if step.odds is None else f"{step.odds:.1%}", str(step.boots),
            ", ".join(called(found, index) for index in step.between) or "-",
            mark="regression" if step.change > 0 else "improvement",
        )
        for step in found.steps
    )  # fmt: skip
    columns = ("first with it", "last without", *figures("before", "after", "change", "odds", "boots"), "or in")
    return table(f"Steps found [{one_line(found.unit)}]", columns, rows)


def log_table(found: Bisection) -> Table:
    """Every boot in the order made, with the reason it was made for."""
    values = format_numbers([boot.value for boot in found.observations])
    rows = [
        cells(
            str(boot.number), str(boot.candidate), _title(found, boot.candidate), value, boot.outcome, boot.reason,
            mark="differs" if boot.value is None else "",
        )
        for boot, value in zip(found.observations, values, strict=True)
    ]  # fmt: skip
    columns = (*figures("boot", "place"), "candidate", *figures(one_line(found.unit)), "outcome", "asked for because")
    return table(f"Every boot of {one_line(found.range)}", columns, rows, folded=len(rows) > 20)


def _title(found: Bisection, index: int) -> str:
    candidate = found.candidates[index]
    return f"{candidate.name[:12]} {candidate.title}" if found.kind == "git" else candidate.title


def tables(found: Bisection) -> tuple[Table, ...]:
    """The steps, then every boot, of the outer searches as well."""
    outer = tables(found.within) if found.within is not None else ()
    return (steps_table(found), log_table(found), *outer)


def skips(found: Bisection) -> tuple[str, ...]:
    """Why each skipped candidate was."""
    last = {boot.candidate: boot for boot in found.observations if boot.value is None}
    return tuple(
        f"{_title(found, index)}: {OUTCOMES[last[index].outcome]}: {one_line(last[index].detail)}"
        for index in found.skipped
    )


def path_table(found: Bisection) -> Table:
    """The candidates that were measured or skipped, in the order of the range, a line each; for a screen."""
    firsts = {step.first: f"◄ first with {format_change(step.change)}" for step in found.steps}
    values: dict[int, list[float]] = {}
    for boot in found.observations:
        values.setdefault(boot.candidate, []).extend([] if boot.value is None else [boot.value])
    order = sorted(values)
    middle = format_numbers([median(values[index]) if values[index] else None for index in order])
    rows = (
        cells(
            str(index), _title(found, index), text, str(len(values[index])),
            firsts.get(index, "skipped" if index in found.skipped else ""),
            mark="regression" if index in firsts else "differs" if index in found.skipped else "",
        )
        for index, text in zip(order, middle, strict=True)
    )  # fmt: skip
    columns = (*figures("place"), "candidate", *figures(one_line(found.unit), "boots"), "")
    return table("searched", columns, rows)


QUESTION = Question(
    name="bisect",
    kernels=None,
    pairs=neighbours,
    title=lambda work, _: f"Which kernel made {work} slower?",
    directory=OwnDirectory(is_one=log.is_search, answer=_answer),
)
