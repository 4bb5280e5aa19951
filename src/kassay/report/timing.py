# SPDX-License-Identifier: GPL-2.0-only
"""Tables of what judging a clock leaves behind: looks, controls, failed boots, families, others' rules."""

from kassay.model.finding import Finding
from kassay.model.layout import Table, cells
from kassay.model.reason_texts import reason_text
from kassay.model.report import Report
from kassay.model.texts import cpus_text, machine_text, memory_text, one_line, settings_text
from kassay.model.timing import STANDING, Beside, Family, SeedFinding, SeedSide
from kassay.model.units import format_change, format_number
from kassay.report.tables import interval_text


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
