# SPDX-License-Identifier: GPL-2.0-only
"""The kernel test robot's table: axes, commits, column heads, rows in its order; with n where it is known."""

from collections import Counter
from collections.abc import Sequence

from kassay.model.records import Record
from kassay.report.lkp.row import Row, line

_FIRST, _NEXT = 16, 27  # columns of the first kernel, of each further one
_RULE, _POINTER = "=" * 89, "\\"


class Head(Record, frozen=True, kw_only=True):
    """What stands above the rows. axes: (name, value). kernels: (id, name and subject for the commit block)."""

    axes: tuple[tuple[str, str], ...]
    kernels: tuple[tuple[str, str], ...]


def ordered(rows: Sequence[Row], first: str = "") -> tuple[Row, ...]:
    """Small families of keys before large ones, then by key, shares of a profile by their change.

    first: the family (what stands before the first dot) that comes first, however large: the workload's own.
    """
    sizes = Counter(_family(one) for one in rows)

    def place(one: Row) -> tuple[int, str, float]:
        words = one.key.split(".")
        profile = words[0] == "perf-profile"
        change = next((change for change in one.changes if change is not None), 0.0)
        size = 0 if first and _family(one) == first else sizes[_family(one)]
        return (size, ".".join(words[:2]) if profile else one.key, change)

    return tuple(sorted(rows, key=place))


def table(head: Head, rows: Sequence[Row]) -> str:
    """The whole table, one line each, ending with a newline."""
    counts = _usual(rows, len(head.kernels))
    lines = [*_axes(head), "commit: ", *(f"  {text}" for _, text in head.kernels), "", *_columns(head, counts)]
    lines += [line(one, counts) for one in rows]
    return "\n".join(lines) + "\n"


def _family(one: Row) -> str:
    return one.key.partition(".")[0]


def _axes(head: Head) -> list[str]:
    if not head.axes:
        return []
    names, values = ("/".join(part) for part in zip(*sorted(head.axes), strict=True))
    return [_RULE, f"{names}:", f"  {values}", ""]


def _columns(head: Head, counts: tuple[int | None, ...]) -> list[str]:
    """Ids, dashes, the line of n when any is known, what the columns are, and where they point."""
    further = range(len(head.kernels) - 1)
    widths = [_FIRST, *(_NEXT for _ in further)]
    ids = [f"{_cut(one, width):>{width}}" for (one, _), width in zip(head.kernels, widths, strict=True)]
    said = ["" if n is None else f"n={n}" for n in counts]
    known = [" ".join(f"{text:>{w}}" for text, w in zip(said, widths, strict=True))] if any(said) else []
    return [
        " ".join(ids) + " ",
        " ".join("-" * width for width in widths) + " ",
        *known,
        f"{'%stddev':>16}" + f"{'%change':>12}{'%stddev':>16}" * len(further),
        f"{_POINTER:>14}  " + f"{'|':>9}{_POINTER:>17}  " * len(further),
    ]


def _cut(text: str, width: int) -> str:
    """An id that fits its column; a name that is longer loses its end, as a hash may."""
    return text[:width]


def _usual(rows: Sequence[Row], kernels: int) -> tuple[int | None, ...]:
    """n of each column in the first row that knows it of all; None where no row does."""
    known = (tuple(mean.n for mean in (one.base, *one.heads)) for one in rows)
    return next((counts for counts in known if None not in counts), (None,) * kernels)
