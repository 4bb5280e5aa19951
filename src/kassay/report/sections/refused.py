# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons without a verdict, with the reasons and the state that differs; attempts that failed."""

from collections import Counter
from collections.abc import Iterator

from msgspec import structs

from kassay.model.finding import REFUSED, VERDICTS, Finding
from kassay.model.reason_texts import reasons_text
from kassay.model.report import Report
from kassay.model.texts import Table, cells, figures, listed, machine_text, one_line, settings_text, table
from kassay.model.units import format_number
from kassay.report.document import DOUBT, LETTER, PAGE, Block, Fact, Facts, Items, Section, filled, section
from kassay.report.mail.names import mail_name
from kassay.report.mail.text import ascii_text
from kassay.report.parted import parted_sentences
from kassay.report.sections.brief import first_rows, left_out, limited, on_screen
from kassay.report.words import cut

_REASONS, _FAILURES = 4, 5  # on a screen, at most
_LINE = 94  # columns of a failure's line on a screen, which is cut


def refused(report: Report) -> Iterator[Section]:
    """Reasons of comparisons without a verdict, with the state that differs. In a mail the boots that failed, by kernel
    and end, with one example."""
    unequal = unequal_findings(report)
    blocks: list[Block] = []
    reasons = limited(refusals(report, primary_only=True), _REASONS, "reasons")
    blocks += [Items(texts=tuple(reasons), tone=DOUBT)] if reasons else []
    for finding in unequal:
        blocks += first_rows(structs.replace(differences_table(finding), title=""), "more fields")
        parted = parted_sentences(report, finding)
        blocks += [Items(texts=parted)] if parted else []
        ran = one_sided_table(report, finding)
        blocks += first_rows(ran, "more functions") if ran is not None else []
    yield from on_screen(*blocks)
    differing = [shown for f in unequal for shown in (differences_table(f), one_sided_table(report, f)) if shown]
    items = (*refusals(report), *dict.fromkeys(text for f in unequal for text in parted_sentences(report, f)))
    yield from filled("Why there is no verdict", items=items, tables=differing, readers=(PAGE,))
    failures = report.runs.failures
    if failures:
        counts = Counter((mail_name(report, f.kernel), f.outcome) for f in failures)
        failed_boots = listed([f"{n} on {kernel} ({outcome})" for (kernel, outcome), n in sorted(counts.items())])
        example = ascii_text(failures[0].detail)
        first = f"; the first said: {example}" if example else ""
        yield section("", text=(f"Attempts that failed: {failed_boots}{first}.",), readers=(LETTER,))


def failures_brief(report: Report) -> Iterator[Block]:
    """On a screen: how many attempts failed in which way, the most frequent way first, and the first of them."""
    failures = report.runs.failures
    if failures:
        ends = sorted(Counter(f.outcome for f in failures).items(), key=lambda end: (-end[1], end[0]))
        counts = ", ".join(f"{n} {outcome}" for outcome, n in ends)
        yield Facts(rows=(Fact(name="failed", texts=(counts,)),), tone=DOUBT)
        texts = (f"{f.kernel}: {f.outcome}, {f.detail or '-'} (attempt {f.attempt})" for f in failures[:_FAILURES])
        yield Items(texts=tuple(cut(one_line(text), _LINE) for text in texts))
        yield from left_out(len(failures) - _FAILURES)


def refusals(report: Report, *, primary_only: bool = False) -> tuple[str, ...]:
    """Why comparisons have no verdict, each reason once: the phases of one run have the same reason."""
    texts = []
    for f in report.findings:
        if primary_only and f.verdict == "inconclusive" and not f.primary:
            continue
        if f.verdict in (*REFUSED, "inconclusive"):
            why = reasons_text(f.reasons) or VERDICTS[f.verdict]
            parts = (f.workload if report.overview is not None else "", f.metric if f.verdict == "inconclusive" else "")
            about = "".join(f"{word}: " for word in parts if word)
            texts.append(one_line(f"{about}{f.verdict}, {f.sides[0].kernel} against {f.sides[1].kernel}: {why}"))
    return tuple(dict.fromkeys(texts))


def unequal_findings(report: Report) -> tuple[Finding, ...]:
    """One finding for each distinct set of state differences: the phases of one run have the same set."""
    distinct = {(f.base, f.head, f.settings, f.machine, f.differences): f for f in reversed(report.findings)}
    return tuple(f for f in report.findings if f.differences and f in distinct.values())


def differences_table(finding: Finding) -> Table:
    """The audited fields that should agree and do not, side by side."""
    rows = (cells(d.field, d.moment) + cells(d.base, d.head, mark="differs") for d in finding.differences)
    kind = "Work" if all(d.moment == "during" for d in finding.differences) else "State"
    title = (
        f"{kind} that should agree and does not ({settings_text(finding.settings)}, {machine_text(finding.machine)})"
    )
    return table(title, ("field", "moment", *(one_line(side.kernel) for side in finding.sides)), rows)


def differences_letter(report: Report, finding: Finding) -> Table:
    """The same for a mail, with the names that kernels have there."""
    shown = differences_table(finding)
    return table("", (*shown.columns[:2], *(mail_name(report, label) for label in finding.kernels)), shown.rows)


def one_sided_table(report: Report, finding: Finding) -> Table | None:
    """The functions that ran on one kernel only in each phase of a refused comparison; None if there are none."""
    kernels = finding.kernels
    rows = [
        (row.value, cells(row.function, f.metric, row.kernel, format_number(row.value), format_number(row.calls)))
        for f in report.findings
        if f.point == finding.point and f.kernels == kernels
        for row in f.one_sided
    ]
    if not rows:
        return None
    ordered = (row for _, row in sorted(rows, key=lambda pair: -pair[0]))
    title = f"Functions of both kernels that ran on one only [{one_line(finding.unit)}]"
    return table(title, ("function", "phase", "ran on", *figures("value", "calls")), ordered)
