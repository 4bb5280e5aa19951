# SPDX-License-Identifier: GPL-2.0-only
"""Predicted time: every comparison on every CPU, then by cause and by function, which add up."""

from collections.abc import Iterator, Sequence

from kassay.model.finding import Finding
from kassay.model.prediction import CAUSES, PredictedRow, Prediction
from kassay.model.reason_texts import reason_text
from kassay.model.report import Report
from kassay.model.texts import Table, TableCell, cells, figures, one_line, table
from kassay.model.timing import CountsAndTime
from kassay.model.units import format_change
from kassay.report.columns import Column, summed
from kassay.report.document import PAGE, Section, section
from kassay.report.mail.headline import headline
from kassay.report.predictions import ABOUT, because, compared, mail_blocks, ns, prediction_blocks, shown
from kassay.report.sections.brief import on_screen
from kassay.report.words import interval_text
from kassay.supply.clocks import clock_of

_ROWS = 20
_COSTLIEST = 5
"""Functions of a table that are there for their time, if it did not change much."""


def predicted(report: Report) -> Iterator[Section]:
    """On a screen counted, predicted, why. On a page the sentences of each comparison, and every figure."""
    yield from on_screen(*prediction_blocks(report))
    about = shown(report)
    items = (
        f"{compared(f, about)}, {text}"
        for f in about for prediction in f.predictions if (text := because(f, prediction))
    )  # fmt: skip
    tables = prediction_tables(report)
    if tables:
        yield section("Predicted time", text=ABOUT, items=items, tables=tables, readers=(PAGE,))


def predicted_headline(report: Report) -> Iterator[Section]:
    """In a mail: the prediction for the comparison of the headline, or for each workload and machine."""
    topic = headline(report)
    if topic is not None:
        yield from mail_blocks(report, topic.finding)


def prediction_tables(report: Report) -> tuple[Table, ...]:
    """All comparisons on all CPUs, then of those that are shown each CPU's causes and functions, which add up."""
    every = [f for f in report.findings if f.predictions]
    if not every:
        return ()
    tables, about = [_overview(every)], shown(report)
    for f in about:
        for prediction in f.predictions:
            if prediction.base_ns is not None and prediction.rows:
                title = f"{f.metric}, {compared(f, about)} on {prediction.cpu}"
                causes = [(CAUSES.get(c.cause, c.cause), c.base_ns, c.head_ns) for c in prediction.causes]
                functions = [(one_line(r.function), r.base_ns, r.head_ns) for r in _named_first(prediction.rows)]
                tables.append(_added_up(f"{title}: by cause", "cause", causes, prediction))
                largest = f"{title}: functions of the largest change, then of the most time"
                tables.append(_added_up(largest, "function", functions, prediction, _ROWS))
    return tuple(tables)


def _named_first(rows: Sequence[PredictedRow]) -> list[PredictedRow]:
    """The rows that a table names first: those of the largest change, then those of the most time."""
    changed, rest = rows[: _ROWS - _COSTLIEST], rows[_ROWS - _COSTLIEST :]
    return [*changed, *sorted(rest, key=lambda row: -max(row.base_ns, row.head_ns))]


def _overview(findings: Sequence[Finding]) -> Table:
    numbers = figures("counted", "predicted", "interval", "base, ns", "head, ns")
    names = ("comparison", "metric", "cpu", *numbers, "from")
    lines = (
        cells(compared(f, findings), f.metric, prediction.cpu,
              format_change(f.change), format_change(prediction.change), interval_text(prediction.interval),
              ns(prediction.base_ns), ns(prediction.head_ns), _from(prediction))
        for f in findings for prediction in f.predictions
    )  # fmt: skip
    return table("Predicted time, per operation", names, lines)


def _from(prediction: Prediction) -> str:
    texts = [f"refused: {reason_text(prediction.refused)}"] if prediction.refused is not None else []
    texts += ["calibrated on this CPU" if prediction.calibrated else "not checked against measured changes"]
    return "; ".join((*texts, *map(reason_text, prediction.doubts)))


def checked_table(report: Report) -> Table | None:
    """Predictions beside the time that was then measured; None where there is no such pair, or where that time decides
    nothing, as emulated time."""
    rows = tuple(
        _checked_row(row, f, report.findings, prediction)
        for row in report.beside if clock_of(row.clock).decides and row.time_change is not None
        for f in report.findings if f.is_beside(row)
        for prediction in f.predictions if prediction.change is not None
    )  # fmt: skip
    names = ("comparison", "metric", "predicted for", *figures("predicted", "interval", "measured", "interval"), "so")
    return table("Predicted, then measured", names, rows) if rows else None


def _checked_row(
    row: CountsAndTime, f: Finding, findings: Sequence[Finding], prediction: Prediction
) -> tuple[TableCell, ...]:  # fmt: skip
    low, high = prediction.interval or (None, None)
    inside = low is not None and high is not None and row.time_change is not None and low <= row.time_change <= high
    so = "no interval was predicted" if low is None else "measured inside" if inside else "measured outside"
    pair = compared(f, findings), row.metric, prediction.cpu
    expected = format_change(prediction.change), interval_text(prediction.interval)
    return cells(*pair, *expected, format_change(row.time_change), interval_text(row.time_interval), so)


def _added_up(
    title: str, heading: str, lines: Sequence[tuple[str, float, float]], prediction: Prediction, most: int = 0
) -> Table:
    """Figures that add up as printed: what is left out is a row, and so is what rounding takes."""
    assert prediction.base_ns is not None and prediction.head_ns is not None
    top = lines[:most] if most else lines
    left = len(lines) - len(top)
    totals = (prediction.base_ns, prediction.head_ns, prediction.head_ns - prediction.base_ns)
    columns = [
        Column([(base, head, head - base)[i] for _, base, head in top], (), totals[i]) for i in range(3)
    ]  # fmt: skip
    texts, ends = summed(columns, (), f"and {left} more" if left else "")
    rows = (cells(*row) for row in zip((*(name for name, *_ in top), *ends), *texts, strict=True))
    return table(one_line(title), (heading, *figures("base, ns", "head, ns", "difference")), rows)
