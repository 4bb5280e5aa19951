# SPDX-License-Identifier: GPL-2.0-only
"""bisect: which commit or release made it slower; answered by the comparison of the culprit and its search."""

from collections.abc import Callable
from pathlib import Path
from shlex import quote

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.bisect import Bisection
from kassay.model.finding import REFUSED
from kassay.model.layout import TextBlock
from kassay.model.question import OwnDirectory, Question, neighbours
from kassay.model.report import Lead, Report
from kassay.report.bisection import called, noun, path_table, section_texts, skips, tables, verdict
from kassay.report.mail.words import ascii_text
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
    last, first = (called(found, place) for place in (found.steps[0].last_without, found.steps[0].first))
    return f"{search}; {last} does not have it, {first} has, both as packaged by Debian"


QUESTION = Question(
    name="bisect",
    kernels=None,
    pairs=neighbours,
    title=lambda work, _: f"Which kernel made {work} slower?",
    directory=OwnDirectory(is_one=log.is_search, answer=_answer),
)
