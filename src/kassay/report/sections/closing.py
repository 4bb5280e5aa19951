# SPDX-License-Identifier: GPL-2.0-only
"""The end of a report: its limits, further commands, the ends of its runs, every finding, the glossary."""

from collections.abc import Iterator

from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.reason_texts import reason_text, reasons_text
from kassay.model.report import Report
from kassay.model.run import OUTCOMES
from kassay.model.texts import Table, TableCell, cells, figures, machine_text, one_line, settings_text, table
from kassay.model.units import format_bytes, format_change, format_numbers
from kassay.report.document import LETTER, PAGE, Paragraph, Section, filled, section
from kassay.report.mail.headline import headline
from kassay.report.mail.names import everyday_sentence, everyday_text, mail_names
from kassay.report.mail.text import sentence, stopped
from kassay.report.sections.brief import on_screen
from kassay.report.sections.changed_lines import state_of, verdict_word
from kassay.report.sections.kernel_share import program_groups
from kassay.report.words import floor_text, glossary, interval_text, outcomes_text

_SHOWN = (
    "host-dependent", "deferred-work", "deferred-not-followed", "idle-counted", "compiled-differently",
    "compiled-the-same",
)  # fmt: skip
_ALONE = "The program does nothing but this; what an application notices of it is another question."
_UNSEARCHED = "Which commit did it is not known: nothing was bisected."


def limits(report: Report) -> Iterator[Section]:
    """How far the claim reaches. On a screen only deferred work, idle time and code that a configuration changed; in a
    mail in everyday words, with the two limits that every such mail has."""
    shown = (one_line(reason_text(reason)) for reason in report.disclosures if reason.code in _SHOWN)
    yield from on_screen(*(Paragraph(text=text) for text in shown))
    told = (one_line(reason_text(reason)) for reason in report.disclosures)
    text = filter(None, (one_line(report.scope),))
    yield section("How far this claim reaches", text=text, items=told, readers=(PAGE,))
    # "Kernel command line" has the parameters of all kernels. One that a single kernel has may cause the change.
    alike = len({use.cmdline for use in report.experiment.kernels}) == 1
    told_below = ("command-line", "own-parameters") if alike else ("command-line",)
    items = [everyday_sentence(report, reason) for reason in report.disclosures if reason.code not in told_below]
    topic = headline(report)
    if report.sources:
        state = stopped(everyday_text(report, report.state))
        items = [f"The state of memory on which the kernels worked is {state}", _UNSEARCHED]
    elif topic is not None:
        items += [] if program_groups(report) else [_ALONE]
        if topic.finding.verdict not in (*REFUSED, "inconclusive", "equivalent"):
            items += (_UNSEARCHED,) if report.lead.mail_open is None else report.lead.mail_open
    yield from filled("What this does not show", items=items, readers=(LETTER,))


def origin(report: Report) -> Iterator[Section]:
    """In a mail: imported files with their sums, what one value stands for, and what was noted while reading."""
    if report.sources:
        files = [f"{source.name} ({source.format}, sha256 {source.sha256[:16]})." for source in report.sources]
        notes = [
            _note(report, everyday_text(report, reason)) for reason in report.disclosures if reason.code != "read-from"
        ]
        yield section("Where the figures come from", items=(*files, *notes), readers=(LETTER,))


def _note(report: Report, text: str) -> str:
    """A sentence; the name of a kernel that it begins with stays as it is."""
    begins = any(text.startswith(f"{name} ") for name in mail_names(report).values())
    return stopped(text) if begins else sentence(text)


def next_steps(report: Report) -> Iterator[Section]:
    """On a page: what to run next."""
    yield from filled("What to run next", items=map(one_line, report.next_steps), readers=(PAGE,))


def runs(report: Report) -> Iterator[Section]:
    """On a page: how many runs there were, how they ended, how long they took."""
    e, wall = report.experiment, report.wall
    shape = (
        f"{e.repeats} plain and {e.perturb} perturbed runs a kernel and cell, {e.rounds} rounds a run, "
        f"{e.order} order, seed {e.seed}, margin {e.margin:g}, "
        f"memory {', '.join(format_bytes(m) for m in e.memory_bytes)}."
    )
    times = (
        f"Median wall time of an ok run: boot {wall.boot_s:.2f} s, quiescence {wall.quiescence_s:.2f} s, "
        f"workload {wall.workload_s:.2f} s, shutdown {wall.shutdown_s:.2f} s; for planning, not a result."
    )
    text = (f"{outcomes_text(report)}.", shape, *((times,) if report.runs.ok else ()))
    failures = (_failures_table(report),) if report.runs.failures else ()
    yield section("Runs", text=text, tables=failures, readers=(PAGE,))


def _failures_table(report: Report) -> Table:
    rows = (
        cells(f.kernel, f.outcome, OUTCOMES.get(f.outcome, "-"), f.detail or "-", f.run, str(f.attempt), f.cell)
        for f in report.runs.failures
    )
    columns = ("kernel", "outcome", "meaning", "detail", "run", *figures("attempt"), "cell")
    return table("Failed attempts", columns, rows)


def all_findings(report: Report) -> Iterator[Section]:
    """On a page: every comparison."""
    yield from filled("All findings", tables=(_findings_table(report),) if report.findings else (), readers=(PAGE,))


def _findings_table(report: Report) -> Table:
    """Every comparison that was made, refused ones included."""
    columns = (
        "workload", "settings", "machine", "metric", "unit", "base", "head",
        *figures("base value", "head value", "change", "interval", "n base", "n head"),
        "verdict", "evidence", "floor", "reasons",
    )  # fmt: skip
    return table("All findings", columns, map(_finding_row, report.findings), folded=True)


def _finding_row(f: Finding) -> tuple[TableCell, ...]:
    base, head = format_numbers([f.base_value, f.head_value])
    mark = "" if f.verdict == "equivalent" else f.verdict
    subject = (f.workload, settings_text(f.settings), machine_text(f.machine), f.metric, f.unit)
    values = (base, head, format_change(f.change), interval_text(f.interval), *map(_n_text, f.sides))
    judged = cells(f.evidence or "-", floor_text(f.floor), reasons_text(f.reasons) or "-")
    return cells(*subject, *f.kernels, *values) + cells(verdict_word(f.verdict, state_of(f)), mark=mark) + judged


def _n_text(side: Side) -> str:
    """Plain runs behind a value; "-" for a value that comes without them, as a mean in somebody else's file does."""
    return "-" if side.value is not None and not side.runs else str(len(side.runs))


def words(report: Report) -> Iterator[Section]:
    """On a page: every technical term that it uses."""
    shown = table("Words", ("word", "meaning"), (cells(*pair) for pair in glossary(report)))
    yield section("Words", tables=(shown,), readers=(PAGE,))
