# SPDX-License-Identifier: GPL-2.0-only
"""The document of `kassay predict --without`."""

from collections.abc import Iterator
from math import fsum

from kassay.labs.predict.asked import kernel_at, name_of
from kassay.labs.predict.without_model import Without, WithoutReport
from kassay.model.texts import Table, cells, figures, one_line, table
from kassay.model.units import format_change, format_number, format_numbers
from kassay.report.answers import Kind
from kassay.report.document import VERDICT, Document, Items, Paragraph, Section, section_of_table

_TOP = 10
_SMALLEST = 0.001
"""Share of the whole time from which on a function has a row."""
_ASSUMED = (
    "The trace is replayed as it was recorded, without these instructions. They take no time, make no access to "
    "memory, and are predicted by no branch predictor. All others run as before.",
    "What needs a value that a removed instruction made finds its inputs ready. A patch that computes the value in "
    "another way gains less than is shown here.",
    "Calls and returns stay, so a removed function is an empty one. Functions that it called stay as well.",
    "Gained: the time that goes away in this row. A function's own time need not go away with it, because the CPU "
    "worked on others meanwhile, and other rows change for the same reason.",
)
_REPLACED = (
    "An instruction with another cost has the operations, latency and ports of the other one with the same operands. "
    "It accesses the same memory, but not atomically, and no instruction depends on another value than before."
)


def document(report: WithoutReport) -> Document:
    """The gain on each CPU, then by function."""
    return Document(
        title=one_line(report.removal.text), kicker="kassay predict", kassay_version=report.kassay_version,
        width=120, level=3,
        blocks=(
            *(Paragraph(text=_sentence(answer, report), tone=VERDICT) for answer in report.answers),
            section_of_table(_overview(report)),
            *(section_of_table(_functions(answer, report)) for answer in report.answers if answer.changes),
            Section(title="How to read this", blocks=(Items(texts=tuple(_notes(report))),)),
        ),
    )  # fmt: skip


def _sentence(answer: Without, report: WithoutReport) -> str:
    at = f"{name_of(answer, report.answers)}:"
    if answer.now_ns is None or answer.without_ns is None:
        return one_line(f"{at} no prediction: {answer.problem}.")
    if not answer.changes:
        return one_line(f"{at} executes none of them{report.removal.if_replaced}.")
    now, then, gain = format_numbers([answer.now_ns, answer.without_ns, answer.now_ns - answer.without_ns])
    change = format_change(answer.without_ns / answer.now_ns - 1 if answer.now_ns else None)
    if answer.interval:
        change += f", between {' and '.join(map(format_change, answer.interval))}"
    return one_line(f"{at} {now} to {then} ns/{answer.operation}, {gain} ns gained ({change}).")


def _overview(report: WithoutReport) -> Table:
    columns = ("kernel", "CPU", *figures("ns", "then", "change", "interval", "instructions", "removed"))
    rows = [
        cells(
            kernel_at(answer, report.answers), answer.cpu,
            *format_numbers([answer.now_ns, answer.without_ns]),
            format_change(answer.without_ns / answer.now_ns - 1),
            " to ".join(map(format_change, answer.interval)) if answer.interval else "-",
            *format_numbers([answer.instructions, answer.removed]),
        )
        for answer in report.answers if answer.now_ns and answer.without_ns is not None
    ]  # fmt: skip
    return table("Time and instructions, per operation", columns, rows)


def _functions(answer: Without, report: WithoutReport) -> Table:
    total = answer.now_ns or 0.0
    large = [row for row in answer.rows if abs(row.now_ns - row.without_ns) >= _SMALLEST * total or row.removed]
    shown = large[:_TOP]
    others = [row for row in answer.rows if row not in shown]
    lines: list[tuple[str, float, float, float]] = [
        (row.function, row.now_ns, row.without_ns, row.removed) for row in shown
    ]
    if others:
        now, then, removed = (
            fsum(getattr(row, name) for row in others) for name in ("now_ns", "without_ns", "removed")
        )
        lines.append((f"{len(others)} more functions", now, then, removed))
    lines += [("total", total, answer.without_ns or 0.0, answer.removed)]
    rows = [
        cells(name, *format_numbers([now, then, now - then]), format_number(removed))
        for name, now, then, removed in lines
    ]
    columns = ("function", *figures("now", "then", "gained", "instructions removed"))
    return table(one_line(f"{name_of(answer, report.answers)} [ns/{answer.operation}]"), columns, rows)


def _notes(report: WithoutReport) -> Iterator[str]:
    removal = report.removal
    yield from _ASSUMED if removal.functions or removal.mnemonics else _ASSUMED[-1:]
    if removal.replaced:
        yield _REPLACED
    yield from dict.fromkeys(f"{answer.cpu}: {doubt}." for answer in report.answers for doubt in answer.doubts)
    yield from dict.fromkeys(f"{answer.cpu}: no interval: {answer.doubt}." for answer in report.answers if answer.doubt)
    rough = dict.fromkeys(answer.cpu for answer in report.answers if not answer.calibrated)
    if rough:
        yield f"{', '.join(rough)}: nobody has checked such predictions against measured changes yet."


WITHOUT = Kind(document=document)
