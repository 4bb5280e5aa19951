# SPDX-License-Identifier: GPL-2.0-only
"""Forms of `kassay ci` for machines: JUnit, annotations and metrics."""

from xml.etree import ElementTree

from kassay.labs.review.gate_model import DECIDED, NOT_MEASURED, Gate, GateCell
from kassay.labs.review.model import Cell
from kassay.labs.review.report._words import cell_text
from kassay.labs.review.settings import setting_text
from kassay.model.texts import one_line
from kassay.model.units import format_change, format_numbers

_ANNOTATIONS = 10


def junit(gate: Gate) -> str:
    """JUnit XML: one case for each phase.

    Format: docs.gitlab.com/ci/testing/unit_test_reports, and the schema of the Apache Ant task.
    """
    failures = len(gate.over)
    kinds = [_kind(row, gate) for row in gate.cells]
    failed = ["skipped" if one.workload in gate.allowed else "error" for one in gate.failed]
    skipped = kinds.count("skipped") + len(gate.impossible) + failed.count("skipped")
    errors = kinds.count("error") + failed.count("error")
    total = len(gate.cells) + len(gate.impossible) + len(gate.failed)
    count = {"tests": total, "failures": failures, "errors": errors, "skipped": skipped}
    counts = {name: str(number) for name, number in count.items()} | {"time": f"{gate.seconds:.1f}"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"kassay {gate.suite}", **counts})
    for row, kind in zip(gate.cells, kinds, strict=True):
        cell = row.cell
        name = f"{cell.phase} {' '.join(f'{s.name}={s.value}' for s in cell.settings)}".strip()
        case = ElementTree.SubElement(suite, "testcase", {"classname": cell.workload, "name": name, "time": "0"})
        if row.path:
            case.set("file", row.path)
        if row.over:
            values = " to ".join(format_numbers([cell.base, cell.head]))
            message = f"{format_change(cell.change)} {cell.unit}, limit {row.limit * 100:g} %"
            ElementTree.SubElement(case, "failure", {"message": message}).text = f"{values}; {cell.where}"
        elif kind:
            ElementTree.SubElement(case, kind, {"message": _why(cell)})
    left = [*((one, "skipped") for one in gate.impossible), *zip(gate.failed, failed, strict=True)]
    for one, kind in left:
        about = {"classname": one.workload, "name": one.what, "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", about)
        ElementTree.SubElement(case, kind, {"message": one_line(one.why)})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _kind(row: GateCell, gate: Gate) -> str:
    """Element of a case without a verdict: "error", or "skipped" if it was not measured or may have none; else ""."""
    if row.cell.verdict in DECIDED:
        return ""
    return "skipped" if row.cell.verdict == NOT_MEASURED or row.cell.workload in gate.allowed else "error"


def _why(cell: Cell) -> str:
    if cell.verdict == NOT_MEASURED:
        return "differs, and was not measured: the budget ended"
    if cell.verdict == "inconclusive":
        return f"not decided, {format_change(cell.change)}: {cell.reason}".removesuffix(": ")
    return cell.reason or cell.verdict


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
            labels = f'workload="{setting_text(*cell.key)}",phase="{cell.phase}"'
            lines.append(f"{name}{{{labels}}} {cell.head!r}")
    return "\n".join([*lines, "# EOF"]) + "\n"
