# SPDX-License-Identifier: GPL-2.0-only
"""How right predictions of pairs are: the error of the ratio, its sign, and whether the interval holds it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

import numpy as np

from kassay.model.records import Record

CHANGED = 0.05
"""From this measured change on its sign must be right."""
WAYS = ("predicted", "counts", "weighted", "llvm-mca")


class Row(Record, frozen=True, kw_only=True):
    """A pair. measured: head / base; spread: of that. ratios: by way of WAYS, what it says of head / base; None where
    it says nothing. interval: of the predicted one. judged: whether the measurement is steady enough. causes:
    (cause, base, head) in ns of an operation, by the model; base_ns, head_ns: measured. refused: why the model does
    not stand for this pair, "" where it does."""

    kind: str
    base: str
    head: str
    held_out: bool
    judged: bool
    measured: float
    spread: float
    base_ns: float
    head_ns: float
    ratios: dict[str, float | None]
    interval: tuple[float, float] | None = None
    causes: tuple[tuple[str, float, float], ...] = ()
    refused: str = ""

    def error(self, way: str) -> float | None:
        """|predicted / measured - 1|."""
        ratio = self.ratios.get(way)
        return None if ratio is None else abs(ratio / self.measured - 1)

    @property
    def inside(self) -> bool | None:
        """True if the interval holds the measured ratio. None without an interval."""
        return None if self.interval is None else self.interval[0] <= self.measured <= self.interval[1]


class Score(Record, frozen=True, kw_only=True):
    """Score of one way over some pairs."""

    pairs: int
    signs: float
    """Share that has the right sign, among changes measured as CHANGED or more."""
    middle: float
    """Median error."""
    ninth: float
    """Error that nine in ten do not exceed."""
    within: float
    """Share of errors of at most 20 %."""
    inside: float | None
    """Share of intervals that hold the measured ratio; None for a way without intervals."""


def score(rows: Iterable[Row], way: str) -> Score | None:
    """None when it says nothing of any of them."""
    judged = [(row, error) for row in rows if row.judged and (error := row.error(way)) is not None]
    if not judged:
        return None
    errors = [error for _, error in judged]
    signs = [_same_sign(row, way) for row, _ in judged if abs(row.measured - 1) >= CHANGED]
    inside = [row.inside for row, _ in judged if row.inside is not None] if way == WAYS[0] else []
    return Score(
        pairs=len(judged),
        signs=sum(signs) / max(1, len(signs)),
        middle=median(errors),
        ninth=float(np.quantile(errors, 0.9)),
        within=sum(error <= 0.2 for error in errors) / len(errors),
        inside=sum(inside) / len(inside) if inside else None,
    )


def _same_sign(row: Row, way: str) -> bool:
    ratio = row.ratios[way]
    return ratio is not None and (ratio > 1) == (row.measured > 1) and ratio != 1


_SETS: Sequence[tuple[str, Callable[[Row], bool]]] = (
    ("all", lambda row: True),
    ("fitted", lambda row: not row.held_out),
    ("held out", lambda row: row.held_out),
)


def table_of_scores(rows: Sequence[Row]) -> str:
    """Markdown: each way, over all pairs, those that were fitted to and those that were held out."""
    lines = [
        "| pairs | way | n | sign right | median error | nine in ten within | within 20 % | intervals that hold |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, chosen in _SETS:
        for way in WAYS:
            found = score(filter(chosen, rows), way)
            if found is not None:
                inside = "" if found.inside is None else f"{found.inside:.0%}"
                lines.append(
                    f"| {name} | {way} | {found.pairs} | {found.signs:.0%} | {found.middle:.1%} | {found.ninth:.0%} | "
                    f"{found.within:.0%} | {inside} |"
                )
    return "\n".join(lines)


def table_of_pairs(rows: Sequence[Row]) -> str:
    """Markdown: every pair."""
    lines = [
        "| kind | base | head | measured | predicted | interval | error | counts | weighted | llvm-mca | |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        error = row.error("predicted")
        interval = "" if row.interval is None else f"{row.interval[0]:.2f} to {row.interval[1]:.2f}"
        values = " | ".join(_ratio(row.ratios.get(way)) for way in WAYS[1:])
        sides = (
            f"| {row.kind} | `{row.base}` | `{row.head}` | {row.measured:.3g} | {_ratio(row.ratios.get('predicted'))}"
        )
        lines.append(f"{sides} | {interval} | {'' if error is None else f'{error:.1%}'} | {values} | {_notes(row)} |")
    return "\n".join(lines)


def _notes(row: Row) -> str:
    notes = (
        "held out" if row.held_out else "",
        "" if row.judged else f"noisy: {row.spread:.0%}",
        f"refused: {row.refused}" if row.refused else "",
        "outside" if row.inside is False and row.judged else "",
    )
    return ", ".join(filter(None, notes))


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def worst(rows: Iterable[Row], count: int) -> str:
    """The pairs that the model is most wrong about: both sides' time by cause beside the measured one, in ns. None that
    is held out: who looks at those and changes the model fits to them."""
    shown = (row for row in rows if row.judged and not row.held_out)
    known = [(error, row) for row in shown if (error := row.error("predicted")) is not None]
    lines = []
    for error, row in sorted(known, key=lambda pair: -pair[0])[:count]:
        lines.append(
            f"{row.base} > {row.head}: {error:.0%} ({row.ratios['predicted']:.3g}, measured {row.measured:.3g})"
        )
        base = {cause: ns for cause, ns, _ in row.causes}
        head = {cause: ns for cause, _, ns in row.causes}
        lines.append(f"  base: {_causes(base)}; measured {row.base_ns:.3g} ns")
        lines.append(f"  head: {_causes(head)}; measured {row.head_ns:.3g} ns")
    return "\n".join(lines)


def _causes(ns: Mapping[str, float]) -> str:
    """The total, and the causes of more than a fiftieth of it."""
    total = sum(ns.values())
    ordered = sorted(ns.items(), key=lambda pair: -pair[1])
    return f"{total:.3g} ns: " + ", ".join(f"{cause} {value:.3g}" for cause, value in ordered if value > 0.02 * total)
