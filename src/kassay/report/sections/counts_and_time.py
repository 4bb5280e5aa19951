# SPDX-License-Identifier: GPL-2.0-only
"""Counts and time of the same work, and what it means that they agree or do not."""

from collections.abc import Iterator

from kassay.model.reason_texts import reason_text
from kassay.model.report import Report
from kassay.model.texts import Table, cells, cpus_text, figures, memory_text, one_line, settings_text, table
from kassay.model.timing import CountsAndTime
from kassay.model.units import format_change
from kassay.report.document import LETTER, PAGE, SCREEN, Items, Section, section
from kassay.report.mail.names import everyday_text, mail_name
from kassay.report.mail.text import interval, percent, stopped
from kassay.report.sections.brief import GROUPS, left_out, replaced_on_screen
from kassay.report.sections.predicted import checked_table
from kassay.report.series import ladders
from kassay.report.words import interval_text
from kassay.supply.clocks import clock_of

_CHECKED = "A prediction is for the CPU that it names; the measured machine need not have that one."


def counts_and_time(report: Report) -> Iterator[Section]:
    """Counts and time of the same work, and what it means that they agree or do not."""
    if not report.beside:
        return
    metrics = {f.metric for f in report.findings if f.primary}
    primary = [row for row in report.beside if row.metric in metrics]
    if primary and not replaced_on_screen(report):
        clock = primary[0].clock
        texts = tuple(_brief(row, named=bool(ladders(report))) for row in primary[:GROUPS])
        yield Section(
            title=f"counts and time (clock {clock}: {clock_of(clock).scope})",
            blocks=(Items(texts=texts), *left_out(len(primary) - GROUPS)), readers=(SCREEN,),
        )  # fmt: skip
    machine, clock = report.beside_machine, report.beside[0].clock
    under = f" under {one_line(machine.program)} on {one_line(machine.host)}" if machine else ""
    checked = checked_table(report)
    more = () if checked is None else (checked,)
    text = [f"Time was measured with clock {clock}{under}.", f"{clock_of(clock).scope.capitalize()}."]
    text += [_CHECKED] if more else []
    yield section("Counts and time", text=text, tables=(_beside_table(report), *more), readers=(PAGE,))
    if primary:
        texts = tuple(_letter_text(report, row) for row in primary)
        yield section("Instructions and time of the same work", text=texts, readers=(LETTER,))


def _brief(row: CountsAndTime, *, named: bool) -> str:
    pair = f"{row.base} to {row.head}: " if named else ""
    counted = f"instructions {format_change(row.counts_change)}"
    timed = f"time {format_change(row.time_change)} ({interval_text(row.time_interval)}; {row.time_n[0]} and"
    judged = f"{row.time_n[1]} boots; {row.time_verdict}, {row.time_evidence})"
    return f"{pair}{counted}, {timed} {judged}: {reason_text(row.meaning)}"


def _letter_text(report: Report, row: CountsAndTime) -> str:
    base, head = mail_name(report, row.base), mail_name(report, row.head)
    meaning = everyday_text(report, row.meaning)
    return (
        f"{row.metric}: between {base} and {head} the instructions change by {percent(row.counts_change)} "
        f"({row.counts_n[0]} and {row.counts_n[1]} boots), the time by {percent(row.time_change)} "
        f"({interval(row.time_interval)}; {row.time_n[0]} and {row.time_n[1]} boots, {clock_of(row.clock).where}). "
        f"{stopped(f'{meaning[:1].upper()}{meaning[1:]}')}"
    )


def _beside_table(report: Report) -> Table:
    columns = ("workload", "settings", "machine", "metric", "base", "head", *figures("instructions"), "n",
               *figures("time"), "interval of time", "n (boots)", "what that means")  # fmt: skip
    return table("Counts and time, side by side", columns, (cells(*_beside_row(row)) for row in report.beside))


def _beside_row(b: CountsAndTime) -> tuple[str, ...]:
    machine = ", ".join(text for text in (cpus_text(b.cpus), memory_text(b.memory_bytes)) if text)
    counted = f"{format_change(b.counts_change)} {b.counts_verdict}"
    timed = f"{format_change(b.time_change)} {b.time_verdict}, {b.time_evidence}"
    return (b.workload, settings_text(b.settings), machine, b.metric, b.base, b.head, counted, _pair(b.counts_n), timed,
            interval_text(b.time_interval), _pair(b.time_n), reason_text(b.meaning))  # fmt: skip


def _pair(n: tuple[int, int]) -> str:
    return str(n[0]) if n[0] == n[1] else f"{n[0]}, {n[1]}"
