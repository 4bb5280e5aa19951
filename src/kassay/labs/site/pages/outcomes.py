# SPDX-License-Identifier: GPL-2.0-only
"""Outcomes of a step on the pages: shown with a direction, equal, small, or without a verdict."""

from collections import Counter
from collections.abc import Iterable

from kassay.labs.site.model import NOT_LINKED, SiteCell, SiteSeries, SiteStep
from kassay.model.finding import CHANGES, REFUSED
from kassay.model.texts import counted
from kassay.model.units import format_change

OUTCOMES = {
    "worse": "changed by more than the floor and the margin, for the worse: a cost is higher",
    "better": "changed by more than the floor and the margin, for the better: a cost is lower",
    "small": "changed by less than the floor or the margin",
    "equal": "equal to the digit",
    "inconclusive": "measured; the runs allow no verdict",
    "refused": "measured; a comparison was refused, for the reason given",
    "failed": "tried; no run succeeded",
    "absent": "not measured",
    "first": "measured; no kernel before it was",
}
"""Outcomes of a cell, compared with the kernel on its left, each with its meaning."""
SHOWN = ("worse", "better")
MARKS = {"equal": "=", "small": "≈", "inconclusive": "?", "refused": "", "failed": "", "first": "●", "absent": "–"}
"""Mark of a cell without a change; "" for one that shows its word."""
COMPARED = ("equal", "small", "worse", "better", "inconclusive", "refused")
"""Outcomes of a cell that has a value on both kernels."""


def outcome(step: SiteStep, series: SiteSeries) -> str:
    """Word of OUTCOMES for a step."""
    if step.verdict in (*REFUSED, NOT_LINKED):
        return "refused"
    if step.verdict == "inconclusive":
        return "inconclusive"
    if step.change is None:
        return "absent"
    if step.change == 0:
        return "equal"
    beyond = abs(step.change) > max(step.margin, step.floor or 0.0)
    if step.verdict in CHANGES or (not step.verdict and beyond):
        return "worse" if (step.change > 0) == (series.better == "lower") else "better"
    return "small"


def cell_outcome(cell: SiteCell | None, step: SiteStep | None, series: SiteSeries) -> str:
    """Word of OUTCOMES for a cell and the step into it."""
    if step is not None and (found := outcome(step, series)) != "absent":
        return found
    if cell is None:
        return "absent"
    return "first" if cell.state == "measured" else cell.state


def cell_text(word: str, step: SiteStep | None) -> str:
    """Text of a cell. A change has an arrow and a sign, so that it needs no colour."""
    if word in SHOWN and step is not None:
        return f"{'▲' if (step.change or 0) > 0 else '▼'} {format_change(step.change)}".replace(" %", "\u00a0%")
    return MARKS[word] or word


def counts_text(words: Iterable[str]) -> str:
    """Line that stands above a table: how many cells ran, and what became of them."""
    counts = Counter(words)
    ran = sum(counts[word] for word in COMPARED)
    parts = [
        f"{counted(ran, 'cell')} compared",
        f"{counts['equal']} equal to the digit",
        f"{counts['small']} below the floor or the margin",
        f"{counts['worse'] + counts['better']} shown",
        f"{counts['refused']} refused",
    ]
    more = (("inconclusive", "inconclusive"), ("failed", "failed"), ("first", "without a kernel before it"),
            ("absent", "not measured"))  # fmt: skip
    return ", ".join(parts + [f"{counts[word]} {text}" for word, text in more if counts[word]])
