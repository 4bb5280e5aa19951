# SPDX-License-Identifier: GPL-2.0-only
"""Two listings beside each other."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from kassay.model.codegen import Instruction

_LABEL = re.compile(r"\.L\d+")
_MOST_PAIRS = 4_000_000
"""Of instructions to be compared; a second at most. Beyond, what both begin and end with is aligned."""


class Row(NamedTuple):
    """mark: "" for the same instruction (labels may have other numbers), "|" for another one, "<" and ">" for one that
    only the left or the right has. gap: how many equal rows were left out here."""

    mark: str
    left: Instruction | None
    right: Instruction | None
    gap: int = 0


def aligned_sides(left: Sequence[Instruction], right: Sequence[Instruction]) -> list[Row]:
    """Every instruction of both, once."""
    ours, theirs = [_key(one) for one in left], [_key(one) for one in right]
    if len(ours) * len(theirs) > _MOST_PAIRS:
        return _by_ends(left, right, ours, theirs)
    rows: list[Row] = []
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        rows += _rows(tag == "equal", left[a:b], right[c:d])
    return rows


def _by_ends(
    left: Sequence[Instruction], right: Sequence[Instruction], ours: Sequence[str], theirs: Sequence[str]
) -> list[Row]:
    shorter = min(len(ours), len(theirs))
    head = next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
    tail = next((i for i in range(shorter - head) if ours[-1 - i] != theirs[-1 - i]), shorter - head)
    ends = len(ours) - tail, len(theirs) - tail
    return [
        *_rows(True, left[:head], right[:head]),
        *_rows(False, left[head : ends[0]], right[head : ends[1]]),
        *_rows(True, left[ends[0] :], right[ends[1] :]),
    ]


def _rows(equal: bool, left: Sequence[Instruction], right: Sequence[Instruction]) -> list[Row]:
    both = min(len(left), len(right))
    rows = [Row("" if equal else "|", a, b) for a, b in zip(left, right, strict=False)]
    return rows + [Row("<", one, None) for one in left[both:]] + [Row(">", None, one) for one in right[both:]]


def folded(rows: Sequence[Row], around: int) -> list[Row]:
    """The rows that differ with `around` equal ones on each side; runs of others become one row with a gap."""
    near = {j for i, row in enumerate(rows) if row.mark for j in range(i - around, i + around + 1)}
    found: list[Row] = []
    for number, row in enumerate(rows):
        if number in near:
            found.append(row)
        elif found and found[-1].gap:
            found[-1] = found[-1]._replace(gap=found[-1].gap + 1)
        else:
            found.append(Row("", None, None, 1))
    return found


def count_text(count: float | None) -> str:
    """Executions per operation; "" when they are not known."""
    if not count:
        return "" if count is None else "0"
    return f"{count:.2f}" if count >= 0.005 else "<0.01"


def _key(one: Instruction) -> str:
    return _LABEL.sub(".L", one.text)
