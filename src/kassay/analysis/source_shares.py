# SPDX-License-Identifier: GPL-2.0-only
"""A function's costs in two kernels -> the part of each function of the sources, with the line where they differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from typing import NamedTuple

from kassay.model.costs import counted
from kassay.model.profile import FunctionCost, LineCount
from kassay.model.records import grouped


class _Line(NamedTuple):
    file: str | None
    line: int | None
    cost: Fraction
    """Instructions and string iterations per operation."""


class SourcePart(NamedTuple):
    """One source function's part of a difference, exact."""

    function: str
    file: str | None
    """Source file of `line`; None if not known."""
    line: int | None
    """Line at which the sides differ most; None if not known."""
    base: Fraction
    head: Fraction

    @property
    def delta(self) -> Fraction:
        """Head - base."""
        return self.head - self.base


class Lines(NamedTuple):
    """Source lines of one row of a profile."""

    lines: Sequence[LineCount]
    operations: int
    """Number of operations that the counts are divided by."""


def lines_of(costs: Iterable[FunctionCost], operations: int) -> Lines | None:
    """The lines of a row, which several costs may make up; None if a part of them is without lines."""
    lines: list[LineCount] = []
    for cost in costs:
        if not cost.lines and counted(cost):
            return None
        lines += cost.lines
    return Lines(lines, operations)


def source_parts(base: Lines | None, head: Lines | None) -> tuple[SourcePart, ...]:
    """Every source function of a row, largest change first; they add up to the row. Empty if a side has no lines."""
    if base is None or head is None:
        return ()
    sides = _by_function(base), _by_function(head)
    parts = []
    for function in {**sides[1], **sides[0]}:
        before, after = sides[0].get(function, ()), sides[1].get(function, ())
        where = _where(before, after)
        parts.append(SourcePart(function, where.file, where.line, _sum(before), _sum(after)))
    return tuple(sorted(parts, key=lambda part: (-abs(part.delta), -part.head, part.function)))


def added_up(parts: Iterable[SourcePart]) -> tuple[SourcePart, ...]:
    """One part per function of several rows, largest change first. The place is that of the largest one."""
    by_function = grouped((part.function, part) for part in parts)
    sums = []
    for shares in by_function.values():
        largest = max(shares, key=lambda part: (abs(part.delta), part.head))
        sums.append(largest._replace(base=sum((p.base for p in shares), Fraction(0)),
                                     head=sum((p.head for p in shares), Fraction(0))))  # fmt: skip
    return tuple(sorted(sums, key=lambda part: (-abs(part.delta), part.function)))


def _by_function(side: Lines) -> Mapping[str, Sequence[_Line]]:
    """The lines of each function in the order of the source."""
    by_line: dict[tuple[str, str | None, int | None], int] = {}
    for one in side.lines:
        key = one.function, one.file, one.line
        by_line[key] = by_line.get(key, 0) + one.count
    return grouped(
        (function, _Line(file, line, Fraction(count, side.operations)))
        for (function, file, line), count in sorted(
            by_line.items(), key=lambda item: (item[0][1] or "", item[0][2] or 0)
        )
    )


def _sum(lines: Iterable[_Line]) -> Fraction:
    return sum((line.cost for line in lines), Fraction(0))


def _where(base: Sequence[_Line], head: Sequence[_Line]) -> _Line:
    """The line whose count differs most, in the source of the kernel where the function costs more.

    Numbers of lines shift between sources, so lines are matched by their counts in order, as diff matches them by
    their text.
    """
    side, other = (base, head) if _sum(base) > _sum(head) else (head, base)
    counts, others = ([float(line.cost) for line in lines] for lines in (side, other))
    added: dict[int, float] = {}
    for tag, first, last, start, end in SequenceMatcher(None, others, counts, autojunk=False).get_opcodes():
        if tag != "equal":
            matched = dict(_most_similar(counts[start:end], others[first:last]))
            added |= {start + at: count - matched.get(at, 0) for at, count in enumerate(counts[start:end])}
    differing = added or dict(enumerate(counts))
    return side[max(differing, key=lambda at: (side[at].line is not None, differing[at], counts[at]))]


def _most_similar(counts: Sequence[float], others: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Index of a count, and the count of the others that belongs to it: the most similar ones, each once."""
    free = set(range(len(counts))), set(range(len(others)))
    pairs = ((abs(count - other), at, by) for at, count in enumerate(counts) for by, other in enumerate(others))
    for _, at, by in sorted(pairs):
        if at in free[0] and by in free[1]:
            free[0].remove(at)
            free[1].remove(by)
            yield at, others[by]
