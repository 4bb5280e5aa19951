# SPDX-License-Identifier: GPL-2.0-only
"""Two listings of code side by side: which instructions belong together, and their lines in formats of text."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from kassay.model.codegen import Instruction
from kassay.model.texts import one_line
from kassay.report.columns import pad
from kassay.report.document import PairRow, Sides
from kassay.report.words import cut

_LABEL = re.compile(r"\.L\d+")
_AROUND = 3  # equal instructions shown on each side of a difference
_SIDE = 57  # columns of one side: two of them, and what stands between, are at most 120
_COUNT, _NAME = 8, 5
_MOST_PAIRS = 4_000_000
"""Most pairs of instructions to compare: a second of work. Above it only equal begins and ends are aligned."""


def aligned_sides(left: Sequence[Instruction], right: Sequence[Instruction]) -> list[PairRow]:
    """Rows that have every instruction of both sides once."""
    ours, theirs = [_key(instruction) for instruction in left], [_key(instruction) for instruction in right]
    if len(ours) * len(theirs) > _MOST_PAIRS:
        return _by_ends(left, right, ours, theirs)
    rows: list[PairRow] = []
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        rows += _rows(tag == "equal", left[a:b], right[c:d])
    return rows


def _by_ends(
    left: Sequence[Instruction], right: Sequence[Instruction], ours: Sequence[str], theirs: Sequence[str]
) -> list[PairRow]:
    shorter = min(len(ours), len(theirs))
    head = next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
    tail = next((i for i in range(shorter - head) if ours[-1 - i] != theirs[-1 - i]), shorter - head)
    ends = len(ours) - tail, len(theirs) - tail
    return [
        *_rows(True, left[:head], right[:head]),
        *_rows(False, left[head : ends[0]], right[head : ends[1]]),
        *_rows(True, left[ends[0] :], right[ends[1] :]),
    ]


def _rows(equal: bool, left: Sequence[Instruction], right: Sequence[Instruction]) -> list[PairRow]:
    both = min(len(left), len(right))
    rows = [PairRow("" if equal else "|", a, b) for a, b in zip(left, right, strict=False)]
    rows += [PairRow("<", instruction, None) for instruction in left[both:]]
    return rows + [PairRow(">", None, instruction) for instruction in right[both:]]


def folded(rows: Sequence[PairRow], around: int) -> list[PairRow]:
    """The rows that differ with `around` equal ones on each side; runs of others become one row with a gap."""
    near = {j for i, row in enumerate(rows) if row.mark for j in range(i - around, i + around + 1)}
    shown: list[PairRow] = []
    for number, row in enumerate(rows):
        if number in near:
            shown.append(row)
        elif shown and shown[-1].gap:
            shown[-1] = shown[-1]._replace(gap=shown[-1].gap + 1)
        else:
            shown.append(PairRow("", None, None, 1))
    return shown


def count_text(count: float | None) -> str:
    """Executions per operation; "" when they are not known."""
    if not count:
        return "" if count is None else "0"
    return f"{count:.2f}" if count >= 0.005 else "<0.01"


def _key(instruction: Instruction) -> str:
    return _LABEL.sub(".L", instruction.text)


def sides_lines(sides: Sides) -> list[str]:
    """At most 120 columns: what differs, and a few equal instructions around it."""
    rows, counted = folded(sides.rows, _AROUND), bool(sides.unit)
    head = [f"{pad(cut(sides.left, _SIDE), _SIDE)}   {cut(sides.right, _SIDE)}".rstrip()]
    head += [f"(executed, {sides.unit}, before each instruction)"] if counted else []
    if not any(row.mark for row in rows):
        return [*head, f"the same {len(sides.rows)} instructions"]
    return head + [_row(row, counted) for row in rows]


def _row(row: PairRow, counted: bool) -> str:
    if row.gap:
        return f"      ... {row.gap} equal instructions"
    left, right = _instruction_text(row.left, counted), _instruction_text(row.right, counted)
    return f"{pad(left, _SIDE)} {row.mark or ' '} {right}".rstrip()


def _instruction_text(instruction: Instruction | None, counted: bool) -> str:
    if instruction is None:
        return ""
    count = count_text(instruction.count).rjust(_COUNT) + " " if counted else ""
    room = _SIDE - len(count) - _NAME - 1
    return f"{count}{pad(instruction.label, _NAME)} {cut(one_line(instruction.text), room)}"
