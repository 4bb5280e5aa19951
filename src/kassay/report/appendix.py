# SPDX-License-Identifier: GPL-2.0-only
"""The tables behind an answer: kernels, machine, audited state, runs, words."""

from kassay.model.experiment import labels
from kassay.model.kernel import KernelIdentity
from kassay.model.layout import Cell, Table, cells
from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.model.report import AuditTable, Report
from kassay.model.run import OUTCOMES
from kassay.model.texts import machine_text, one_line, settings_text
from kassay.report.confounders import differing_options
from kassay.report.series import all_series
from kassay.report.words import glossary

_HASH_DIGITS = 12  # enough to tell kernels apart by eye; the folded table has all 64


def kernels_table(report: Report) -> Table:
    """Who the kernels are, a kernel a row; hashes are shortened."""
    columns = ("kernel", "release", "arch", "compiler", "config", "image", "source")
    return Table(title="Kernels", columns=columns, rows=tuple(_kernel_row(k) for k in report.kernels))


def _kernel_row(k: KernelIdentity) -> tuple[Cell, ...]:
    hashes = tuple((h or "-")[:_HASH_DIGITS] for h in (k.config_sha256, k.image_sha256))
    return cells(k.ref, k.release, k.arch, k.compiler or "-", *hashes, k.source or "-")


def configurations_table(report: Report) -> Table | None:
    """Where the kernels' configurations differ in what can be part of a result; None where none is known."""
    if all(kernel.configuration is None for kernel in report.kernels):
        return None
    sources = [
        kernel.config_source or ("its own package or directory" if kernel.configuration is not None else "not known")
        for kernel in report.kernels
    ]
    rows = [cells("", "from", *sources)]
    for topic, name, values in differing_options(report):
        rows.append(cells(topic, name) + cells(*(value or "not known" for value in values.values()), mark="differs"))
    columns = ("topic", "option", *map(one_line, labels(report.experiment)))
    return Table(title="Configurations: options that differ", columns=columns, rows=tuple(rows))


def identity_table(report: Report) -> Table:
    """All that is known about every kernel, but for its configuration, unshortened; what is not known is "-"."""
    rows = []
    for kernel in report.kernels:
        for name in kernel.__struct_fields__[1:]:
            value = getattr(kernel, name)
            if name == "configuration" or (name == "config_source" and not value):
                continue
            rows.append(cells(kernel.ref, name, "-" if value in (None, "") else str(value)))
    return Table(title="Identities in full", columns=("kernel", "field", "value"), rows=tuple(rows), folded=True)


def machine_table(report: Report) -> Table:
    """The machine that was granted, option by option."""
    m = report.machine
    facts = [("arch", m.arch), ("clock", m.clock), ("accelerator", m.accelerator), ("program", m.program)]
    facts += [("option", option) for option in m.options] + [("host", m.host)]
    facts += [("guest programs", f"by {report.guest_compiler}")] if report.guest_compiler else []
    return Table(title="Machine", columns=("what", "value"), rows=tuple(cells(a, b or "-") for a, b in facts))


def definitions_table(report: Report) -> Table:
    """What each metric is: its unit, its direction, from where to where it is measured."""
    rows: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for s in all_series(report):
        better = f"{s.better} is better" if s.better else "-"
        row = cells(s.metric, s.unit, better, s.workload or "-", s.definition or "-")
        if (s.workload or "", s.metric) not in rows:
            rows[s.workload or "", s.metric] = row
    columns = ("metric", "unit", "direction", "workload", "definition")
    return Table(title="Metrics", columns=columns, rows=tuple(rows.values()))


def failures_table(report: Report) -> Table:
    """Every attempt that did not succeed."""
    rows = tuple(
        cells(f.kernel, f.outcome, OUTCOMES.get(f.outcome, "-"), f.detail or "-", f.run, str(f.attempt), f.cell)
        for f in report.runs.failures
    )
    columns = ("kernel", "outcome", "meaning", "detail", "run", "attempt", "cell")
    return Table(title="Failed attempts", columns=columns, rows=rows, numeric=(5,))


def audit_tables(report: Report) -> tuple[Table, ...]:
    """The audited state, kernels side by side: the fields the gate compares, others that differ, then all."""
    together: dict[tuple[str, tuple[Setting, ...], MachineUse | None, str], list[AuditTable]] = {}
    for audit in report.audits:
        together.setdefault((audit.workload, audit.settings, audit.machine, audit.moment), []).append(audit)
    return tuple(table for audits in together.values() for table in _side_by_side(report.gate_fields, audits))


def _side_by_side(gate: tuple[str, ...], audits: list[AuditTable]) -> tuple[Table, ...]:
    names = dict.fromkeys(name for audit in audits for name, _ in audit.fields)
    found = [dict(audit.fields) for audit in audits]
    rows = [_state_row(name, [one.get(name) for one in found]) for name in names]
    compared = tuple(_state_row(name, [one.get(name) for one in found]) for name in gate if name in names)
    differing = tuple(row for row in rows if row[0].text not in gate and any(c.mark for c in row))
    columns = ("field", *(one_line(a.kernel) for a in audits))
    first = audits[0]
    parts = (one_line(first.moment), one_line(first.workload), settings_text(first.settings))
    where = ", ".join(part for part in (*parts, machine_text(first.machine) if first.machine else "") if part)
    must = Table(title=f"What must agree ({where})", columns=columns, rows=compared)
    other = Table(title=f"Other fields that differ ({where})", columns=columns, rows=differing, folded=True)
    every = Table(title=f"All {len(rows)} fields ({where})", columns=columns, rows=tuple(rows), folded=True)
    return tuple(table for table in (must, other, every) if table.rows)


def _state_row(name: str, values: list[str | None]) -> tuple[Cell, ...]:
    mark = "differs" if len(set(values)) > 1 else ""
    return cells(name) + cells(*("-" if v is None else v or '""' for v in values), mark=mark)


def words_table(report: Report) -> Table:
    """Every word of art this report uses."""
    rows = tuple(cells(word, meaning) for word, meaning in glossary(report))
    return Table(title="Words", columns=("word", "meaning"), rows=rows)
