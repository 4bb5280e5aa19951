# SPDX-License-Identifier: GPL-2.0-only
"""Changed source lines that the measured part executed: sentences, and a table of all parts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from kassay.model.finding import Finding
from kassay.model.lines import (
    ABSENT,
    EXECUTED,
    NO_CODE,
    NO_CODE_REASONS,
    NOT_EXECUTED,
    ChangedLines,
    ChangedPart,
    Reached,
)
from kassay.model.report import Report
from kassay.model.texts import Table, cells, figures, listed, one_line, shortened, spans, table
from kassay.report.document import DOUBT, PAGE, Paragraph, Section, filled
from kassay.report.sections.brief import on_screen
from kassay.report.words import names_by_label

NOT_BY_THIS = "not executed by this workload"
NOT_MEASURED = "not executed in the measured part"
OUTSIDE = "executed only outside of the measured part"
WORDS = {EXECUTED: "executed", NOT_EXECUTED: "not executed", NO_CODE: "no code here"}
ABOUT = (
    "Added and changed lines are looked up in the second kernel, removed ones in the first. A line is executed if an "
    "instruction that comes from it ran in the rounds and phases that the value stands for. A count says nothing about "
    "lines that ran only elsewhere, or not at all.",
)
NO_CODE_HERE = "No changed line has code of its own in these kernels"
_NAMED = 3  # parts that a sentence names


def unexecuted(verdict: str, state: str) -> bool:
    """True if an equal cost says nothing because none of the changed lines ran. A change of cost still counts."""
    return verdict == "equivalent" and state == NOT_EXECUTED


def verdict_word(verdict: str, state: str) -> str:
    """The verdict as a table has it. state: of the changed lines; empty if it is not known or there are none."""
    return WORDS[NOT_EXECUTED] if unexecuted(verdict, state) else verdict


def state_of(f: Finding) -> str:
    """The state of a finding's changed lines; empty if it is not known or there are none."""
    return f.changed.state if f.changed is not None else ""


def with_unexecuted(report: Report) -> Report:
    """The report, whose verdict says it where none of the changed lines of a comparison ran."""
    texts = [one.text for one in _further(report, report.verdict) if one.state == NOT_EXECUTED]
    return structs.replace(report, verdict=" ".join((report.verdict, *texts))) if texts else report


class _Sentence(NamedTuple):
    text: str
    state: str
    """State of the changed lines; "" if it is not known, or only a part of them was executed."""


def further_sentences(report: Report, said: str) -> list[str]:
    """The sentences that are not in `said`; none where the question's answer names what was not executed."""
    return [one.text for one in _further(report, said)]


def _further(report: Report, said: str) -> list[_Sentence]:
    if report.lead.names_unexecuted:
        return []
    return [one for one in _sentences(report) if one.text not in said]


def changed_sentences(report: Report) -> list[str]:
    """Sentences on the changed lines that were executed, one or two for each pair of kernels.

    Settings that executed the same are named once.
    """
    return [one.text for one in _sentences(report)]


def _sentences(report: Report) -> list[_Sentence]:
    names = names_by_label(report)
    shown = [f for f in report.findings if f.primary and f.changed is not None]
    several = len({f.kernels for f in shown}) > 1
    texts = []
    for f in shown:
        base, head = (names.get(side.kernel, side.kernel) for side in f.sides)
        if text := changed_text(f.changed):
            texts.append(_Sentence(one_line(f"{base} to {head}: {text}" if several else text), _whole_state(f.changed)))
    return list(dict.fromkeys(texts))


def _whole_state(changed: ChangedLines | None) -> str:
    """The state that all changed parts with code have; "" if they have several, or if it is not known."""
    if changed is None or changed.absent:
        return ""
    partly = changed.state == EXECUTED and any(part.state == NOT_EXECUTED for part in changed.parts)
    return "" if partly else changed.state


def changed_text(changed: ChangedLines | None) -> str:
    """Sentences on changed lines; empty if there are none."""
    if changed is None:
        return ""
    if changed.absent:
        return f"Which of the changed lines were executed is not known: {ABSENT[changed.absent]}."
    idle = [part for part in changed.parts if part.state == NOT_EXECUTED]
    if changed.state == NO_CODE:
        return f"{NO_CODE_HERE} ({places_text(changed.parts)})." if changed.parts else ""
    if changed.state == NOT_EXECUTED:
        text = f"The changed lines were {_idle_text(idle, '{} ({})')}: the figures say nothing about the change."
    elif idle:
        ran = sum(part.state == EXECUTED for part in changed.parts)
        were = "was" if ran == 1 else "were"
        text = f"Of {len(changed.parts)} changed parts {ran} {were} executed; {_idle_text(idle, '{}: {}')}."
    else:
        text = f"The changed lines were executed ({places_text([p for p in changed.parts if p.state == EXECUTED])})."
    return " ".join((text, *elsewhere_sentences(changed.elsewhere)))


def _idle_text(idle: Sequence[ChangedPart], form: str) -> str:
    """Parts that were not executed in the measured part, apart by where else they ran. form: of words and places."""
    outside = [part for part in idle if part.outside or part.removed_outside]
    never = [part for part in idle if part not in outside]
    texts = ((NOT_BY_THIS, never), (OUTSIDE, outside))
    return "; ".join(form.format(words, places_text(parts)) for words, parts in texts if parts)


def places_text(parts: Sequence[ChangedPart]) -> str:
    """ "move_ptes() in mm/mremap.c, mm/mmap.c:12 and 3 more"."""
    places = list(dict.fromkeys(map(place_text, parts)))
    return listed(shortened(places, _NAMED))


def place_text(part: ChangedPart) -> str:
    """ "move_ptes() in mm/mremap.c", or "mm/mremap.c:12" outside of functions."""
    return f"{part.function}() in {part.path}" if part.function else f"{part.path}:{part.line}"


def elsewhere_sentences(functions: Iterable[Reached]) -> list[str]:
    """Workloads that execute these functions, one sentence a function."""
    return [_elsewhere(one) for one in list(functions)[:_NAMED]]


def _elsewhere(one: Reached) -> str:
    if not one.workloads:
        return f"No workload of the catalogue executed {one.function}() on {one.kernel}."
    left = one.count - len(one.workloads)
    names = listed([*one.workloads, *([f"{left} more"] if left else [])])
    return f"{one.function}() is executed by {names} (on {one.kernel})."


def changed_tables(report: Report) -> tuple[Table, ...]:
    """A table of all changed parts for each primary comparison whose sources differ."""
    shown = [f for f in report.findings if f.primary and f.changed is not None and f.changed.parts]
    return tuple(_table(report, f) for f in shown)


def _table(report: Report, f: Finding) -> Table:
    assert f.changed is not None
    rows = [
        cells(
            place_text(part), WORDS[part.state] + (f": {NO_CODE_REASONS[part.reason]}" if part.reason else ""),
            _lines(part.executed, part.removed_executed) or "-", _idle_lines(part) or "-", str(part.without_code),
            mark="" if part.state == EXECUTED else "inconclusive",
        )
        for part in f.changed.parts
    ]  # fmt: skip
    pair = " to ".join(f.kernels)
    settings = len({g.point for g in report.findings}) > 1
    where = f"; {f.workload}: {', '.join(f'{s.name}={s.value}' for s in f.settings)}" if settings else ""
    columns = ("part", "state", "lines executed", "lines not executed", *figures("lines without code"))
    return table(one_line(f"Changed lines, {pair}{where}"), columns, rows, folded=len(rows) > 20)


def _idle_lines(part: ChangedPart) -> str:
    """ "12-15; outside of the measured part 20"."""
    outside = _lines(part.outside, part.removed_outside)
    never = _lines(part.not_executed, part.removed_not_executed)
    return "; ".join(filter(None, (never, outside and f"outside of the measured part {outside}")))


def _lines(lines: Sequence[int], removed: Sequence[int]) -> str:
    """ "12-15, 20, removed 7"."""
    return ", ".join((*spans(lines), *(f"removed {text}" for text in spans(removed))))


_SENTENCES = 4  # on changed lines, on a screen


def further(report: Report) -> Iterator[Section]:
    """On a screen: what the verdict does not say of changed lines."""
    found = _further(report, report.verdict)[:_SENTENCES]
    yield from on_screen(*(Paragraph(text=one.text, tone="" if one.state == EXECUTED else DOUBT) for one in found))


def changed(report: Report) -> Iterator[Section]:
    """On a page: which changed lines were executed; without tables for an overview of many workloads."""
    shown: Sequence[Table] = changed_tables(report) if report.overview is None else ()
    items = changed_sentences(report)
    yield from filled("Changed lines", text=ABOUT, items=items, tables=shown, readers=(PAGE,))
