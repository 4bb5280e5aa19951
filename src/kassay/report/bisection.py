# SPDX-License-Identifier: GPL-2.0-only
"""A bisection in words and tables: the culprit first, then how it was found and what else was."""

import re
from collections.abc import Sequence
from statistics import median

from kassay.model.bisect import OUTCOMES, Bisection, Candidate, Step
from kassay.model.layout import Table, cells
from kassay.model.texts import one_line
from kassay.model.units import format_change, format_numbers

_RELEASE = re.compile(r"(\d+\.\d+)(?:\.(\d+))?(?:[~-](rc\d+))?")


def verdict(found: Bisection) -> str:
    """The culprit, by how much, what it took; then the other steps and what is open."""
    said = [f"{_culprit(found, found.steps[0])}.", effort(found)]
    others = [f"{named(found, s)} ({amounts(s)}, {format_change(s.change)})" for s in found.steps[1:]]
    said += [f"{len(others)} other step{'s' * (len(others) > 1)}: {', '.join(others)}."] if others else []
    said += [f"In doubt: {text}." for text in found.open]
    return " ".join(said)


def _culprit(found: Bisection, step: Step) -> str:
    values = f"{found.unit} {amounts(step)} ({format_change(step.change)})"
    sure = f", with {step.odds:.1%} probability" if step.odds is not None else ""
    if step.between:
        names = ", ".join(called(found, p) for p in step.between)
        what = f"in {named(found, step)} or in what could not be measured before it ({names})"
        return f"The change after {called(found, step.last_without)} is {what}: {values}{sure}"
    by = f" by {one.author}" if (one := found.candidates[step.first]).author else ""
    return f"{named(found, step)}{by} is the first {noun(found)} with the change: {values}{sure}"


def amounts(step: Step) -> str:
    """ "303.6 -> 671.6"."""
    return " -> ".join(format_numbers([step.before, step.after]))


def named(found: Bisection, step: Step) -> str:
    """A commit with its subject, or a release."""
    one = found.candidates[step.first]
    return f'{one.name[:12]} ("{one_line(one.title)}")' if found.kind == "git" else one_line(one.title)


def called(found: Bisection, place: int) -> str:
    one = found.candidates[place]
    return one.name[:12] if found.kind == "git" else one_line(one.title)


def effort(found: Bisection) -> str:
    """ "Found among 32 commits with 7 measured (7 boots); skipped: ..."."""
    searched = [found]
    while (outer := searched[-1].within) is not None:
        searched.append(outer)
    boots = sum(one.boots for one in searched)
    measured = sum(one.measured for one in searched)
    count = len(searched[-1].candidates) - 1
    among = f"Found among {count} {noun(found)}{'s' * (count != 1)} by measuring {measured}, ends included"
    through = f", through {len(searched) - 1} merge{'s' * (len(searched) > 2)}" if len(searched) > 1 else ""
    skips = [f"{called(one, place)} {_why(one, place)}" for one in searched for place in one.skipped]
    skipped = f"; skipped: {', '.join(skips)}" if skips else "; nothing was skipped"
    return f"{among}{through}, in {boots} boot{'s' * (boots != 1)}{skipped}."


def _why(found: Bisection, place: int) -> str:
    outcome = next(one.outcome for one in reversed(found.observations) if one.candidate == place)
    return f"({outcome})"


def noun(found: Bisection) -> str:
    """What a candidate is: a commit, a release, a kernel."""
    return {"git": "commit", "releases": "release"}.get(found.kind, "kernel")


def introduced(kind: str, candidates: Sequence[Candidate], step: Step) -> str:
    """What a regression tracker is told: a commit, a range of commits, or of mainline tags; "" where none is known."""
    old, new = candidates[step.last_without], candidates[step.first]
    if kind == "git":
        return f"{old.name[:12]}..{new.name[:12]}" if step.between else new.name
    matches = [_RELEASE.fullmatch(one.name.removeprefix("debian:")) for one in (old, new)]
    if kind != "releases" or None in matches:
        return ""
    parts = [match.groups() for match in matches if match is not None]
    # Two updates of one series have no mainline between them; the range is that of the stable tree.
    same = parts[0][0] == parts[1][0]
    return "..".join(_tag(*part, updates=same) for part in parts)


def _tag(series: str, update: str | None, candidate: str | None, *, updates: bool) -> str:
    if candidate:
        return f"v{series}-{candidate}"
    return f"v{series}.{update}" if updates and update and update != "0" else f"v{series}"


def section_texts(found: Bisection) -> tuple[str, ...]:
    """Paragraphs of the section."""
    clock = "exact counts, one boot a candidate" if found.error_rate is None else (
        f"clock {found.clock}; boots of a candidate are repeated until the odds are past {1 - found.error_rate:.0%}"
    )  # fmt: skip
    said = [f"Range: {one_line(found.range)}. {clock[:1].upper()}{clock[1:]}.", effort(found)]
    if found.introduced and found.steps[0].change > 0:
        said.append(f"For a regression tracker: introduced: {one_line(found.introduced)}")
    return (*said, *(f"{note[:1].upper()}{note[1:]}." for note in map(one_line, found.notes)))


def steps_table(found: Bisection) -> Table:
    """Every step, largest first."""
    rows = tuple(
        cells(
            named(found, step), called(found, step.last_without), *format_numbers([step.before, step.after]),
            format_change(step.change), "-" if step.odds is None else f"{step.odds:.1%}", str(step.boots),
            ", ".join(called(found, p) for p in step.between) or "-",
            mark="regression" if step.change > 0 else "improvement",
        )
        for step in found.steps
    )  # fmt: skip
    columns = ("first with it", "last without", "before", "after", "change", "odds", "boots", "or in")
    return Table(title=f"Steps found [{one_line(found.unit)}]", columns=columns, rows=rows, numeric=(2, 3, 4, 5, 6))


def log_table(found: Bisection) -> Table:
    """Every boot in the order made, with the reason it was made for."""
    values = format_numbers([one.value for one in found.observations])
    rows = tuple(
        cells(
            str(one.number), str(one.candidate), _title(found, one.candidate), value, one.outcome, one.reason,
            mark="differs" if one.value is None else "",
        )
        for one, value in zip(found.observations, values, strict=True)
    )  # fmt: skip
    columns = ("boot", "place", "candidate", one_line(found.unit), "outcome", "asked for because")
    return Table(title=f"Every boot of {one_line(found.range)}", columns=columns, rows=rows, numeric=(0, 1, 3),
                 folded=len(rows) > 20)  # fmt: skip


def _title(found: Bisection, place: int) -> str:
    one = found.candidates[place]
    return f"{one.name[:12]} {one.title}" if found.kind == "git" else one.title


def tables(found: Bisection) -> tuple[Table, ...]:
    """The steps, then every boot, of the outer searches as well."""
    outer = tables(found.within) if found.within is not None else ()
    return (steps_table(found), log_table(found), *outer)


def skips(found: Bisection) -> tuple[str, ...]:
    """Why each skipped candidate was."""
    last = {one.candidate: one for one in found.observations if one.value is None}
    return tuple(
        f"{_title(found, place)}: {OUTCOMES[last[place].outcome]}: {one_line(last[place].detail)}"
        for place in found.skipped
    )


def path_table(found: Bisection) -> Table:
    """The candidates that were measured or skipped, in the order of the range, a line each; for a screen."""
    firsts = {step.first: f"◄ first with {format_change(step.change)}" for step in found.steps}
    values: dict[int, list[float]] = {}
    for one in found.observations:
        values.setdefault(one.candidate, []).extend([] if one.value is None else [one.value])
    places = sorted(values)
    middle = [median(values[p]) if values[p] else None for p in places]
    rows = tuple(
        cells(
            str(place), _title(found, place), text, str(len(values[place])),
            firsts.get(place, "skipped" if place in found.skipped else ""),
            mark="regression" if place in firsts else "differs" if place in found.skipped else "",
        )
        for place, text in zip(places, format_numbers(middle), strict=True)
    )  # fmt: skip
    columns = ("place", "candidate", one_line(found.unit), "boots", "")
    return Table(title="searched", columns=columns, rows=rows, numeric=(0, 2, 3))
