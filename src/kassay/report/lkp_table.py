# SPDX-License-Identifier: GPL-2.0-only
"""The layout of the kernel test robot's comparison table, with n: rows, their order, what stands above them."""

from collections import Counter
from collections.abc import Sequence

from kassay.model.records import Record
from kassay.report.shares import PROFILE

_PERCENT_SHOWN = 2.0  # spreads up to this many percent have no figure in the table
_WHOLE_FROM, _SCIENTIFIC_ABOVE, _COARSE_FROM = 1000, 1e8, 1e5


class Mean(Record, frozen=True, kw_only=True):
    """One kernel's figure."""

    value: float | None
    deviation: float | None = None
    """Population standard deviation over mean; None when not known."""
    n: int | None = None
    """Number of values; None when not known."""


class LkpRow(Record, frozen=True, kw_only=True):
    """A key with the figure of the first kernel and of each further one."""

    key: str
    base: Mean
    heads: tuple[Mean, ...]
    changes: tuple[float | None, ...]
    """Changes against the first kernel, in percent or, for an absolute() key, in the key's own unit. None if there is
    none to give."""


def row(key: str, base: Mean, heads: tuple[Mean, ...]) -> LkpRow:
    """The row of these figures, its changes computed from them."""
    return LkpRow(
        key=key, base=base, heads=heads, changes=tuple(_change(key, base.value, head.value) for head in heads)
    )


def absolute(key: str) -> bool:
    """True if a key is a share, whose change is a difference and not a ratio."""
    return key.startswith(PROFILE) or key.endswith("%")


def line(lkp_row: LkpRow, counts: tuple[int | None, ...]) -> str:
    """The row as printed. counts: n of each column as above the table; a row with another n has it at its end."""
    text = mean_text(lkp_row.base)
    for head, change in zip(lkp_row.heads, lkp_row.changes, strict=True):
        text += _changed(lkp_row.key, change) + mean_text(head)
    row_counts = tuple(mean.n for mean in (lkp_row.base, *lkp_row.heads))
    differs = any(n is not None and n != usual for n, usual in zip(row_counts, counts, strict=True))
    texts = ["-" if n is None else str(n) for n in row_counts]
    texts = texts[:1] if len(set(texts)) == 1 else texts
    return f"{text}  {lkp_row.key}" + (f"  (n={', '.join(texts)})" if differs else "")


def _change(key: str, base: float | None, head: float | None) -> float | None:
    if base is None or head is None:
        return None
    if absolute(key):
        return head - base
    return (head / base - 1) * 100 if base else None


def mean_text(mean: Mean) -> str:
    """The mean with its spread, as wide as their columns."""
    return f"{_figure_text(mean.value):>10}{_spread(mean.deviation)}"


def _figure_text(value: float | None) -> str:
    if value is None:
        return "-"
    if abs(value) > _SCIENTIFIC_ABOVE:
        return f"{value:.4g}"
    return f"{value:.2f}" if abs(value) < _WHOLE_FROM else str(int(value))


def _spread(deviation: float | None) -> str:
    percent = None if deviation is None else deviation * 100
    return " " * 6 if percent is None or percent <= _PERCENT_SHOWN else f" ±{int(percent):3d}%"


def _changed(key: str, change: float | None) -> str:
    if change is None:
        return f"{'-':>10}  "
    figure = f"{change:+.1f}" if abs(change) < _COARSE_FROM else f"{change:+.2g}"
    return f"{figure:>10}{'  ' if absolute(key) else '% '}"


_FIRST, _NEXT = 16, 27  # columns of the first kernel, of each further one
_RULE, _POINTER = "=" * 89, "\\"


class Head(Record, frozen=True, kw_only=True):
    """The lines above the rows."""

    axes: tuple[tuple[str, str], ...]
    """Axes as (name, value)."""
    kernels: tuple[tuple[str, str], ...]
    """Kernels as (id, name and subject for the commit block)."""


def ordered(rows: Sequence[LkpRow], first: str = "") -> tuple[LkpRow, ...]:
    """Small families of keys before large ones, then by key, shares of a profile by their change.

    first: the family (what stands before the first dot) that comes first, however large: the workload's own.
    """
    sizes = Counter(_family(row) for row in rows)

    def rank(row: LkpRow) -> tuple[int, str, float]:
        parts = row.key.split(".")
        profile = parts[0] == PROFILE
        change = next((change for change in row.changes if change is not None), 0.0)
        size = 0 if first and _family(row) == first else sizes[_family(row)]
        return (size, ".".join(parts[:2]) if profile else row.key, change)

    return tuple(sorted(rows, key=rank))


def table(head: Head, rows: Sequence[LkpRow]) -> str:
    """The whole table, one line each, ending with a newline."""
    counts = _usual(rows, len(head.kernels))
    lines = [*_axes(head), "commit: ", *(f"  {text}" for _, text in head.kernels), "", *_columns(head, counts)]
    lines += [line(row, counts) for row in rows]
    return "\n".join(lines) + "\n"


def _family(lkp_row: LkpRow) -> str:
    return lkp_row.key.partition(".")[0]


def _axes(head: Head) -> list[str]:
    if not head.axes:
        return []
    names, values = ("/".join(part) for part in zip(*sorted(head.axes), strict=True))
    return [_RULE, f"{names}:", f"  {values}", ""]


def _columns(head: Head, counts: tuple[int | None, ...]) -> list[str]:
    """Ids, dashes, the line of n when any is known, what the columns are, and where they point."""
    further = len(head.kernels) - 1
    widths = [_FIRST, *[_NEXT] * further]
    ids = [f"{name:>{width}}" for name, width in zip(_ids(head, widths), widths, strict=True)]
    texts = ["" if n is None else f"n={n}" for n in counts]
    n_line = [" ".join(f"{text:>{w}}" for text, w in zip(texts, widths, strict=True))] if any(texts) else []
    return [
        " ".join(ids) + " ",
        " ".join("-" * width for width in widths) + " ",
        *n_line,
        f"{'%stddev':>16}" + f"{'%change':>12}{'%stddev':>16}" * further,
        f"{_POINTER:>14}  " + f"{'|':>9}{_POINTER:>17}  " * further,
    ]


def _ids(head: Head, widths: Sequence[int]) -> list[str]:
    """Names that fit their columns. One that is too long loses its end, as a hash may; if another one then reads like
    it, its place among the commits is behind it."""
    names = [name for name, _ in head.kernels]
    begins = Counter(name[: min(widths)] for name in names)
    return [
        f"{name[: width - 3]}~{place}" if len(name) > width and begins[name[: min(widths)]] > 1 else name[:width]
        for place, (name, width) in enumerate(zip(names, widths, strict=True), 1)
    ]


def _usual(rows: Sequence[LkpRow], kernels: int) -> tuple[int | None, ...]:
    """n of each column in the first row that knows it of all; None where no row does, or where one knows no n."""
    all_counts = [tuple(mean.n for mean in (row.base, *row.heads)) for row in rows]
    if any(set(counts) == {None} for counts in all_counts):
        return (None,) * kernels
    return next((counts for counts in all_counts if None not in counts), (None,) * kernels)
