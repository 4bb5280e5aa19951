# SPDX-License-Identifier: GPL-2.0-only
"""The tables behind an answer: how time was judged, kernels, machine, audited state, runs, words."""

from kassay.model.experiment import labels
from kassay.model.finding import Finding
from kassay.model.kernel import KernelIdentity
from kassay.model.layout import Table, TableCell, cells
from kassay.model.machine import MachineUse
from kassay.model.reason_texts import reason_text
from kassay.model.records import Setting
from kassay.model.report import AuditTable, Report
from kassay.model.run import OUTCOMES
from kassay.model.texts import cpus_text, machine_text, memory_text, one_line, settings_text
from kassay.model.timing import STANDING, Beside, Family, SeedFinding, SeedSide
from kassay.model.units import format_change, format_number
from kassay.report.conditions import differing_options
from kassay.report.series import all_series
from kassay.report.tables import interval_text
from kassay.report.words import glossary


def p_text(p: float | None) -> str:
    """ "0.0043", "<0.0001"; "-" when there is none."""
    return "-" if p is None else "<0.0001" if p < 0.0001 else f"{p:.2g}"


def timing_table(report: Report) -> Table | None:
    """How each timed finding was judged; None where nothing was timed."""
    timed = [f for f in report.findings if f.timing is not None]
    if not timed:
        return None
    columns = ("workload", "settings", "machine", "metric", "base", "head", "boots a side", "looks", "blocks", "p",
               "claimed at p ≤", "interval", "clock step", "evidence", "standing")  # fmt: skip
    rows = tuple(cells(*_timing_row(f)) for f in timed)
    return Table(
        title="How time was judged", columns=columns, rows=rows, numeric=(6, 8, 9, 10, 12), folded=len(rows) > 8
    )


def _timing_row(f: Finding) -> tuple[str, ...]:
    t = f.timing
    assert t is not None
    looks = "/".join(map(str, t.looks)) + (", stopped early" if t.stopped else "")
    where = (f.workload, settings_text(f.settings), machine_text(f.machine), f.metric)
    level = f"{interval_text(f.interval)} ({t.level:.1%})" if f.interval else "-"
    return (*where, f.sides[0].kernel, f.sides[1].kernel, str(t.boots), looks, str(t.blocks), p_text(t.p),
            f"{t.threshold:g}", level, "-" if t.tick is None else f"{t.tick:.2%}", f.evidence,
            STANDING[f.standing] if f.standing else "-")  # fmt: skip


def timing_words(report: Report) -> tuple[str, ...]:
    """How the primary findings on time were judged, one line for each way; nothing where nothing was timed."""
    said = []
    for f in report.findings:
        t = f.timing if f.primary else None
        if t is None:
            continue
        looks = f"looked at after {'/'.join(map(str, t.looks))}" if len(t.looks) > 1 else "looked at once"
        stopped = ", ended early: the primary metrics are decided" if t.stopped else ""
        found = f"interval {interval_text(f.interval)} at {t.level:.1%}" if f.interval else "no interval"
        boots = "1 boot" if t.boots == 1 else f"{t.boots} boots"
        text = f"{boots} a kernel, {looks}{stopped}; {found}, p = {p_text(t.p)} (claimed at {t.threshold:g})"
        if t.control is not None:
            c = t.control
            text += f"; {c.kernel} against itself {format_change(c.change)}, p = {p_text(c.p)}"
        said.append(text)
    return tuple(dict.fromkeys(said))


def controls_table(report: Report) -> Table | None:
    """The first kernel against itself, one row for each place it was; None without control boots."""
    found = {f.point: f.timing.control for f in report.findings
             if f.timing is not None and f.timing.control is not None}  # fmt: skip
    rows = tuple(
        cells(
            workload, settings_text(settings), machine_text(machine), one.kernel, format_change(one.change),
            interval_text(one.interval), p_text(one.p), str(one.n_base), str(one.n_control),
            "no difference" if one.passed else "differs from itself",
        )
        for (workload, settings, machine), one in found.items()
    )  # fmt: skip
    columns = (
        "workload",
        "settings",
        "machine",
        "kernel",
        "change",
        "interval",
        "p",
        "boots",
        "control boots",
        "result",
    )
    return (
        Table(title="The first kernel against itself", columns=columns, rows=rows, numeric=(4, 6, 7, 8))
        if rows
        else None
    )


def failed_boots_table(report: Report) -> Table | None:
    """Boots that failed, side by side, with Fisher's test; None where none did."""
    rows = []
    for f in report.findings:
        one = f.timing.failures if f.timing is not None and f.primary else None
        if one is not None:
            sides = (f"{one.base_failed} of {one.base_tried}", f"{one.head_failed} of {one.head_tried}")
            rows.append(cells(f.workload, settings_text(f.settings), f.sides[0].kernel, f.sides[1].kernel, *sides,
                              p_text(one.p)))  # fmt: skip
    columns = ("workload", "settings", "base", "head", "failed on base", "failed on head", "p (Fisher)")
    return Table(title="Boots that failed", columns=columns, rows=tuple(rows), numeric=(4, 5, 6)) if rows else None


def families_table(report: Report) -> Table | None:
    """One statement about all cells of each comparison; None where there is one cell only."""
    if not report.families:
        return None
    columns = ("workload", "metric", "base", "head", "cells", "change of all", "interval", "p", "smallest", "largest",
               "confirmed", "candidates")  # fmt: skip
    rows = tuple(
        cells(
            f.workload, f.metric, f.base, f.head, str(f.cells), format_change(f.change), interval_text(f.interval),
            p_text(f.p), format_change(f.smallest), format_change(f.largest), str(f.confirmed), str(f.candidates),
        )
        for f in report.families
    )  # fmt: skip
    return Table(title="All settings together", columns=columns, rows=rows, numeric=(4, 5, 7, 8, 9, 10, 11))


def family_sentence(f: Family) -> str:
    """What is said of all cells before any is named."""
    within = f", between {interval_text(f.interval).replace(' to ', ' and ')}" if f.interval else ""
    named = f"{f.confirmed} confirmed" + (
        f", {f.candidates - f.confirmed} candidates" if f.candidates > f.confirmed else ""
    )
    return (
        f"Over all {f.cells} settings together {f.metric} changes by {format_change(f.change)} from {f.base} to "
        f"{f.head} (p = {p_text(f.p)}{within}); single settings: {named}."
    )


def beside_table(report: Report) -> Table | None:
    """Counts and times of the same comparisons; None where only one was measured."""
    if not report.beside:
        return None
    columns = ("workload", "settings", "machine", "metric", "base", "head", "instructions", "n", "time",
               "interval of time", "n (boots)", "what that means")  # fmt: skip
    rows = tuple(cells(*_beside_row(one)) for one in report.beside)
    return Table(title="Counts and time, side by side", columns=columns, rows=rows, numeric=(6, 8))


def _beside_row(b: Beside) -> tuple[str, ...]:
    machine = ", ".join(text for text in (cpus_text(b.cpus), memory_text(b.memory_bytes)) if text)
    counted = f"{format_change(b.counts_change)} {b.counts_verdict}"
    timed = f"{format_change(b.time_change)} {b.time_verdict}, {b.time_evidence}"
    return (b.workload, settings_text(b.settings), machine, b.metric, b.base, b.head, counted, _pair(b.counts_n), timed,
            interval_text(b.time_interval), _pair(b.time_n), reason_text(b.meaning))  # fmt: skip


def seed_table(report: Report) -> Table | None:
    """The same boots by the rules of the seeds' framework; None unless they were asked for."""
    if not report.seed_rules:
        return None
    columns = ("workload", "settings", "machine", "metric", "kernel", "runs", "mean", "median", "cv", "MAD ratio",
               "status", "stable",
               "robust", "change of means", "of medians", "class", "word", "kassay says")  # fmt: skip
    rows = tuple(cells(*row) for f in report.seed_rules for row in _seed_rows(f))
    title = "By the seeds' rules (cv and MAD ratio against 0.10, change of means against 5 %)"
    return Table(title=title, columns=columns, rows=rows, numeric=(5, 6, 7, 8, 9, 13, 14))


def _seed_rows(f: SeedFinding) -> tuple[tuple[str, ...], tuple[str, ...]]:
    where = (f.workload, settings_text(f.settings), machine_text(f.machine), f.metric)
    base, head = (_seed_side(side) for side in f.sides)
    said = (format_change(f.delta), format_change(f.delta_median), f.classification, f.word, one_line(f.kassay))
    return (*where, *base, "-", "-", "-", "-", "-"), (*where, *head, *said)


def _seed_side(s: SeedSide) -> tuple[str, ...]:
    runs = f"{s.runs - s.failed} of {s.runs}"
    ratios = ("-" if value is None else f"{value:.4f}" for value in (s.cv, s.mad_ratio))
    flags = ("yes" if flag else "no" for flag in (s.stable, s.robust_stable))
    return (s.kernel, runs, format_number(s.mean), format_number(s.median), *ratios, s.status, *flags)


def _pair(n: tuple[int, int]) -> str:
    return str(n[0]) if n[0] == n[1] else f"{n[0]}, {n[1]}"


_HASH_DIGITS = 12  # enough to tell kernels apart by eye; the folded table has all 64


def kernels_table(report: Report) -> Table:
    """Who the kernels are, a kernel a row; hashes are shortened."""
    columns = ("kernel", "release", "arch", "compiler", "config", "image", "source")
    return Table(title="Kernels", columns=columns, rows=tuple(_kernel_row(k) for k in report.kernels))


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
    rows: dict[tuple[str, str], tuple[TableCell, ...]] = {}
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


def _state_row(name: str, values: list[str | None]) -> tuple[TableCell, ...]:
    mark = "differs" if len(set(values)) > 1 else ""
    return cells(name) + cells(*("-" if v is None else v or '""' for v in values), mark=mark)


def words_table(report: Report) -> Table:
    """Every word of art this report uses."""
    rows = tuple(cells(word, meaning) for word, meaning in glossary(report))
    return Table(title="Words", columns=("word", "meaning"), rows=rows)
