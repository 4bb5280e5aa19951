# SPDX-License-Identifier: GPL-2.0-only
"""The document of `kassay ci`, and its summary."""

from collections.abc import Iterator

from msgspec import structs

from kassay.labs.review.gate_model import EQUAL, NOT_MEASURED, Gate, GateCell
from kassay.labs.review.report._words import above_floor, cell_text, portable
from kassay.model.finding import REFUSED
from kassay.model.texts import Table, TableCell, cells, counted, figures, listed, one_line, shortened, table
from kassay.model.units import format_change, format_numbers
from kassay.report.document import (
    DOUBT,
    QUIET,
    VERDICT,
    Block,
    Code,
    Document,
    Items,
    Paragraph,
    Section,
    section_of_table,
)
from kassay.report.words import floor_text

_WHERE = 3
_WHERE_WIDTH = 120
"""Characters on functions in a row of a summary."""
SUMMARY = 4096
"""Bytes of a summary: what a reader of a merge request sees at once."""


def document(gate: Gate) -> Document:
    """The answer as blocks."""
    return Document(
        title=f"{gate.base_name} to {gate.head_name}: {headline(gate)}", kicker="kassay ci",
        kassay_version=gate.kassay_version, width=120, level=3, blocks=tuple(_blocks(gate)),
    )  # fmt: skip


def headline(gate: Gate) -> str:
    """The verdict in a few words."""
    if gate.same_image:
        return "the same kernel, byte for byte"
    below = sum(map(costs_more_below, gate.cells))
    more = f"; {below} cost more below it" if below else ""
    if gate.over:
        return f"{counted(len(gate.over), 'phase')} over the limit{more}"
    if texts := _without_verdict(gate, is_allowed=False):
        return f"not decided: {listed(texts)}"
    if texts := _without_verdict(gate, is_allowed=True):
        more += f"; without a verdict, as allowed: {listed(texts)}"
    return f"nothing over the limit{more}"


def _without_verdict(gate: Gate, *, is_allowed: bool) -> list[str]:
    """Numbers of phases and settings without a verdict, by reason. is_allowed: of workloads that may have none."""
    verdicts = [row.cell.verdict for row in gate.cells if (row.cell.workload in gate.allowed) == is_allowed]
    failed, left = ([one for one in rows if (one.workload in gate.allowed) == is_allowed]
                    for rows in (gate.failed, gate.left))  # fmt: skip
    refused = sum(word in REFUSED for word in verdicts)
    inconclusive = verdicts.count("inconclusive")
    unmeasured = 0 if left else verdicts.count(NOT_MEASURED)
    nothing = not gate.cells and not failed and not left and not is_allowed
    return [
        *([f"{counted(len(failed), 'setting')} failed on head only"] if failed else []),
        *([f"{counted(refused, 'phase')} refused"] if refused else []),
        *([f"{counted(inconclusive, 'phase')} inconclusive"] if inconclusive else []),
        *([f"{counted(len(left), 'setting')} not measured"] if left else []),
        *([f"{counted(unmeasured, 'phase')} not measured"] if unmeasured else []),
        *(["no phase ran on both kernels"] if nothing else []),
    ]


def costs_more_below(row: GateCell) -> bool:
    """True if a phase costs more than on base for certain, and no limit is passed or was needed for that."""
    small = row.cell.verdict == "equivalent" and above_floor(row.cell)
    large = row.cell.verdict == "regression" and not row.over and not row.accepted
    return (small or large) and (row.cell.change or 0.0) > 0


def limits_text(gate: Gate) -> str:
    """Changes of the range to its own limits in words; empty if there are none."""
    if not gate.limits_added and not gate.limits_removed:
        return ""
    counts = [f"{sign}{len(rows)} accepted" for sign, rows in (("+", gate.limits_added), ("-", gate.limits_removed))
              if rows]  # fmt: skip
    names = [f"{one.workload} {one.setting} {one.phase}".strip() + f" up to {one.limit * 100:g} %"
             for one in gate.limits_added]  # fmt: skip
    added = f" ({listed(shortened([' '.join(name.split()) for name in names], _WHERE))})" if names else ""
    return one_line(f"This range changes .kassay/limits.toml: {', '.join(counts)}{added}.")


def _blocks(gate: Gate) -> Iterator[Block]:
    if text := limits_text(gate):
        yield Paragraph(text=text, tone=DOUBT)
    yield Paragraph(text=counts_text(gate), tone=VERDICT)
    shown = shown_rows(gate)
    if shown:
        yield section_of_table(_table(shown))
        where = [f"{cell_text(row.cell)}: {row.cell.where}" for row in shown[:_WHERE] if row.cell.where]
        if where:
            yield Section(title="In which functions", blocks=(Items(texts=tuple(where)),))
        meaning = tuple(one_line(f"{cell_text(row.cell)}: {row.cell.subject}") for row in gate.over[:_WHERE])
        if meaning:
            yield Section(title="What the cells stand for", blocks=(Items(texts=meaning),))
    if texts := accepted_texts(gate):
        yield Section(title="Accepted by the file of limits", blocks=(Items(texts=texts, tone=DOUBT),))
    yield from _rows_without_verdict(gate)
    if gate.unused:
        texts = tuple(f"{limit.workload} {limit.setting} {limit.phase}: {limit.reason}" for limit in gate.unused)
        yield Section(title="Limits that decided nothing", blocks=(Items(texts=texts, tone=QUIET),))
    yield Paragraph(text=conditions(gate), tone=QUIET)
    yield Section(title="The same again", blocks=(Code(text=gate.command, breaks="shell"),))


def _rows_without_verdict(gate: Gate) -> Iterator[Block]:
    refused, inconclusive = ([f"{cell_text(row.cell)}: {row.cell.reason or row.cell.verdict}" for row in rows]
                             for rows in (_refused(gate), _inconclusive(gate)))  # fmt: skip
    for title, texts in (
        ("Refused", refused),
        ("Not decided", inconclusive),
        ("Fails on head only", [f"{one.what}: {one.why}" for one in gate.failed]),
        ("Not measured", [f"{one.what}: {one.why}" for one in gate.left]),
        ("Not possible on this kernel", [f"{one.what}: {one.why}" for one in gate.impossible]),
    ):
        if texts:
            yield Section(title=title, blocks=(Items(texts=tuple(map(one_line, texts)), tone=DOUBT),))


def _refused(gate: Gate) -> list[GateCell]:
    return [row for row in gate.cells if row.cell.verdict in REFUSED]


def _inconclusive(gate: Gate) -> list[GateCell]:
    return [row for row in gate.cells if row.cell.verdict == "inconclusive"]


def accepted_texts(gate: Gate) -> tuple[str, ...]:
    """Phases that cost more and pass by an entry of the file of limits, with its reason."""
    return tuple(
        one_line(f"{cell_text(row.cell)} {format_change(row.cell.change)}: {row.accepted}")
        for row in gate.cells
        if row.accepted and not row.over and row.cell.verdict == "regression"
    )


def counts_text(gate: Gate) -> str:
    """Numbers of cells by what became of them."""
    if gate.same_image:
        return "The change gives the same image, byte for byte, so no workload can notice it."
    number = {word: sum(row.cell.verdict == word for row in gate.cells) for word in
              (EQUAL, "equivalent", "improvement", "inconclusive", NOT_MEASURED)}  # fmt: skip
    refused = sum(row.cell.verdict in REFUSED for row in gate.cells)
    accepted, below = len(accepted_texts(gate)), sum(map(costs_more_below, gate.cells))
    small = [row.cell for row in gate.cells if row.cell.verdict == "equivalent"]
    less = sum(above_floor(cell) and (cell.change or 0.0) < 0 for cell in small) + number["improvement"]
    within = sum(not above_floor(cell) for cell in small)
    parts = [
        f"{number[EQUAL]} equal to the digit",
        *([f"{within} within the noise floor"] if within else []),
        *([f"{less} cost less"] if less else []),
        f"{len(gate.over)} over the limit",
        f"{below} cost more below it",
        *([f"{accepted} accepted"] if accepted else []),
        *([f"{number['inconclusive']} not decided"] if number["inconclusive"] else []),
        *([f"{number[NOT_MEASURED]} differ and were not measured"] if number[NOT_MEASURED] else []),
        f"{refused} refused",
    ]
    return f"{counted(len(gate.cells), 'phase')} of suite {gate.suite} ran on both kernels: {listed(parts)}."


def shown_rows(gate: Gate) -> tuple[GateCell, ...]:
    """Phases that changed, largest loss first."""
    changed = ("regression", "improvement", "inconclusive")
    rows = [row for row in gate.cells if row.cell.verdict in changed or costs_more_below(row)]
    return tuple(sorted(rows, key=lambda row: (not row.over, -(row.cell.change or 0.0))))


def _table(rows: tuple[GateCell, ...]) -> Table:
    columns = ("cell", "unit", *figures("base", "head", "change"), "is", *figures("limit", "floor", "n"))
    return structs.replace(table("Changed", columns, (_row(row) for row in rows)), name_width=0)


def _row(row: GateCell) -> tuple[TableCell, ...]:
    cell = row.cell
    base, head = format_numbers([cell.base, cell.head])
    accepted = row.accepted and cell.verdict == "regression"
    word = "over the limit" if row.over else "accepted" if accepted else "below the limit" * costs_more_below(row)
    mark = "regression" if row.over else "improvement" if cell.verdict == "improvement" else ""
    return cells(
        cell_text(cell), cell.unit, base, head, format_change(cell.change), word or cell.verdict,
        f"{row.limit * 100:g} %", floor_text(cell.floor), f"{cell.n_base}+{cell.n_head}", mark=mark,
    )  # fmt: skip


def conditions(gate: Gate) -> str:
    """Compiler, configuration, machine and emulator of the figures."""
    side = gate.base
    parts = [f"Linux {side.release}", side.compiler, f"{side.config} configuration", gate.machine, gate.emulator]
    text = ", ".join(filter(None, parts))
    return f"{text}. Counts of instructions are exact and are not time. n: plain runs of base + head."


def summary(gate: Gate) -> str:
    """The answer in markdown, at most SUMMARY bytes: counts, the largest changes, and how to repeat it."""
    rows = shown_rows(gate)
    changes = [limits_text(gate), ""] if limits_text(gate) else []
    head = [f"### kassay: {headline(gate)}", "", *changes, counts_text(gate), ""]
    tail = [*_summary_rows(gate), "", f"{conditions(gate)}", "", f"Repeat: `{portable(gate.command)}`"]
    body: list[str] = []
    if rows:
        head += ["| cell | base | head | change | where |", "|:--|--:|--:|--:|:--|"]
    for number, row in enumerate(rows):
        base, after = format_numbers([row.cell.base, row.cell.head])
        change = format_change(row.cell.change)
        change = f"**{change}**" if row.over else change
        line = f"| {cell_text(row.cell)} | {base} | {after} {row.cell.unit} | {change} | {_short(row.cell.where)} |"
        more = f"| {len(rows) - number} more in the report | | | | |"
        if len("\n".join([*head, *body, line, more, *tail]).encode()) > SUMMARY:
            body.append(more)
            break
        body.append(line)
    return "\n".join([*head, *body, *tail]) + "\n"


def _summary_rows(gate: Gate) -> list[str]:
    """Lines on phases that have no verdict, or pass by the file of limits."""
    rows = []
    for title, names in (
        ("Fails on head only", [one.what for one in gate.failed]),
        ("Refused", [cell_text(row.cell) for row in _refused(gate)]),
        ("Not decided", [cell_text(row.cell) for row in _inconclusive(gate)]),
        ("Not measured", [one.what for one in gate.left]),
    ):
        if names:
            rows += ["", f"{title}: {listed(shortened(names, 5))}."]
    if accepted := accepted_texts(gate):
        rows += ["", f"Accepted by the file of limits: {'; '.join(shortened(accepted, 3))}."]
    return rows


def _short(where: str) -> str:
    """The first items of a text on functions: a figure or a line number is never cut."""
    if len(where) <= _WHERE_WIDTH:
        return where
    kept = where[:_WHERE_WIDTH].rpartition(", ")[0]
    return f"{kept}, ...{')' * (kept.count('(') - kept.count(')'))}" if kept else "..."
