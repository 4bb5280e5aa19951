# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a review."""

from collections.abc import Iterable, Iterator

from msgspec import structs

from kassay.labs.review.model import SCREENED, Cell, PatchValue, PredictedChange, Review
from kassay.labs.review.report._words import cell_text, measured, portable, screened, spans_of
from kassay.labs.review.settings import setting_text
from kassay.model.texts import Table, TableCell, cells, figures, listed, one_line, table
from kassay.model.units import format_change, format_numbers
from kassay.report.sections.changed_lines import verdict_word
from kassay.report.words import floor_text, interval_text


def settings_table(review: Review) -> Table:
    """Settings that were measured, largest loss first."""
    return _settings("Settings, largest loss first", measured(review))


def brief_table(review: Review) -> Table:
    """The primary phases of the measured settings, for a mail."""
    rows = [_brief_row(cell) for cell in measured(review) if cell.primary]
    return structs.replace(table("", ("setting", *figures("base", "series", "change"), "is"), rows), name_width=0)


def _brief_row(cell: Cell, *first: str) -> tuple[TableCell, ...]:
    """The setting with both values, behind the texts of further columns."""
    base, head = format_numbers([cell.base, cell.head])
    mark = "" if cell.verdict == "equivalent" else cell.verdict
    return cells(*first, cell_text(cell), base, head, format_change(cell.change), cell.verdict, mark=mark)


def once_table(review: Review) -> Table:
    """Settings that were run once on each kernel."""
    return structs.replace(_settings("Run once on each kernel, no verdict", screened(review)), folded=True)


def _settings(title: str, rows: Iterable[Cell]) -> Table:
    columns = ("setting", "unit", *figures("base", "head", "change"), "is", *figures("floor", "n"))
    return table(title, columns, (_row(cell) for cell in rows))


def _row(cell: Cell) -> tuple[TableCell, ...]:
    base, head = format_numbers([cell.base, cell.head])
    word = "" if cell.verdict == SCREENED else cell.verdict
    word += " (lines not executed)" if cell.executes is False and cell.verdict in ("equivalent", SCREENED) else ""
    mark = "" if cell.verdict in ("equivalent", SCREENED) else cell.verdict
    return cells(
        cell_text(cell), cell.unit, base, head, format_change(cell.change), word.strip(),
        floor_text(cell.floor), f"{cell.n_base}+{cell.n_head}", mark=mark,
    )  # fmt: skip


def functions_table(review: Review) -> Table:
    """Changed functions, those that never ran first."""
    rows = (
        cells(
            f.function or "(outside of functions)", f.path, f.state.replace("-", " "),
            spans_of(f.added_executed, f.removed_executed) or "-",
            spans_of(f.added_not_executed, f.removed_not_executed) or "-",
            str(f.cells), listed([str(n) for n in f.patches]),
            mark="inconclusive" if f.state == "not-executed" else "",
        )
        for f in review.functions
    )  # fmt: skip
    columns = ("function", "file", "changed lines", "executed", "not executed", *figures("settings"), "patch")
    return table("Changed functions", columns, rows)


def step_tables(review: Review) -> Iterator[Table]:
    """The rows of the series in each setting."""
    for step in review.steps:
        texts = format_numbers([value.value for value in step.values])
        rows = (
            cells(value.row, text, format_change(value.change) if value.verdict else "", step_word(value),
                  mark="" if value.verdict in ("", "equivalent") else value.verdict)
            for value, text in zip(step.values, texts, strict=True)
        )  # fmt: skip
        title = f"{setting_text(step.workload, step.settings)} [{one_line(step.unit)}]"
        yield table(title, ("row", *figures("value", "step"), "step is"), rows)


def step_word(value: PatchValue) -> str:
    """The verdict of one row. An equal cost of lines that did not run is not called equivalent."""
    word = verdict_word(value.verdict, value.changed)
    return "below the margin" if word == "equivalent" and value.change else word


def corners_table(review: Review) -> Table:
    """The largest gain and loss with other compilers, configurations and architectures."""
    rows = []
    for corner in review.corners:
        if corner.same_image:
            rows.append(cells(corner.name, "", "", "", "", "same image"))
        elif corner.same_as:
            rows.append(cells(corner.name, f"the kernels of {corner.same_as}", "", "", "", "not measured"))
        elif corner.problem:
            rows.append(cells(corner.name, one_line(corner.problem), "", "", "", "not measured", mark="inconclusive"))
        rows += [_brief_row(cell, corner.name) for cell in corner.cells]
    columns = ("corner", "setting", *figures("base", "head", "change"), "is")
    return structs.replace(table("Corners", columns, rows), name_width=0)


def previous_table(review: Review) -> Table | None:
    """This version against the earlier one; None if nothing was measured."""
    if review.previous is None or not review.previous.cells:
        return None
    cells_by_change = sorted(review.previous.cells, key=lambda cell: -(cell.change or 0.0))
    columns = ("setting", *figures("earlier version", "this version", "change"), "is")
    return table("Against the earlier version", columns, (_brief_row(cell) for cell in cells_by_change if cell.primary))


def predicted_table(review: Review) -> Table | None:
    """Predicted change in time of the measured settings, a column for each CPU; None without predictions."""
    rows = [cell for cell in measured(review) if cell.primary and cell.predicted]
    if not rows:
        return None
    cpus = [one.cpu for one in rows[0].predicted]
    texts = (
        cells(cell_text(cell), format_change(cell.change), *(_predicted(one) for one in cell.predicted))
        for cell in rows
    )  # fmt: skip
    return table("Predicted change in time, by a model of the CPU", ("setting", *figures("counted", *cpus)), texts)


def _predicted(one: PredictedChange) -> str:
    if one.change is None:
        return "refused"
    return f"{format_change(one.change)} ({interval_text(one.interval)})" if one.interval else format_change(one.change)


def claims_table(review: Review) -> Table:
    """Figures of the text that was checked."""
    rows = (
        cells(str(claim.line), claim.figure, claim.outcome.replace("-", " "), claim.detail,
              mark="" if claim.outcome in ("reproduced", "not-measurable", "not-understood") else "inconclusive")
        for claim in review.claims or ()
    )  # fmt: skip
    return structs.replace(
        table("Claims", (*figures("line"), "figure", "outcome", "detail"), rows), name_width=0
    )  # fmt: skip


def tries_table(review: Review) -> Table:
    """Sources that the series was held against."""
    rows = (cells(t.how, portable(t.what), t.outcome.replace("-", " "), t.detail) for t in review.tries)
    return table("Base", ("why", "source", "outcome", "detail"), rows)
