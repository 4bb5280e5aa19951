# SPDX-License-Identifier: GPL-2.0-only
"""Figures that a text claims, held against the measured settings."""

from collections.abc import Iterable, Sequence

from kassay.labs.review.claims import Claim
from kassay.labs.review.model import SCREENED, Cell, CheckedClaim, Review
from kassay.labs.review.report._words import cell_text
from kassay.model.finding import REFUSED
from kassay.model.texts import counted
from kassay.model.units import format_change

REPRODUCED, NOT_REPRODUCED, CONTRADICTED, NOT_MEASURABLE = (
    "reproduced", "not-reproduced", "contradicted", "not-measurable",
)  # fmt: skip
OUTCOMES = {
    REPRODUCED: "a measured setting has this figure",
    NOT_REPRODUCED: "no measured setting has this figure",
    CONTRADICTED: "every measured setting changes the other way",
    NOT_MEASURABLE: "counts cannot tell",
}
_CLOSE, _POINTS = 0.1, 0.005
"""A change is that of the claim if it lies within a tenth of it, or within half a percentage point."""


def checked(claims: Iterable[Claim], review: Review) -> tuple[CheckedClaim, ...]:
    """Each claim with its outcome."""
    cells = [
        cell for cell in review.cells
        if cell.verdict not in (SCREENED, *REFUSED) and cell.change is not None
    ]  # fmt: skip
    return tuple(_checked(claim, cells) for claim in claims)


def _checked(claim: Claim, cells: Sequence[Cell]) -> CheckedClaim:
    outcome, detail = _outcome(claim, cells)
    return CheckedClaim(sentence=claim.sentence, figure=claim.figure, line=claim.line, outcome=outcome, detail=detail)


def _outcome(claim: Claim, cells: Sequence[Cell]) -> tuple[str, str]:
    if not cells:
        return NOT_MEASURABLE, "no setting was measured"
    if claim.value is None:
        return NOT_MEASURABLE, f"the text does not say whether this is more or less; {_range(cells)}"
    if claim.kind == "throughput":
        return NOT_MEASURABLE, f"a rate on the author's machine; {_range(cells)}"
    if claim.kind == "count" or "instruction" in claim.sentence.lower():
        return _change(claim.value, [(cell.change or 0.0, cell) for cell in cells], "counted")
    predicted = [(one.change, cell) for cell in cells for one in cell.predicted if one.change is not None]
    if predicted:
        return _change(claim.value, predicted, "predicted")
    return NOT_MEASURABLE, f"a change in time, for which --predict CPU is needed; {_range(cells)}"


def _change(claimed: float, changes: Sequence[tuple[float, Cell]], how: str) -> tuple[str, str]:
    change, cell = min(changes, key=lambda pair: abs(pair[0] - claimed))
    text = f"nearest: {cell_text(cell)}, {format_change(change)} {how}"
    if abs(change - claimed) <= max(_POINTS, _CLOSE * abs(claimed)):
        return REPRODUCED, text
    if all(one * claimed < 0 for one, _ in changes):
        return CONTRADICTED, text
    return NOT_REPRODUCED, text


def _range(cells: Sequence[Cell]) -> str:
    changes = [cell.change or 0.0 for cell in cells]
    ends = f"{format_change(min(changes))} to {format_change(max(changes))}"
    return f"counts change by {ends} in {counted(len(cells), 'phase')}"
