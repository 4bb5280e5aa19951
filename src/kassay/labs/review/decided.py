# SPDX-License-Identifier: GPL-2.0-only
"""Cells that have a verdict, and the loss and the gain that an answer names."""

from collections.abc import Iterable

from kassay.labs.review.model import Cell
from kassay.model.finding import CHANGES


def is_decided(cell: Cell) -> bool:
    """True if a cell has a verdict that a sentence may rest on. Cells that ran once, were refused or are inconclusive
    have none, nor have those whose equal runs disagree."""
    return cell.verdict in ("equivalent", *CHANGES) and cell.evidence != "unstable"


def largest(cells: Iterable[Cell], verdict: str) -> Cell | None:
    """The cell with the largest change of a verdict, a word of CHANGES, among primary phases. None if there is none."""
    found = [cell for cell in cells if cell.verdict == verdict and cell.primary and is_decided(cell)]
    return max(found, key=lambda cell: abs(cell.change or 0.0), default=None)
