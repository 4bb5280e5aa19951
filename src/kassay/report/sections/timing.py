# SPDX-License-Identifier: GPL-2.0-only
"""Tables of how each time was judged; the same boots by fixed thresholds."""

from collections.abc import Iterator

from kassay.model.finding import Finding
from kassay.model.report import Report
from kassay.model.texts import Table, cells, figures, machine_text, one_line, settings_text, shortened, table
from kassay.model.timing import STANDING, SeedFinding, SeedSide, Timing
from kassay.model.units import format_change, format_number
from kassay.report.document import PAGE, SCREEN, Items, Section, letter, section
from kassay.report.mail.text import percent
from kassay.report.sections.brief import ROWS, replaced_on_screen
from kassay.report.words import interval_text, p_text

_POINT = ("workload", "settings", "machine")


def timing_tables(report: Report) -> Iterator[Table]:
    """How each time was judged; none where nothing was timed."""
    every = (_timing_table, _families_table, _controls_table, _failed_boots_table)
    yield from (shown for make in every if (shown := make(report)).rows)


def _point(finding: Finding | SeedFinding) -> tuple[str, str, str]:
    return finding.workload, settings_text(finding.settings), machine_text(finding.machine)


def _timing_table(report: Report) -> Table:
    columns = (*_POINT, "metric", "base", "head", *figures("boots a side"), "looks",
               *figures("blocks", "p", "claimed at p ≤"), "interval", *figures("clock step"), "evidence",
               "standing")  # fmt: skip
    rows = [cells(*_timing_row(f, f.timing)) for f in report.findings if f.timing is not None]
    return table("How time was judged", columns, rows, folded=len(rows) > 8)


def _timing_row(f: Finding, t: Timing) -> tuple[str, ...]:
    looks = "/".join(map(str, t.looks)) + (", stopped early" if t.stopped else "")
    level = f"{interval_text(f.interval)} ({t.level:.1%})" if f.interval else "-"
    return (*_point(f), f.metric, *f.kernels, str(t.boots), looks, str(t.blocks), p_text(t.p),
            f"{t.threshold:g}", level, "-" if t.tick is None else f"{t.tick:.2%}", f.evidence,
            STANDING[f.standing] if f.standing else "-")  # fmt: skip


def _controls_table(report: Report) -> Table:
    """The first kernel against itself, one row for each point where it was."""
    controls = {f.point: (f, f.timing.control) for f in report.findings
             if f.timing is not None and f.timing.control is not None}  # fmt: skip
    columns = (*_POINT, "kernel", *figures("change"), "interval", *figures("p", "boots", "control boots"), "result")
    rows = (
        cells(*_point(f), c.kernel, format_change(c.change), interval_text(c.interval), p_text(c.p), str(c.n_base),
              str(c.n_control), "no difference" if c.passed else "differs from itself")
        for f, c in controls.values()
    )  # fmt: skip
    return table("The first kernel against itself", columns, rows)


def _failed_boots_table(report: Report) -> Table:
    failures = [(f, f.timing.failures) for f in report.findings if f.timing is not None and f.primary]
    columns = ("workload", "settings", "base", "head", *figures("failed on base", "failed on head", "p (Fisher)"))
    rows = (
        cells(f.workload, settings_text(f.settings), *f.kernels, f"{boots.base_failed} of {boots.base_tried}",
              f"{boots.head_failed} of {boots.head_tried}", p_text(boots.p))
        for f, boots in failures if boots is not None
    )  # fmt: skip
    return table("Boots that failed", columns, rows)


def _families_table(report: Report) -> Table:
    """The change of all cells together, one row for each comparison."""
    columns = ("workload", "metric", "base", "head", *figures("cells", "change of all"), "interval",
               *figures("p", "smallest", "largest", "confirmed", "candidates"))  # fmt: skip
    rows = (
        cells(
            f.workload, f.metric, f.base, f.head, str(f.cells), format_change(f.change), interval_text(f.interval),
            p_text(f.p), format_change(f.smallest), format_change(f.largest), str(f.confirmed), str(f.candidates),
        )
        for f in report.families
    )  # fmt: skip
    return table("All settings together", columns, rows)


_LETTER_ROWS = 6
_SEED_RULES = (
    "As the framework of the seeds judges: means only, no test and no interval; one failed run makes a side partial. "
    "docs/explained/statistics.md shows how often these rules are wrong.",
)
_THRESHOLDS = (
    "For comparison, by fixed thresholds (change of the means against 5%, standard deviation and median absolute "
    "deviation against 10%, no failed boot)"
)


def seed_rules(report: Report) -> Iterator[Section]:
    """The same boots by the rules of the seeds' framework, if they were asked for."""
    primary = {(f.workload, f.metric) for f in report.findings if f.primary}
    rows = [row for row in report.seed_rules if (row.workload, row.metric) in primary]
    texts = tuple(
        f"{row.metric}, {row.sides[0].kernel} to {row.sides[1].kernel}: {row.classification}, {row.word} "
        f"(means {format_change(row.delta)}, medians {format_change(row.delta_median)}); kassay: {row.kassay}"
        for row in rows[:ROWS]
    )
    if texts and not replaced_on_screen(report):
        title = "by the seeds' rules: means, cv and MAD ratio against 0.10, change against 5 %"
        yield Section(title=title, blocks=(Items(texts=texts),), readers=(SCREEN,))
    if report.seed_rules:
        yield section("By the seeds' rules", text=_SEED_RULES, tables=(_seed_table(report),), readers=(PAGE,))
        changes = [
            f"{row.metric}, {settings_text(row.settings)}, {machine_text(row.machine)}: "
            f"{percent(row.delta)} of the means, {row.classification}, {row.word}"
            for row in report.seed_rules
        ]
        yield letter(_THRESHOLDS, (), (), tuple(shortened(changes, _LETTER_ROWS, "and {} more")))


def _seed_table(report: Report) -> Table:
    columns = (*_POINT, "metric", "kernel", *figures("runs", "mean", "median", "cv", "MAD ratio"), "status", "stable",
               "robust", *figures("change of means", "of medians"), "class", "word", "kassay says")  # fmt: skip
    rows = (cells(*row) for f in report.seed_rules for row in _seed_rows(f))
    return table("By the seeds' rules (cv and MAD ratio against 0.10, change of means against 5 %)", columns, rows)


def _seed_rows(f: SeedFinding) -> tuple[tuple[str, ...], tuple[str, ...]]:
    base, head = ((*_point(f), f.metric, *_seed_side(side)) for side in f.sides)
    changes = (format_change(f.delta), format_change(f.delta_median))
    return (*base, "-", "-", "-", "-", "-"), (*head, *changes, f.classification, f.word, one_line(f.kassay))


def _seed_side(s: SeedSide) -> tuple[str, ...]:
    runs = f"{s.runs - s.failed} of {s.runs}"
    ratios = ("-" if value is None else f"{value:.4f}" for value in (s.cv, s.mad_ratio))
    flags = ("yes" if flag else "no" for flag in (s.stable, s.robust_stable))
    return (s.kernel, runs, format_number(s.mean), format_number(s.median), *ratios, s.status, *flags)
