# SPDX-License-Identifier: GPL-2.0-only
"""The document of `kassay ci`, and its forms for machines: JUnit, annotations, metrics."""

from collections.abc import Iterator
from xml.etree import ElementTree

from msgspec import structs

from kassay.labs.review.gate_model import EQUAL, NOT_MEASURED, Gate, GateCell
from kassay.labs.review.report._words import above_floor, cell_text, portable
from kassay.labs.review.settings import setting_text
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

_ANNOTATIONS, _WHERE = 10, 3
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
    if gate.left:
        return f"not decided: {counted(len(gate.left), 'setting')} not measured"
    return f"nothing over the limit{more}"


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
        yield Section(title="Limits that nothing needed", blocks=(Items(texts=texts, tone=QUIET),))
    yield Paragraph(text=conditions(gate), tone=QUIET)
    yield Section(title="The same again", blocks=(Code(text=gate.command, breaks="shell"),))


def _rows_without_verdict(gate: Gate) -> Iterator[Block]:
    refused = [f"{cell_text(row.cell)}: {row.cell.reason}" for row in gate.cells if row.cell.verdict in REFUSED]
    for title, texts in (
        ("Refused", refused),
        ("Fails on head only", [f"{one.what}: {one.why}" for one in gate.failed]),
        ("Not measured", [f"{one.what}: {one.why}" for one in gate.left]),
        ("Not possible on this kernel", [f"{one.what}: {one.why}" for one in gate.impossible]),
    ):
        if texts:
            yield Section(title=title, blocks=(Items(texts=tuple(map(one_line, texts)), tone=DOUBT),))


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
        return "The change compiles to the same image, byte for byte, so no workload can notice it."
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
    tail = ["", f"{conditions(gate)}", "", f"Repeat: `{portable(gate.command)}`"]
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
    if accepted := accepted_texts(gate):
        tail = ["", f"Accepted by the file of limits: {'; '.join(shortened(accepted, 3))}.", *tail]
    for title, left in (("Not measured", gate.left), ("Fails on head only", gate.failed)):
        if left:
            names = listed(shortened([one.what for one in left], 5))
            tail = ["", f"{title}: {names}.", *tail]
    return "\n".join([*head, *body, *tail]) + "\n"


def _short(where: str) -> str:
    """The first items of a text on functions: a figure or a line number is never cut."""
    if len(where) <= _WHERE_WIDTH:
        return where
    kept = where[:_WHERE_WIDTH].rpartition(", ")[0]
    return f"{kept}, ...{')' * (kept.count('(') - kept.count(')'))}" if kept else "..."


def junit(gate: Gate) -> str:
    """JUnit XML: one case for each phase.

    Format: docs.gitlab.com/ci/testing/unit_test_reports, and the schema of the Apache Ant task.
    """
    failures = len(gate.over)
    skipped = sum(row.cell.verdict == NOT_MEASURED for row in gate.cells) + len(gate.impossible)
    errors = sum(row.cell.verdict in REFUSED for row in gate.cells) + len(gate.failed)
    total = len(gate.cells) + len(gate.impossible) + len(gate.failed)
    count = {"tests": total, "failures": failures, "errors": errors, "skipped": skipped}
    counts = {name: str(number) for name, number in count.items()} | {"time": f"{gate.seconds:.1f}"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"kassay {gate.suite}", **counts})
    for row in gate.cells:
        cell = row.cell
        name = f"{cell.phase} {' '.join(f'{s.name}={s.value}' for s in cell.settings)}".strip()
        case = ElementTree.SubElement(suite, "testcase", {"classname": cell.workload, "name": name, "time": "0"})
        if row.path:
            case.set("file", row.path)
        if row.over:
            values = " to ".join(format_numbers([cell.base, cell.head]))
            message = f"{format_change(cell.change)} {cell.unit}, limit {row.limit * 100:g} %"
            ElementTree.SubElement(case, "failure", {"message": message}).text = f"{values}; {cell.where}"
        elif cell.verdict in REFUSED:
            ElementTree.SubElement(case, "error", {"message": cell.reason or cell.verdict})
        elif cell.verdict == NOT_MEASURED:
            ElementTree.SubElement(case, "skipped", {"message": "differs, and was not measured: the budget ended"})
    for left, kind in ((gate.impossible, "skipped"), (gate.failed, "error")):
        for one in left:
            case = ElementTree.SubElement(suite, "testcase", {"classname": one.what.partition(" ")[0],
                                                              "name": one.what, "time": "0"})  # fmt: skip
            ElementTree.SubElement(case, kind, {"message": one_line(one.why)})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def annotations(gate: Gate) -> str:
    """Workflow commands for GitHub, one for each phase over its limit, at most ten."""
    lines = []
    for row in gate.over[:_ANNOTATIONS]:
        place = f"file={_property(row.path)},line={row.line}," if row.path else ""
        title = _property(f"{cell_text(row.cell)} {format_change(row.cell.change)}")
        values = " to ".join(format_numbers([row.cell.base, row.cell.head]))
        message = _message(f"{values} {row.cell.unit}, limit {row.limit * 100:g} %; {row.cell.where}")
        lines.append(f"::error {place}title={title}::{message}\n")
    return "".join(lines)


def _message(text: str) -> str:
    """Escaped as docs.github.com, "Workflow commands", asks for."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def metrics(gate: Gate) -> str:
    """Values of head in OpenMetrics; GitLab compares them as texts, so exact values are printed whole."""
    lines = []
    for row in gate.cells:
        cell = row.cell
        if cell.head is not None:
            name = cell.unit.replace("/", "_per_").replace(" ", "_")
            labels = f'workload="{setting_text(cell.workload, cell.settings)}",phase="{cell.phase}"'
            lines.append(f"{name}{{{labels}}} {cell.head!r}")
    return "\n".join([*lines, "# EOF"]) + "\n"
