# SPDX-License-Identifier: GPL-2.0-only
"""Further observations of the same runs: hosts, kernel shares, calls, printed figures, time, counters, lines."""

from collections.abc import Iterator, Sequence

from msgspec import structs

from kassay.clocks import clock_of
from kassay.model.reason_texts import reason_text
from kassay.model.report import Lead, Report
from kassay.model.texts import (
    Table,
    cells,
    cpus_text,
    figures,
    memory_text,
    one_line,
    settings_text,
    table,
)
from kassay.model.timing import Beside
from kassay.model.units import format_change
from kassay.report import changed_lines, hosts, kernel_share
from kassay.report.calls import calls_tables
from kassay.report.counters import contention_tables, counters_tables, levels_tables
from kassay.report.document import DOUBT, LETTER, PAGE, SCREEN, Items, Paragraph, Section, filled, section
from kassay.report.mail.names import everyday_text, mail_name, mail_names
from kassay.report.mail.text import interval, percent, stopped
from kassay.report.printed import printed_tables
from kassay.report.sections.brief import FUNCTION, GROUPS, NAME, first_tables, left_out
from kassay.report.sections.predicted import checked_table
from kassay.report.series import ladders
from kassay.report.words import interval_text, names_by_label

_SENTENCES = 4  # on changed lines, on a screen
_LETTER_PROGRAMS = 4
_CALLS = (
    "What the kernel executes for one call or fault of the program, with all that it calls, and the faults inside of "
    "a call. It does not depend on how many calls there were, if each does the same.",
)
_PRINTED = (
    "The program's own figures; kassay judges what it counted. Clocks that a program reads are the guest's: under "
    "exact counts a nanosecond is an instruction, so a time is no wall time.",
)
_COUNTERS = (
    "Events that the kernels counted themselves while the primary metric was measured, divided by its operations. "
    "Counters of the whole region include what the audit itself did beside it. Levels are the mean of the boots.",
)
_CHECKED = "A prediction is for the CPU that it names; the measured machine need not have that one."


def replaced_on_screen(report: Report) -> bool:
    """True if the question shows something on a screen in place of the comparisons."""
    return "screen" in (report.lead or Lead()).replaces


def times_by_host(report: Report) -> Iterator[Section]:
    """Each host's own values, and whether the hosts differ."""
    name_of, compared = names_by_label(report), report.across_hosts
    across = tuple(hosts.across_table(one, name_of) for one in compared)
    if not replaced_on_screen(report):
        tones = (DOUBT if one.meaning.code == "hosts-differ" else "" for one in compared)
        meanings = [
            Paragraph(text=reason_text(one.meaning, name_of), tone=tone)
            for one, tone in zip(compared, tones, strict=True)
        ]
        yield from first_tables(across, NAME, "more comparisons host by host", meanings)
    if report.hosts:
        text = (hosts.ABOUT, hosts.level_text(compared)) if compared else (hosts.OF_COUNTS,)
        yield section(
            "Which host measured what", text=text,
            items=(hosts.across_sentence(one, name_of) for one in compared),
            tables=(hosts.hosts_table(report.hosts), *across), readers=(PAGE,),
        )  # fmt: skip


def shares(report: Report) -> Iterator[Section]:
    """How much of what was executed is the kernel's, and for whom; a page of an overview has a table of its own."""
    programs = kernel_share.program_groups(report)
    if not replaced_on_screen(report):
        yield from first_tables(map(kernel_share.entries_table, programs))
    mixed = () if report.overview is not None else kernel_share.mixed_groups(report)
    yield from filled(
        "Whose instructions", text=kernel_share.kinds_text(),
        items=(kernel_share.share_sentence(share) for group in mixed for share in group),
        tables=(
            table for group in mixed
            for table in (kernel_share.entries_table(group, limit=0), kernel_share.functions_table(group))
        ),
        readers=(PAGE,),
    )  # fmt: skip
    name_of = mail_names(report)
    ends = (
        " ".join(kernel_share.share_sentence(share, name=name_of[share.label]) for share in (group[0], group[-1]))
        for group in programs[:_LETTER_PROGRAMS]
    )
    yield section("", text=ends, readers=(LETTER,))


def calls(report: Report) -> Iterator[Section]:
    """The cost of one call. A screen has it only where the amounts of work differ and nothing else can be reported."""
    refused = tuple(f for f in report.findings if f.verdict == "different-work")
    if not replaced_on_screen(report):
        yield from first_tables(calls_tables(structs.replace(report, findings=refused)))
    yield from filled("What one call costs", text=_CALLS, tables=calls_tables(report), readers=(PAGE,))


def printed(report: Report) -> Iterator[Section]:
    """Figures that the user's program printed."""
    shown = printed_tables(report)
    if not replaced_on_screen(report):
        yield from first_tables(shown)
    yield from filled("What the program printed", text=_PRINTED, tables=shown, readers=(PAGE,))


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


def _brief(row: Beside, *, named: bool) -> str:
    pair = f"{row.base} to {row.head}: " if named else ""
    counted = f"instructions {format_change(row.counts_change)}"
    timed = f"time {format_change(row.time_change)} ({interval_text(row.time_interval)}; {row.time_n[0]} and"
    judged = f"{row.time_n[1]} boots; {row.time_verdict}, {row.time_evidence})"
    return f"{pair}{counted}, {timed} {judged}: {reason_text(row.meaning)}"


def _letter_text(report: Report, row: Beside) -> str:
    base, head = mail_name(report, row.base), mail_name(report, row.head)
    meaning = everyday_text(report, row.meaning)
    return (
        f"{row.metric}: between {base} and {head} the instructions change by {percent(row.counts_change)} "
        f"({row.counts_n[0]} and {row.counts_n[1]} boots), the time by {percent(row.time_change)} "
        f"({interval(row.time_interval)}; {row.time_n[0]} and {row.time_n[1]} boots, {clock_of(row.clock).where}). "
        f"{stopped(f'{meaning[:1].upper()}{meaning[1:]}')}"
    )


def _beside_table(report: Report) -> Table:
    """Counts and times of the same comparisons."""
    columns = ("workload", "settings", "machine", "metric", "base", "head", *figures("instructions"), "n",
               *figures("time"), "interval of time", "n (boots)", "what that means")  # fmt: skip
    return table("Counts and time, side by side", columns, (cells(*_beside_row(row)) for row in report.beside))


def _beside_row(b: Beside) -> tuple[str, ...]:
    machine = ", ".join(text for text in (cpus_text(b.cpus), memory_text(b.memory_bytes)) if text)
    counted = f"{format_change(b.counts_change)} {b.counts_verdict}"
    timed = f"{format_change(b.time_change)} {b.time_verdict}, {b.time_evidence}"
    return (b.workload, settings_text(b.settings), machine, b.metric, b.base, b.head, counted, _pair(b.counts_n), timed,
            interval_text(b.time_interval), _pair(b.time_n), reason_text(b.meaning))  # fmt: skip


def _pair(n: tuple[int, int]) -> str:
    return str(n[0]) if n[0] == n[1] else f"{n[0]}, {n[1]}"


def contention(report: Report) -> Iterator[Section]:
    """On a screen: what several CPUs asked of each other; of a ladder it is too much for one screen."""
    if not replaced_on_screen(report) and not ladders(report):
        tables = contention_tables(report)[:GROUPS]
        narrow = [structs.replace(t, columns=t.columns[:3], rows=tuple(row[:3] for row in t.rows)) for t in tables]
        yield from first_tables(narrow, FUNCTION)


def counters(report: Report) -> Iterator[Section]:
    """On a page: the kernels' own counters. Of many workloads, a table for each would fill most of the page."""
    if report.overview is None:
        counted = (*contention_tables(report), *counters_tables(report), *levels_tables(report))
        yield from filled("What the kernels counted", text=_COUNTERS, tables=counted, readers=(PAGE,))


def unexecuted(report: Report) -> Iterator[Section]:
    """On a screen: what the verdict does not say of changed lines."""
    texts = changed_lines.further_sentences(report, report.verdict)[:_SENTENCES]
    blocks = tuple(Paragraph(text=text, tone=DOUBT) for text in texts)
    if blocks:
        yield Section(blocks=blocks, readers=(SCREEN,))


def changed(report: Report) -> Iterator[Section]:
    """On a page: which changed lines were executed; without tables for an overview of many workloads."""
    shown: Sequence[Table] = changed_lines.changed_tables(report) if report.overview is None else ()
    items = changed_lines.changed_sentences(report)
    yield from filled("Changed lines", text=changed_lines.ABOUT, items=items, tables=shown, readers=(PAGE,))
