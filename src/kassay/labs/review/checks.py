# SPDX-License-Identifier: GPL-2.0-only
"""Figures that a text claims, held against the measured settings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kassay.labs.review.claims import UNKNOWN, Claim
from kassay.labs.review.corners import parts_of
from kassay.labs.review.decided import is_decided
from kassay.labs.review.model import SCREENED, Cell, CheckedClaim, Review
from kassay.labs.review.named import arches_in, named_in
from kassay.labs.review.report._words import cell_text
from kassay.model.kernel import parse_ref
from kassay.model.records import grouped
from kassay.model.texts import counted, listed, shortened
from kassay.model.units import format_change, format_signed, places_of
from kassay.supply.arches import arches

REPRODUCED, NOT_REPRODUCED, CONTRADICTED, NOT_DECIDED, NOT_MEASURABLE, NOT_UNDERSTOOD = (
    "reproduced", "not-reproduced", "contradicted", "not-decided", "not-measurable", "not-understood",
)  # fmt: skip
OUTCOMES = {
    REPRODUCED: "a measured setting has this figure",
    NOT_REPRODUCED: "no measured setting has this figure",
    CONTRADICTED: "every measured setting has a verdict, and changes the other way",
    NOT_DECIDED: "the settings that it is about have no verdict",
    NOT_MEASURABLE: "counts cannot tell",
    NOT_UNDERSTOOD: "the words near the number do not say clearly what changes, and which way",
}
_WIDEST = 200
"""Characters of a sentence that are kept."""
_NAMED = 2
"""Settings without a verdict that a row names."""
_CLOSE, _POINTS = 0.1, 0.005
"""A change is that of the claim if it lies within a tenth of it, or within half a percentage point; of a claim below
one per cent, within half of it."""


def checked(claims: Iterable[Claim], review: Review) -> tuple[CheckedClaim, ...]:
    """Each claim with its outcome."""
    own = parse_ref(review.base.ref).arch
    cells = grouped((arch, cell) for arch, cell in _cells(review, own) if cell.verdict != SCREENED)
    once = [cell for cell in review.cells if cell.verdict == SCREENED and cell.change is not None]
    return tuple(_checked(claim, cells, once, own) for claim in claims)


def _cells(review: Review, own: str) -> Iterator[tuple[str, Cell]]:
    """(architecture, cell) of the review, and of its corners with another architecture."""
    yield from ((own, cell) for cell in review.cells)
    for corner in review.corners:
        if (arch := parts_of(corner.name).get("arch", own)) != own:
            yield from ((arch, cell) for cell in corner.cells)


def _checked(claim: Claim, cells: Mapping[str, Sequence[Cell]], once: Sequence[Cell], own: str) -> CheckedClaim:
    outcome, detail = _outcome(claim, cells, once, own)
    return CheckedClaim(
        sentence=claim.sentence[:_WIDEST], figure=claim.figure, line=claim.line, outcome=outcome, detail=detail
    )


def _outcome(
    claim: Claim, by_arch: Mapping[str, Sequence[Cell]], once: Sequence[Cell], own: str
) -> tuple[str, str]:  # fmt: skip
    """once: settings of this architecture that ran once, for sentences that name no measured one."""
    if claim.kind == UNKNOWN:
        return NOT_UNDERSTOOD, OUTCOMES[NOT_UNDERSTOOD]
    if claim.kind == "size":
        return NOT_MEASURABLE, "memory is not measured"
    if not any(by_arch.values()):
        return NOT_MEASURABLE, "no setting was measured"
    named_arches = arches_in(claim.sentence)
    cells = [cell for arch in named_arches or (own,) for cell in by_arch.get(arch, ())]
    if not cells:
        corner = next((f": --corner arch={arch}" for arch in named_arches if arch in arches()), "")
        return NOT_MEASURABLE, f"the sentence is about {listed(named_arches)}, where nothing was measured{corner}"
    named, found = named_in(claim.sentence, cells)
    words = listed([value if name == "workload" else f"{name}={value}" for name, value in named])
    how = ""
    if not found and own in (named_arches or (own,)):
        named, found = named_in(claim.sentence, once)
        how = ", run once"
    if not found:
        return NOT_MEASURABLE, f"no setting that ran has {words}"
    outcome, detail = _of_found(claim, found)
    where = (
        f"of {words}{how}"
        if named
        else f"no setting is named, so of all that were measured ({counted(len(cells), 'phase')})"
    )
    return outcome, f"{where}: {detail}"


def _of_found(claim: Claim, found: Sequence[Cell]) -> tuple[str, str]:
    """The outcome by the cells that have a verdict, or ran once. Others contradict nothing, nor does a part of a
    setting if the whole has no verdict."""
    decided = [cell for cell in found if is_decided(cell) or cell.verdict == SCREENED]
    open_ = [cell for cell in found if cell not in decided]
    outcome, detail = _of_cells(claim, decided) if decided else (NOT_DECIDED, "")
    if not open_ or outcome in (REPRODUCED, NOT_MEASURABLE):
        return outcome, detail
    if not decided or not any(cell.primary for cell in decided):
        whys = {cell_text(cell): "unstable" if cell.evidence == "unstable" else cell.verdict for cell in open_}
        texts = [f"{name} has no verdict ({why})" for name, why in whys.items()]
        return NOT_DECIDED, "; ".join(shortened(texts, _NAMED))
    open_text = f"{counted(len(open_), 'phase')} {'is' if len(open_) == 1 else 'are'} not decided"
    return NOT_REPRODUCED, f"{detail}; {open_text}"


def _of_cells(claim: Claim, cells: Sequence[Cell]) -> tuple[str, str]:
    if claim.amount is not None:
        return _difference(claim, claim.amount, cells)
    if claim.value is None or claim.kind == "throughput":
        return NOT_MEASURABLE, f"a rate is not measured; {_range(cells)}"
    if claim.kind == "count" or "instruction" in claim.sentence.lower():
        return _change(claim.value, [(cell.change or 0.0, cell) for cell in cells], "counted")
    predicted = [(one.change, cell) for cell in cells for one in cell.predicted if one.change is not None]
    if predicted:
        return _change(claim.value, predicted, "predicted")
    return NOT_MEASURABLE, f"a change in time, for which --predict CPU is needed; {_range(cells)}"


def _difference(claim: Claim, amount: float, cells: Sequence[Cell]) -> tuple[str, str]:
    """A difference in the unit of the counts."""
    counts = [
        (cell.head - cell.base, cell) for cell in cells
        if cell.base is not None and cell.head is not None and cell.unit.startswith(claim.unit)
    ]  # fmt: skip
    if not claim.unit.startswith("instructions"):
        return NOT_MEASURABLE, f"a difference in {claim.unit}, which depends on the machine; {_range(cells)}"
    if not counts:
        return NOT_MEASURABLE, f"no measured setting counts {claim.unit}"
    difference, cell = min(counts, key=lambda pair: abs(pair[0] - amount))
    text = f"nearest: {cell_text(cell)}, {format_signed(difference, places_of(abs(difference)))} {cell.unit} counted"
    return _judged(difference, amount, [one for one, _ in counts], _CLOSE * abs(amount)), text


def _change(claimed: float, changes: Sequence[tuple[float, Cell]], how: str) -> tuple[str, str]:
    change, cell = min(changes, key=lambda pair: abs(pair[0] - claimed))
    points = min(_POINTS, abs(claimed) / 2) if claimed else _POINTS
    outcome = _judged(change, claimed, [one for one, _ in changes], max(points, _CLOSE * abs(claimed)))
    if outcome != REPRODUCED:  # a phase is not what the text is about
        whole = [pair for pair in changes if pair[1].primary]
        change, cell = min(whole or changes, key=lambda pair: abs(pair[0] - claimed))
    return outcome, f"nearest: {cell_text(cell)}, {format_change(change)} {how}"


def _judged(nearest: float, claimed: float, measured: Iterable[float], tolerance: float) -> str:
    if abs(nearest - claimed) <= tolerance:
        return REPRODUCED
    return CONTRADICTED if all(one * claimed < 0 for one in measured) else NOT_REPRODUCED


def _range(cells: Sequence[Cell]) -> str:
    changes = [cell.change or 0.0 for cell in cells]
    ends = f"{format_change(min(changes))} to {format_change(max(changes))}"
    return f"counts change by {ends} in {counted(len(cells), 'phase')}"
