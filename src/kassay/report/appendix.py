# SPDX-License-Identifier: GPL-2.0-only
"""The tables behind an answer: how time was judged, kernels, machine, audited state, runs, words."""

from kassay.model.experiment import labels
from kassay.model.finding import Finding
from kassay.model.kernel import KernelIdentity
from kassay.model.reason_texts import reason_text
from kassay.model.report import AuditTable, Report
from kassay.model.run import OUTCOMES
from kassay.model.texts import (
    Table,
    TableCell,
    cells,
    cpus_text,
    figures,
    machine_text,
    memory_text,
    one_line,
    settings_text,
    table,
)
from kassay.model.timing import STANDING, Beside, SeedFinding, SeedSide, Timing
from kassay.model.units import format_change, format_number
from kassay.report.conditions import differing_options
from kassay.report.series import all_series
from kassay.report.words import glossary, interval_text, p_text

_POINT = ("workload", "settings", "machine")


def _point(finding: Finding | SeedFinding) -> tuple[str, str, str]:
    return finding.workload, settings_text(finding.settings), machine_text(finding.machine)


def _or_none(result: Table) -> Table | None:
    return result if result.rows else None


def timing_table(report: Report) -> Table | None:
    """How each timed finding was judged; None where nothing was timed."""
    columns = (*_POINT, "metric", "base", "head", *figures("boots a side"), "looks",
               *figures("blocks", "p", "claimed at p ≤"), "interval", *figures("clock step"), "evidence",
               "standing")  # fmt: skip
    rows = [cells(*_timing_row(f, f.timing)) for f in report.findings if f.timing is not None]
    return _or_none(table("How time was judged", columns, rows, folded=len(rows) > 8))


def _timing_row(f: Finding, t: Timing) -> tuple[str, ...]:
    looks = "/".join(map(str, t.looks)) + (", stopped early" if t.stopped else "")
    level = f"{interval_text(f.interval)} ({t.level:.1%})" if f.interval else "-"
    return (*_point(f), f.metric, *_kernels(f), str(t.boots), looks, str(t.blocks), p_text(t.p),
            f"{t.threshold:g}", level, "-" if t.tick is None else f"{t.tick:.2%}", f.evidence,
            STANDING[f.standing] if f.standing else "-")  # fmt: skip


def _kernels(f: Finding) -> tuple[str, str]:
    return f.sides[0].kernel, f.sides[1].kernel


def controls_table(report: Report) -> Table | None:
    """The first kernel against itself, one row for each point where it was; None without control boots."""
    controls = {f.point: (f, f.timing.control) for f in report.findings
             if f.timing is not None and f.timing.control is not None}  # fmt: skip
    columns = (*_POINT, "kernel", *figures("change"), "interval", *figures("p", "boots", "control boots"), "result")
    rows = (
        cells(*_point(f), c.kernel, format_change(c.change), interval_text(c.interval), p_text(c.p), str(c.n_base),
              str(c.n_control), "no difference" if c.passed else "differs from itself")
        for f, c in controls.values()
    )  # fmt: skip
    return _or_none(table("The first kernel against itself", columns, rows))


def failed_boots_table(report: Report) -> Table | None:
    """Boots that failed, side by side, with Fisher's test; None where none did."""
    failures = [(f, f.timing.failures) for f in report.findings if f.timing is not None and f.primary]
    columns = ("workload", "settings", "base", "head", *figures("failed on base", "failed on head", "p (Fisher)"))
    rows = (
        cells(f.workload, settings_text(f.settings), *_kernels(f), f"{boots.base_failed} of {boots.base_tried}",
              f"{boots.head_failed} of {boots.head_tried}", p_text(boots.p))
        for f, boots in failures if boots is not None
    )  # fmt: skip
    return _or_none(table("Boots that failed", columns, rows))


def families_table(report: Report) -> Table | None:
    """The change of all cells together, one row for each comparison; None where there is one cell only."""
    columns = ("workload", "metric", "base", "head", *figures("cells", "change of all"), "interval",
               *figures("p", "smallest", "largest", "confirmed", "candidates"))  # fmt: skip
    rows = (
        cells(
            f.workload, f.metric, f.base, f.head, str(f.cells), format_change(f.change), interval_text(f.interval),
            p_text(f.p), format_change(f.smallest), format_change(f.largest), str(f.confirmed), str(f.candidates),
        )
        for f in report.families
    )  # fmt: skip
    return _or_none(table("All settings together", columns, rows))


def beside_table(report: Report) -> Table | None:
    """Counts and times of the same comparisons; None where only one was measured."""
    columns = (*_POINT, "metric", "base", "head", *figures("instructions"), "n", *figures("time"), "interval of time",
               "n (boots)", "what that means")  # fmt: skip
    return _or_none(table("Counts and time, side by side", columns, (cells(*_beside_row(b)) for b in report.beside)))


def _beside_row(b: Beside) -> tuple[str, ...]:
    machine = ", ".join(text for text in (cpus_text(b.cpus), memory_text(b.memory_bytes)) if text)
    counted = f"{format_change(b.counts_change)} {b.counts_verdict}"
    timed = f"{format_change(b.time_change)} {b.time_verdict}, {b.time_evidence}"
    return (b.workload, settings_text(b.settings), machine, b.metric, b.base, b.head, counted, _pair(b.counts_n), timed,
            interval_text(b.time_interval), _pair(b.time_n), reason_text(b.meaning))  # fmt: skip


def seed_table(report: Report) -> Table | None:
    """The same boots by the rules of the seeds' framework; None unless they were asked for."""
    columns = (*_POINT, "metric", "kernel", *figures("runs", "mean", "median", "cv", "MAD ratio"), "status", "stable",
               "robust", *figures("change of means", "of medians"), "class", "word", "kassay says")  # fmt: skip
    rows = (cells(*row) for f in report.seed_rules for row in _seed_rows(f))
    return _or_none(table("By the seeds' rules (cv and MAD ratio against 0.10, change of means against 5 %)", columns,
                          rows))  # fmt: skip


def _seed_rows(f: SeedFinding) -> tuple[tuple[str, ...], tuple[str, ...]]:
    base, head = ((*_point(f), f.metric, *_seed_side(side)) for side in f.sides)
    changes = (format_change(f.delta), format_change(f.delta_median))
    return (*base, "-", "-", "-", "-", "-"), (*head, *changes, f.classification, f.word, one_line(f.kassay))


def _seed_side(s: SeedSide) -> tuple[str, ...]:
    runs = f"{s.runs - s.failed} of {s.runs}"
    ratios = ("-" if value is None else f"{value:.4f}" for value in (s.cv, s.mad_ratio))
    flags = ("yes" if flag else "no" for flag in (s.stable, s.robust_stable))
    return (s.kernel, runs, format_number(s.mean), format_number(s.median), *ratios, s.status, *flags)


def _pair(n: tuple[int, int]) -> str:
    return str(n[0]) if n[0] == n[1] else f"{n[0]}, {n[1]}"


_HASH_DIGITS = 12  # enough to tell kernels apart by eye; the folded table has all 64


def kernels_table(report: Report) -> Table:
    """One row for each kernel, with its origin; hashes are shortened."""
    columns = ("kernel", "release", "arch", "compiler", "config", "image", "source")
    return table("Kernels", columns, map(_kernel_row, report.kernels))


def _kernel_row(k: KernelIdentity) -> tuple[TableCell, ...]:
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
    return table("Configurations: options that differ", columns, rows)


def identity_table(report: Report) -> Table:
    """Every field of each kernel except its configuration, not shortened; "-" where it is not known."""
    fields = [(k.ref, name, getattr(k, name)) for k in report.kernels for name in k.__struct_fields__[1:]]
    rows = (
        cells(ref, name, "-" if value in (None, "") else str(value))
        for ref, name, value in fields
        if name != "configuration" and (name != "config_source" or value)
    )
    return table("Identities in full", ("kernel", "field", "value"), rows, folded=True)


def machine_table(report: Report) -> Table:
    """The machine that was granted, option by option."""
    m = report.machine
    facts = [("arch", m.arch), ("clock", m.clock), ("accelerator", m.accelerator), ("program", m.program)]
    facts += [("option", option) for option in m.options] + [("host", m.host)]
    facts += [("guest programs", f"by {report.guest_compiler}")] if report.guest_compiler else []
    return table("Machine", ("what", "value"), (cells(name, value or "-") for name, value in facts))


def definitions_table(report: Report) -> Table:
    """What each metric is: its unit, its direction, from where to where it is measured."""
    rows: dict[tuple[str, str], tuple[TableCell, ...]] = {}
    for s in all_series(report):
        better = f"{s.better} is better" if s.better else "-"
        row = cells(s.metric, s.unit, better, s.workload or "-", s.definition or "-")
        rows.setdefault((s.workload or "", s.metric), row)
    return table("Metrics", ("metric", "unit", "direction", "workload", "definition"), rows.values())


def failures_table(report: Report) -> Table:
    """Every attempt that did not succeed."""
    rows = (
        cells(f.kernel, f.outcome, OUTCOMES.get(f.outcome, "-"), f.detail or "-", f.run, str(f.attempt), f.cell)
        for f in report.runs.failures
    )
    columns = ("kernel", "outcome", "meaning", "detail", "run", *figures("attempt"), "cell")
    return table("Failed attempts", columns, rows)


def audit_tables(report: Report) -> tuple[Table, ...]:
    """The audited state, kernels side by side: the fields the gate compares, others that differ, then all."""
    together: dict[tuple[object, ...], list[AuditTable]] = {}
    for audit in report.audits:
        together.setdefault((audit.workload, audit.settings, audit.machine, audit.moment), []).append(audit)
    return tuple(side for audits in together.values() for side in _side_by_side(report.gate_fields, audits))


def _side_by_side(gate: tuple[str, ...], audits: list[AuditTable]) -> tuple[Table, ...]:
    fields = [dict(audit.fields) for audit in audits]
    rows = {name: _state_row(name, [values.get(name) for values in fields]) for values in fields for name in values}
    compared = [rows[name] for name in gate if name in rows]
    differing = [row for name, row in rows.items() if name not in gate and any(c.mark for c in row)]
    columns = ("field", *(one_line(a.kernel) for a in audits))
    first = audits[0]
    parts = (one_line(first.moment), one_line(first.workload), settings_text(first.settings))
    point = ", ".join(part for part in (*parts, machine_text(first.machine) if first.machine else "") if part)
    tables = (
        table(f"What must agree ({point})", columns, compared),
        table(f"Other fields that differ ({point})", columns, differing, folded=True),
        table(f"All {len(rows)} fields ({point})", columns, rows.values(), folded=True),
    )
    return tuple(t for t in tables if t.rows)


def _state_row(name: str, values: list[str | None]) -> tuple[TableCell, ...]:
    mark = "differs" if len(set(values)) > 1 else ""
    return cells(name) + cells(*("-" if v is None else v or '""' for v in values), mark=mark)


def words_table(report: Report) -> Table:
    """Every technical term that this report uses."""
    return table("Words", ("word", "meaning"), (cells(*pair) for pair in glossary(report)))
