# SPDX-License-Identifier: GPL-2.0-only
"""Sentences of a review on its corners and on predicted time."""

from collections.abc import Sequence

from kassay.labs.review.decided import is_decided, largest
from kassay.labs.review.model import Cell, Corner, PredictedChange, Review
from kassay.labs.review.report._words import cell_text, measured
from kassay.model.texts import counted, listed, shortened
from kassay.model.units import format_change, format_numbers

_NAMED = 6


def corners(review: Review) -> list[str]:
    """On how many CPUs and in how many corners the largest gain and loss hold."""
    tried = [corner for corner in review.corners if not corner.problem and not corner.same_as]
    sentences = []
    for word, name in (("regression", "loss"), ("improvement", "gain")):
        own = largest(measured(review), word)
        if own is None:
            continue
        if own.predicted:
            sure = [one for one in own.predicted if _is_certain(one, own)]
            cpus = counted(len(own.predicted), "CPU")
            sentences.append(f"In predicted time the {name} of {cell_text(own)} is certain on {len(sure)} of {cpus}.")
        if tried:
            sentences.append(_holding(tried, own, name))
    return sentences


def _holding(tried: Sequence[Corner], own: Cell, name: str) -> str:
    """The sentence on the corners in which a loss or a gain has the same verdict. A corner counts if it has one."""
    verdicts = {corner.name: _verdict(corner, own) for corner in tried}
    decided = [corner for corner, verdict in verdicts.items() if verdict]
    open_ = listed(shortened([corner for corner, verdict in verdicts.items() if not verdict], _NAMED))
    if not decided:
        return f"The {name} of {cell_text(own)} is not decided in any corner ({open_})."
    others = [corner for corner in decided if verdicts[corner] != own.verdict]
    parts = [
        f"The {name} of {cell_text(own)} holds in {len(decided) - len(others)} of {counted(len(decided), 'corner')}",
        *([f"not in {listed(shortened(others, _NAMED))}"] if others else []),
        *([f"not decided in {open_}"] if open_ else []),
    ]
    return f"{'; '.join(parts)}."


def _verdict(corner: Corner, own: Cell) -> str:
    """The verdict of a cell in a corner; "" if it was not measured there, or has none."""
    if corner.same_image:
        return "equivalent"
    same = (cell for cell in corner.cells if (cell.key, cell.phase) == (own.key, own.phase))
    return next((cell.verdict for cell in same if is_decided(cell)), "")


def _is_certain(predicted: PredictedChange, own: Cell) -> bool:
    """True if the whole interval of the predicted time is a change in the direction of the counts."""
    ends = predicted.interval or (predicted.change, predicted.change)
    return all(end is not None and end * (own.change or 0.0) > 0 for end in ends)


def corner_texts(review: Review) -> list[str]:
    """One sentence for each corner, for a letter: the names of corners are too long for a table of 72 columns."""
    texts = []
    for corner in review.corners:
        values = [_step(cell) for cell in corner.cells]
        why = corner.problem or (f"the kernels of {corner.same_as}" if corner.same_as else "")
        text = "same image" if corner.same_image else "; ".join(values) or f"not measured: {why}"
        texts.append(f"{corner.name}: {text}")
    return texts


def _step(cell: Cell) -> str:
    base, head = format_numbers([cell.base, cell.head])
    return f"{cell_text(cell)} ({base} -> {head}, {format_change(cell.change)}, {cell.verdict})"


def disagreements(review: Review) -> list[str]:
    """The reason for each corner whose verdict is another one."""
    return [text for corner in review.corners for text in corner.decides]
