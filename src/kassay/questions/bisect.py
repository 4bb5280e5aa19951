# SPDX-License-Identifier: GPL-2.0-only
"""bisect: which commit or release made it slower; answered by the comparison of the culprit and its search."""

from collections.abc import Callable
from pathlib import Path
from shlex import quote
from statistics import median

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.bisect import OUTCOMES, Bisection, Default, Step
from kassay.model.finding import REFUSED
from kassay.model.question import OwnDirectory, Question, neighbours
from kassay.model.report import Lead, Report
from kassay.model.texts import Table, TextBlock, cells, figures, one_line, table
from kassay.model.units import format_change, format_numbers
from kassay.report.mail.text import ascii_text
from kassay.tools.search import log


def _answer(directory: Path, answer_run: Callable[[Path], Report]) -> Report:
    """The answer of a finished search. answer_run: of a run directory."""
    bisection = log.read_result(directory)
    if bisection is None:
        raise BadInput(f"{directory}: the bisection is not finished", "the same bisect command goes on with it")
    if not (directory / log.CULPRIT / "plan.json").exists():
        raise BadInput(f"{directory}: found, but not yet compared with what was before it: {verdict(bisection)}",
                       "the same bisect command goes on with it")  # fmt: skip
    return bisected(answer_run(directory / log.CULPRIT), bisection, str(directory))


def bisected(report: Report, bisection: Bisection, directory: str) -> Report:
    """The report of the culprit's comparison, as the answer of the whole search."""
    step = bisection.steps[0]
    check = f"kassay bisect --replay {quote(directory)}  # every decision again, from the log alone"
    # Between states that are not the same there is a difference, but none in speed.
    direction = "slower" if step.change > 0 else "faster"
    asked = (
        f"made the state of {bisection.workload} differ, by {bisection.state}" if bisection.state
        else f"changed the figure of {bisection.workload}" if _refused(report)
        else f"made {bisection.workload} {direction}"
    )  # fmt: skip
    return structs.replace(
        report,
        title=f"Which {candidate_noun(bisection)} {asked}?",
        verdict=f"{verdict(bisection)} {_judged(report)}".strip(),
        bisection=bisection,
        lead=_lead(bisection),
        next_steps=(check, *report.next_steps),
    )


def _refused(report: Report) -> bool:
    """True if the culprit and the kernel before it must not be compared."""
    primary = [f for f in report.findings if f.primary]
    return bool(primary) and all(f.verdict in REFUSED for f in primary)


def _judged(report: Report) -> str:
    """The comparison's own verdict, which stands next to that of the search."""
    if _refused(report):
        return f"No claim is made of it: compared with what was before it, {report.verdict}"
    word = next((f"{f.verdict}, {f.evidence}" for f in report.findings if f.primary), "")
    return f"Compared with what was before it: {word}. {report.verdict}" if word else report.verdict


def _lead(bisection: Bisection) -> Lead:
    path = path_table(bisection)
    page = TextBlock(
        title="How it was found", text=section_texts(bisection), items=skips(bisection), tables=tables(bisection),
        readers=("page",),
    )  # fmt: skip
    return Lead(
        blocks=(TextBlock(title=path.title, tables=(path,), readers=("screen",)), page),
        mail_also=(ascii_text(verdict(bisection)),),
        mail_open=_open(bisection),
        introduced=(bisection.introduced, _measured(bisection)) if bisection.introduced else None,
    )


def _open(bisection: Bisection) -> tuple[str, ...]:
    """Limits on what is known of the commit that made the change."""
    if bisection.kind == "configuration":
        return ("The symbol was measured with all those before it; whether it needs one of them is not known.",)
    if bisection.kind != "git":
        return ("Which commit did it is not known: only whole kernels were measured, not the commits between them.",)
    if bisection.steps[0].between:
        return ("Which of the commits that could not be measured did it, if it was one of them, is not known.",)
    return ()


def _measured(bisection: Bisection) -> str:
    """How it was found; of releases also which two it lies between, as mainline tags do not say that."""
    search = f"found by bisection, {bisection.measured} kernels measured"
    if bisection.kind != "releases":
        return search
    last, first = (
        candidate_name(bisection, index) for index in (bisection.steps[0].last_without, bisection.steps[0].first)
    )
    return f"{search}; {last} does not have it, {first} has, both as packaged by Debian"


def verdict(bisection: Bisection) -> str:
    """The culprit, by how much, what it took; then the other steps and what is open."""
    sentences = [f"{_culprit(bisection, bisection.steps[0])}.", effort(bisection)]
    others = [f"{candidate_title(bisection, s)} ({_amounts_and_change(bisection, s)})" for s in bisection.steps[1:]]
    sentences += [f"{len(others)} other step{'s' * (len(others) > 1)}: {', '.join(others)}."] if others else []
    sentences += [_default_sentence(bisection, default) for default in bisection.defaults or ()]
    sentences += _by_compiler(bisection)
    sentences += [f"In doubt: {text}." for text in bisection.open]
    return " ".join(sentences)


def _by_compiler(bisection: Bisection) -> list[str]:
    """Sentence on the ends by each compiler, and whether the change depends on it."""
    rows = [(row.compiler, row.change) for row in bisection.compilers or ()]
    if not rows:
        return []
    known = [1 + change for _, change in rows if change is not None]
    texts = [f"{name} {'not known' if change is None else format_change(change)}" for name, change in rows]
    depends = len(known) > 1 and max(known) / min(known) - 1 > bisection.margin
    end = "the change depends on the compiler, too" if depends else "it is the same within the margin"
    verdict = f": {end}" if len(known) > 1 else ""
    return [f"Between the two configurations, by compiler: {', '.join(texts)}{verdict}."]


def _culprit(bisection: Bisection, step: Step) -> str:
    values = f"{bisection.unit} {_amounts_and_change(bisection, step)}"
    sure = f", with {step.odds:.1%} probability" if step.odds is not None else ""
    if step.between:
        names = ", ".join(candidate_name(bisection, index) for index in step.between)
        suspects = f"in {candidate_title(bisection, step)} or in what could not be measured before it ({names})"
        return f"The change after {candidate_name(bisection, step.last_without)} is {suspects}: {values}{sure}"
    by = f" by {culprit.author}" if (culprit := bisection.candidates[step.first]).author else ""
    first = f"{candidate_title(bisection, step)}{by} is the first {candidate_noun(bisection)} with the change"
    return f"{first}: {values}{sure}"


def _amounts_and_change(bisection: Bisection, step: Step) -> str:
    """ "303.6 -> 671.6 (+121.2 %)", or the two states."""
    if bisection.state:
        return f"{_state(bisection, step.last_without)} -> {_state(bisection, step.first)}"
    return f"{' -> '.join(format_numbers([step.before, step.after]))} ({format_change(step.change)})"


def _state(bisection: Bisection, candidate: int) -> str:
    return one_line(bisection.state_at(candidate)) or "-"


def _default_sentence(bisection: Bisection, default: Default) -> str:
    """Sentence on a setting at boot: whether it decides the state that was searched."""
    first = candidate_name(bisection, bisection.steps[0].first)
    both = f"At boot {default.setting} went from {one_line(default.before)} to {one_line(default.after)}"
    if not default.state:
        return f"{both}; {first} does not boot with {default.parameter}."
    if default.decides:
        return f"{both}, and this default decides the state: with {default.parameter} {first} has the earlier one."
    return f"{both}, which does not decide the state: with {default.parameter} it is {one_line(default.state)}."


def candidate_title(bisection: Bisection, step: Step) -> str:
    """A commit with its subject, or a release."""
    candidate = bisection.candidates[step.first]
    title = one_line(candidate.title)
    return f'{candidate.name[:12]} ("{title}")' if bisection.kind == "git" else title


def candidate_name(bisection: Bisection, index: int) -> str:
    """A commit's first digits, or a release."""
    candidate = bisection.candidates[index]
    return candidate.name[:12] if bisection.kind == "git" else one_line(candidate.title)


def effort(bisection: Bisection) -> str:
    """ "Found among 32 commits with 7 measured (7 boots); skipped: ..."."""
    searches = [bisection]
    while (outer := searches[-1].within) is not None:
        searches.append(outer)
    boots = sum(search.boots for search in searches)
    measured = sum(search.measured for search in searches)
    count = len(searches[-1].candidates) - 1
    among = (
        f"Found among {count} {candidate_noun(bisection)}{'s' * (count != 1)} by measuring {measured}, ends included"
    )
    through = f", through {len(searches) - 1} merge{'s' * (len(searches) > 2)}" if len(searches) > 1 else ""
    skips = [
        f"{candidate_name(search, index)} ({outcomes[index]})"
        for search in searches
        for outcomes in [{boot.candidate: boot.outcome for boot in search.observations}]
        for index in search.skipped
    ]
    skipped = f"; skipped: {', '.join(skips)}" if skips else "; nothing was skipped"
    return f"{among}{through}, in {boots} boot{'s' * (boots != 1)}{skipped}."


def candidate_noun(bisection: Bisection) -> str:
    """The kind of a candidate: a commit, a release, a kernel."""
    return {"git": "commit", "releases": "release", "configuration": "symbol"}.get(bisection.kind, "kernel")


def section_texts(bisection: Bisection) -> tuple[str, ...]:
    """Paragraphs of the section."""
    clock = "exact counts, one boot a candidate" if bisection.error_rate is None else (
        f"clock {bisection.clock}; boots of a candidate are repeated "
        f"until the odds are past {1 - bisection.error_rate:.0%}"
    )  # fmt: skip
    texts = [f"Range: {one_line(bisection.range)}. {clock[:1].upper()}{clock[1:]}.", effort(bisection)]
    if bisection.introduced and bisection.steps[0].change > 0 and not bisection.state:
        texts.append(f"For a regression tracker: introduced: {one_line(bisection.introduced)}")
    return (*texts, *(f"{note[:1].upper()}{note[1:]}." for note in map(one_line, bisection.notes)))


def steps_table(bisection: Bisection) -> Table:
    """Every step, largest first."""
    rows = (
        cells(
            candidate_title(bisection, step), candidate_name(bisection, step.last_without),
            *(
                (_state(bisection, step.last_without), _state(bisection, step.first), "-") if bisection.state
                else (*format_numbers([step.before, step.after]), format_change(step.change))
            ), "-" if step.odds is None else f"{step.odds:.1%}", str(step.boots),
            ", ".join(candidate_name(bisection, index) for index in step.between) or "-",
            mark="differs" if bisection.state else "regression" if step.change > 0 else "improvement",
        )
        for step in bisection.steps
    )  # fmt: skip
    columns = ("first with it", "last without", *figures("before", "after", "change", "odds", "boots"), "or in")
    return table(f"Steps found [{one_line(bisection.unit)}]", columns, rows)


def log_table(bisection: Bisection) -> Table:
    """Every boot in the order made, with the reason it was made for."""
    values = [boot.state or "" for boot in bisection.observations] if bisection.state else (
        format_numbers([boot.value for boot in bisection.observations])
    )  # fmt: skip
    rows = [
        cells(
            str(boot.number), str(boot.candidate), _title(bisection, boot.candidate), value, boot.outcome, boot.reason,
            mark="differs" if boot.value is None else "",
        )
        for boot, value in zip(bisection.observations, values, strict=True)
    ]  # fmt: skip
    unit = one_line(bisection.unit)
    columns = (*figures("boot", "place"), "candidate", *figures(unit), "outcome", "asked for because")
    return table(f"Every boot of {one_line(bisection.range)}", columns, rows, folded=len(rows) > 20)


def _title(bisection: Bisection, index: int) -> str:
    candidate = bisection.candidates[index]
    return f"{candidate.name[:12]} {candidate.title}" if bisection.kind == "git" else candidate.title


def compilers_table(bisection: Bisection) -> tuple[Table, ...]:
    """Both ends by each compiler; nothing if none was asked for."""
    rows = [
        cells(
            row.compiler, *format_numbers([row.good, row.bad]), format_change(row.change), one_line(row.detail) or "-"
        )
        for row in bisection.compilers or ()
    ]
    columns = ("compiler", *figures("first configuration", "last configuration", "change"), "absent because")
    return (table(f"Both ends by compiler [{one_line(bisection.unit)}]", columns, rows),) if rows else ()


def tables(bisection: Bisection) -> tuple[Table, ...]:
    """The ends by compiler, the steps, then every boot, of the outer searches as well."""
    outer = tables(bisection.within) if bisection.within is not None else ()
    return (*compilers_table(bisection), steps_table(bisection), log_table(bisection), *outer)


def skips(bisection: Bisection) -> tuple[str, ...]:
    """Why each skipped candidate was."""
    last = {boot.candidate: boot for boot in bisection.observations if boot.value is None}
    return tuple(
        f"{_title(bisection, index)}: {OUTCOMES[last[index].outcome]}: {one_line(last[index].detail)}"
        for index in bisection.skipped
    )


def path_table(bisection: Bisection) -> Table:
    """The candidates that were measured or skipped, in the order of the range, a line each; for a screen."""
    firsts = {
        step.first: "◄ first with it" if bisection.state else f"◄ first with {format_change(step.change)}"
        for step in bisection.steps
    }  # fmt: skip
    values: dict[int, list[float]] = {}
    for boot in bisection.observations:
        values.setdefault(boot.candidate, []).extend([] if boot.value is None else [boot.value])
    order = sorted(values)
    middle = [_state(bisection, index) for index in order] if bisection.state else (
        format_numbers([median(values[index]) if values[index] else None for index in order])
    )  # fmt: skip
    rows = (
        cells(
            str(index), _title(bisection, index), text, str(len(values[index])),
            firsts.get(index, "skipped" if index in bisection.skipped else ""),
            mark="regression" if index in firsts else "differs" if index in bisection.skipped else "",
        )
        for index, text in zip(order, middle, strict=True)
    )  # fmt: skip
    columns = (*figures("place"), "candidate", *figures(one_line(bisection.unit), "boots"), "")
    return table("searched", columns, rows)


QUESTION = Question(
    name="bisect",
    kernels=None,
    pairs=neighbours,
    title=lambda work, _: f"Which kernel made {work} slower?",
    directory=OwnDirectory(is_one=log.is_search, answer=_answer),
)
