# SPDX-License-Identifier: GPL-2.0-only
"""One row of the kernel test robot's table, as its columns print it: 10 and 6 wide, then 10 + 2, 10 and 6 a kernel."""

from kassay.model.records import Record

_PERCENT_SHOWN = 2.0  # spreads up to this many percent have no figure in the table
_WHOLE_FROM, _SCIENTIFIC_ABOVE, _COARSE_FROM = 1000, 1e8, 1e5


class Mean(Record, frozen=True, kw_only=True):
    """One kernel's figure. deviation: population standard deviation over mean; None when not known. n: None when not
    known."""

    value: float | None
    deviation: float | None = None
    n: int | None = None


class Row(Record, frozen=True, kw_only=True):
    """A key with the figure of the first kernel and of each further one. changes: against the first, in percent or, for
    an absolute() key, in the key's own unit; None where there is none to give."""

    key: str
    base: Mean
    heads: tuple[Mean, ...]
    changes: tuple[float | None, ...]


def row(key: str, base: Mean, heads: tuple[Mean, ...]) -> Row:
    """The row of these figures, its changes computed from them."""
    return Row(key=key, base=base, heads=heads, changes=tuple(_change(key, base.value, one.value) for one in heads))


def absolute(key: str) -> bool:
    """Whether a key is a share, whose change is a difference and not a ratio."""
    return key.startswith("perf-profile") or key.endswith("%")


def line(one: Row, counts: tuple[int | None, ...]) -> str:
    """The row as printed. counts: n of each column as said above the table; a row that differs says so itself."""
    text = _mean(one.base)
    for head, change in zip(one.heads, one.changes, strict=True):
        text += _changed(one.key, change) + _mean(head)
    own = tuple(mean.n for mean in (one.base, *one.heads))
    differs = any(n is not None and n != usual for n, usual in zip(own, counts, strict=True))
    texts = ["-" if n is None else str(n) for n in own]
    said = texts[:1] if len(set(texts)) == 1 else texts
    return f"{text}  {one.key}" + (f"  (n={', '.join(said)})" if differs else "")


def _change(key: str, base: float | None, head: float | None) -> float | None:
    if base is None or head is None:
        return None
    if absolute(key):
        return head - base
    return (head / base - 1) * 100 if base else None


def _mean(mean: Mean) -> str:
    return f"{_figure(mean.value):>10}{_spread(mean.deviation)}"


def _figure(value: float | None) -> str:
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
