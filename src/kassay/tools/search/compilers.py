# SPDX-License-Identifier: GPL-2.0-only
"""Both ends of a search over configurations, by each of several compilers: an interaction is seen before the search."""

from pathlib import Path

from msgspec import structs

from kassay.model.bisect import ByCompiler, Candidate, SearchQuestion
from kassay.model.kernel import with_compiler
from kassay.model.progress import Progress, Tell
from kassay.model.units import format_numbers
from kassay.tools.search.decision import Ask
from kassay.tools.search.probe import BootProbe, Measure

DIRECTORIES = "compilers"
"""Run directories of the ends."""


def ends_by_compiler(question: SearchQuestion, directory: Path, tell: Tell, measure: Measure) -> tuple[ByCompiler, ...]:
    """One row for each compiler of the question. Runs that exist are read and not repeated."""
    rows = []
    for compiler in question.compilers or ():
        good, bad = (_probed(question, compiler, end, directory, tell, measure) for end in (0, -1))
        row = ByCompiler(
            compiler=compiler, good=good.value, bad=bad.value, detail="; ".join(filter(None, (good.detail, bad.detail)))
        )
        values = " and ".join(format_numbers([row.good, row.bad]))
        tell(Progress(stage="bisect", subject=compiler, text=f"{values} {good.unit or bad.unit}"))
        rows.append(row)
    return tuple(rows)


def _probed(
    question: SearchQuestion, compiler: str, end: int, directory: Path, tell: Tell, measure: Measure
) -> BootProbe:
    place = end % len(question.candidates)
    reason = f"{'the first' if place == 0 else 'the last'} configuration by {compiler}"
    tell(Progress(stage="bisect", subject=compiler, text=reason))
    asked = Ask(candidate=place, boot=1, reason=reason, left=0, expected=0)
    built = tuple(_built_by(compiler, candidate, question) for candidate in question.candidates)
    path = directory / DIRECTORIES / f"{compiler}-{'good' if place == 0 else 'bad'}"
    return measure(structs.replace(question, candidates=built), asked, path, tell)


def _built_by(compiler: str, candidate: Candidate, question: SearchQuestion) -> Candidate:
    return structs.replace(candidate, ref=with_compiler(candidate.ref, question.probe.arch, compiler))
