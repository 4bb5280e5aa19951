# SPDX-License-Identifier: GPL-2.0-only
"""The functions that a difference is in: in sentences, in tables, and as call stacks."""

from collections.abc import Iterable, Iterator

from kassay.model.finding import REFUSED
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import cells, figures, machine_text, one_line, settings_text, table
from kassay.model.units import format_number
from kassay.report.document import PAGE, SCREEN, Section, Stacks, letter, section
from kassay.report.itemised import differences, full_table, functions_text_at, has_families, top_table, where
from kassay.report.mail.headline import changed_phase, headline
from kassay.report.mail.names import mail_name, point_text, unit_text
from kassay.report.mail.text import lettered
from kassay.report.sections.brief import FUNCTION, GROUPS, first_tables, limited
from kassay.report.series import ladders, step_pairs

_SENTENCES = 4  # on a screen
_LETTER_ROWS = 8  # functions in a mail
_INDENTED = (
    "Indented functions were inlined on one side into the function above them, are called by it on one side only, or "
    "were replaced by it."
)
_INLINED = (
    "An indented function is inlined into the one above it on one of the two kernels, called by it on one only, or "
    "replaced by it; read such a group by its sum."
)
_UNATTRIBUTED = {"unattributed": "in no known function", "total": "together"}


def sentences(report: Report) -> Iterator[Section]:
    """On a screen: in which functions each primary difference is, or why that is not known; of a ladder the steps."""
    if not report.lead.sentences:
        return
    steps = step_pairs(report)
    primary = [f for f in report.findings if f.primary and f.verdict not in REFUSED]
    shown = [f for f in primary if not ladders(report) or f.kernels in steps]
    texts = dict.fromkeys(functions_text_at(f, report) for f in shown)
    found = limited([text for text in texts if text], _SENTENCES, "differences")
    if found:
        yield section("", text=found, readers=(SCREEN,))


def functions(report: Report) -> Iterator[Section]:
    """On a screen the largest functions; a ladder has a table for every pair, which is too much for one screen. On a
    page sentences of the primary findings, then their tables; those of the other phases only in full."""
    found = differences(report)
    primary = {f.metric for f in report.findings if f.primary}
    largest = [d for d in found if d.metric in primary and not ladders(report)][:GROUPS]
    yield from first_tables(report, (top_table(d, sources=False) for d in largest), FUNCTION)
    if not report.lead.itemised:
        return
    texts = dict.fromkeys(functions_text_at(f, report) for f in report.findings if f.primary)
    items = tuple(text for text in texts if text)
    shown = [
        table for d in found for table in (*([top_table(d)] if d.metric in primary else []), full_table(d))
    ]  # fmt: skip
    text = (_INDENTED,) if any(has_families(d.itemised) for d in found) else ()
    stacks = (_stacks_text(report),) if not report.experiment.timed else ()
    if items or shown or stacks:
        yield section(
            "Where the difference is", text=(*text, *stacks), items=items, tables=shown, stacks=_stacks(report),
            readers=(PAGE,),
        )  # fmt: skip


def _stacks_text(report: Report) -> str:
    if report.stacks:
        return (
            "The call stacks stand under the tables of report.html; kassay profile DIR --export writes them as files."
        )
    if all(f.verdict in REFUSED for f in report.findings):
        return "No call stacks are shown: there is no verdict whose cost they would explain."
    return (
        "No run carries call stacks: measure with --profile stacks (under icount the default does) to see them drawn."
    )


def _stacks(report: Report) -> Iterable[Stacks]:
    """One drawing for each metric, workload, setting and machine that has call stacks."""
    stacks = ((f"{settings_text(s.settings)}, {machine_text(s.machine)}", s) for s in report.stacks)
    titled = ((one_line(f"{kernel.workload}, {kernel.metric}; {point}"), kernel) for point, kernel in stacks)
    yield from (Stacks(title=title, kernels=tuple(kernels)) for title, kernels in grouped(titled).items())


def of_headline(report: Report) -> Iterator[Section]:
    """In a mail: the largest functions of the difference that the subject names, the others, and their sum."""
    topic = headline(report)
    if topic is None or not report.lead.mail_functions:
        return
    kernels, at = topic.finding.kernels, where(topic.finding, report)
    of_kernels = [d for d in differences(report) if (d.base, d.head) == kernels]
    same = [d for d in of_kernels if report.sources or d.where == at]
    if not same:
        return
    other = changed_phase(report.findings, topic.finding)
    metric = topic.finding.metric if other is None else other.metric
    d = next((d for d in same if d.metric == metric), same[0])
    base, head = (mail_name(report, label) for label in kernels)
    digits = _three_digits if report.sources else str
    rows = (
        cells(_function(name.text, report), *(digits(cell.text) for cell in values[:3]))
        for name, *values in top_table(d, _LETTER_ROWS, sources=False).rows
    )
    columns, legend = lettered([base, head])
    small = table("", ("function", *figures(*columns, "difference")), rows)
    how = "one boot of each, every executed instruction attributed"
    how = "computed from printed shares, each figure to three digits" if report.sources else how
    point = "" if report.sources else point_text(report, topic.finding)
    about = "; ".join(
        filter(None, (point, f"phase {d.metric}" if d.metric != topic.finding.metric else "", unit_text(d.unit)))
    )
    title = f"Where the difference between {base} and {head} is ({about}, {how})"
    notes = (legend, _INLINED if has_families(d.itemised) else "")
    yield letter(title, (small,), filter(None, notes))


def _three_digits(text: str) -> str:
    """A printed figure, no more exact than the shares that it was computed from."""
    sign, bare = ("+", text[1:]) if text.startswith("+") else ("", text)
    if not bare.strip("-"):
        return text
    value = float(bare.replace(" ", "").replace(",", ""))
    return f"{sign}{format_number(float(f'{value:.3g}'))}"


def _function(text: str, report: Report) -> str:
    """Its name; without "(other)" for another tool's profile, which has no contexts."""
    name = text.removesuffix(" (other)") if report.sources else text
    return _UNATTRIBUTED.get(name, name.replace("└ ", "  "))
