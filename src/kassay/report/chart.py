# SPDX-License-Identifier: GPL-2.0-only
"""One metric over kernels as a static SVG: bars for values, a mark for every run, steps in colour."""

import re
from collections.abc import Sequence
from typing import Any

from kassay.model.units import format_change, format_numbers
from kassay.report.document import Chart, Key
from kassay.report.drawing import Spec, svg
from kassay.report.series import KernelRow, MetricSeries
from kassay.report.words import kernel_names

# Colours that stand for CSS custom properties: the page decides what they look like, by day and by night.
COLOURS = {
    "#010101": "--ink",
    "#020202": "--quiet",
    "#030303": "--rule",
    "#040404": "--bar",
    "#050505": "--worse",
    "#060606": "--better",
    "#070707": "--point",
    "#080808": "--paper",
}
BY_ROLE = {role.removeprefix("--"): colour for colour, role in COLOURS.items()}
# Named, and shipped inside vl-convert, so that text is as wide on every host; the page's own font replaces it.
FONT = "Liberation Sans"
Values = list[dict[str, Any]]
_STEPS = (("regression", "step: costs more than before"), ("improvement", "step: costs less than before"))


def has_values(series: MetricSeries) -> bool:
    """True if there is anything to draw."""
    return any(row.value is not None for row in series.rows)


def series_chart(series: MetricSeries) -> Chart:
    """One metric over kernels, as a block of a document."""
    if not has_values(series):
        return Chart(wide=None, absent="No kernel has an admitted value, so there is no chart.")
    drawn = {row.verdict for row in series.rows}
    steps = (Key(text=text, mark=verdict) for verdict, text in _STEPS if verdict in drawn)
    legend = (Key(text=f"{series.unit}, from zero"), *steps, Key(text="plain run", mark="dot"))
    legend += (Key(text="perturbed run", mark="diamond"),)
    return Chart(wide=wide_spec(series), narrow=narrow_spec(series), legend=legend)


def wide_spec(series: MetricSeries) -> Spec:
    """Kernels from left to right, for pages of more than 640 pixels, as Vega-Lite in the colours of COLOURS.

    Needs has_values(). https://vega.github.io/vega-lite/docs/
    """
    width = 860
    names = kernel_names([r.kernel for r in series.rows], 26)
    x, turned = kernels_axis(names, width)
    y = quantity("value", scale={"domain": [0, _top(series) * 1.12], "nice": False}, axis=FIGURES, title=None)
    top = quantity("top", title=None)
    offset, middle = quantity("place", scale={"domain": [-1, 1]}), {"datum": 0}
    bar = min(96, int(width * 0.5 / len(names)))
    bars, points = _bars(series, names), _points(series, names)
    layers = (
        layer(bars, {"type": "bar", "color": BY_ROLE["bar"], "width": bar}, x=x, xOffset=middle, y=y),
        layer(
            bars, {"type": "bar", "width": bar},
            x=x, xOffset=middle, y=quantity("low", title=None), y2={"field": "high"}, color=_TONE, opacity=_STRENGTH,
        ),
        layer(points, _mark(34), x=x, y=y, xOffset=offset, **_POINT),
        layer(bars, _text(dy=-12, fontSize=14), x=x, y=top, text=nominal("label")),
        layer(bars, _text(dy=-29, fontSize=12), x=x, y=top, text=nominal("change"), color=_TONE),
    )  # fmt: skip
    padding = {"left": 64, "right": 8, "top": 34, "bottom": 110 if turned else 30}
    return configured(layers, width - 72, 250, padding)


def narrow_spec(series: MetricSeries) -> Spec:
    """Kernels from top to bottom with their names above the bars, for pages of up to 640 pixels."""
    names = kernel_names([r.kernel for r in series.rows], 22)
    y = nominal("kernel", sort=None, axis=None, scale={"domain": list(names), "padding": 0.35})
    x = quantity("value", scale={"domain": [0, _top(series) * 1.02], "nice": False}, axis=None)
    offset = quantity("place", scale={"domain": [-1, 1]})
    bars, points = _bars(series, names), _points(series, names)
    above: Spec = {"type": "text", "baseline": "bottom", "dy": -13, "fontSize": 13}
    layers = (
        layer(bars, {"type": "bar", "color": BY_ROLE["bar"], "height": 18}, x=x, y=y),
        layer(
            bars, {"type": "bar", "height": 18},
            x=quantity("low", axis=None), x2={"field": "high"}, y=y, color=_TONE, opacity=_STRENGTH,
        ),
        layer(points, _mark(26), x=x, y=y, yOffset=offset, **_POINT),
        layer(bars, {**above, "align": "left"}, x={"value": 0}, y=y, text=nominal("kernel")),
        layer(
            bars, {**above, "align": "right", "fontWeight": 600},
            x={"value": 340}, y=y, text=nominal("both"), color=_TONE,
        ),
    )  # fmt: skip
    return configured(layers, 340, 54 * len(names), {"left": 2, "right": 8, "top": 4, "bottom": 4})


def nominal(field: str, **more: Any) -> Spec:
    """A channel of names."""
    return {"field": field, "type": "nominal", **more}


def quantity(field: str, **more: Any) -> Spec:
    """A channel of figures."""
    return {"field": field, "type": "quantitative", **more}


def layer(values: Values, mark: Spec, **encoding: Spec) -> Spec:
    """One kind of mark, drawn once for each row of values."""
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def kernels_axis(names: Sequence[str], width: int) -> tuple[Spec, bool]:
    """The channel of the kernels from left to right over `width` pixels, and whether their names have to be turned."""
    turned = max(map(len, names)) * 7 > width / len(names)
    axis = {"labelAngle": -30 if turned else 0, "labelOverlap": False, "labelLimit": 220, "labelPadding": 7,
            "title": None, "ticks": False}  # fmt: skip
    scale = {"domain": list(names), "paddingInner": 0.4, "paddingOuter": 0.3}
    return nominal("kernel", sort=None, scale=scale, axis=axis), turned


def _mark(size: int) -> Spec:
    return {"type": "point", "size": size, "filled": True, "opacity": 1}


def _text(**more: Any) -> Spec:
    return {"type": "text", "fontWeight": 600, **more}


_KINDS = ["plain", "perturbed"]
_POINT: dict[str, Spec] = {
    "shape": nominal("kind", legend=None, scale={"domain": _KINDS, "range": ["circle", "diamond"]}),
    "color": nominal("kind", legend=None, scale={"domain": _KINDS, "range": [BY_ROLE["point"], BY_ROLE["paper"]]}),
    "stroke": {"value": BY_ROLE["point"]},
    "strokeWidth": {"value": 1.4},
}
_STRENGTH = quantity("strength", legend=None, scale=None)
_TONE = nominal("tone", legend=None, scale={"domain": list(BY_ROLE), "range": list(BY_ROLE.values())})
# Thousands stand apart by a space, as everywhere in a report.
FIGURES: Spec = {
    "tickCount": 5, "ticks": False, "domain": False, "labelPadding": 8, "gridDash": [2, 4],
    "labelExpr": "replace(datum.label, /,/g, ' ')",
}  # fmt: skip


def _top(series: MetricSeries) -> float:
    """The largest figure that is drawn; 1 when all are zero, so that there is a scale."""
    return max((_highest(row) for row in series.rows), default=0.0) or 1.0


def _highest(row: KernelRow) -> float:
    return max((*row.side.runs, *row.side.perturbed, row.value or 0.0))


def _bars(series: MetricSeries, names: tuple[str, ...]) -> Values:
    labels = format_numbers([r.value for r in series.rows])
    before = (None, *(row.value for row in series.rows[:-1]))
    rows = zip(series.rows, names, labels, before, strict=True)
    return [_bar(row, name, label, value) for row, name, label, value in rows]


def _bar(row: KernelRow, name: str, label: str, before: float | None) -> dict[str, Any]:
    """low to high is the part that a step added to the bar or took from it; empty without a step."""
    change = format_change(row.change) if row.step else row.verdict if row.value is None else ""
    value = row.value or 0.0
    low, high = sorted((before, value)) if row.step and before is not None else (value, value)
    return {
        "kernel": name,
        "value": value,
        "low": low,
        "high": high,
        "top": max(_highest(row), high),
        "label": label,
        "change": change,
        "strength": 0.85 if high <= value else 0.25,  # what a step took off is a shadow, not a bar
        "both": f"{change} · {label}" if change else label,
        "tone": {"regression": "worse", "improvement": "better"}.get(row.verdict, "ink"),
    }


def _points(series: MetricSeries, names: tuple[str, ...]) -> Values:
    """Every run, spread over its bar's width: plain runs left of the middle, perturbed ones right of it."""
    points: Values = []
    for row, name in zip(series.rows, names, strict=True):
        for kind, values, side in (("plain", row.side.runs, -1), ("perturbed", row.side.perturbed, 1)):
            for i, value in enumerate(values, 1):
                position = side * 0.7 * i / (len(values) + 1)
                points.append({"kernel": name, "value": value, "kind": kind, "place": position})
    return points


def configured(layers: Sequence[Spec], width: int, height: int, padding: dict[str, int]) -> Spec:
    """A whole chart: its layers with the fonts and colours that all charts have."""
    axis = {"labelFont": FONT, "labelFontSize": 13, "labelColor": BY_ROLE["quiet"], "gridColor": BY_ROLE["rule"],
            "domainColor": BY_ROLE["rule"]}  # fmt: skip
    text = {"font": FONT, "fill": BY_ROLE["ink"]}
    view = {"continuousWidth": 300, "continuousHeight": 300, "stroke": None}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.4.1.json",
        "layer": list(layers), "resolve": {"scale": {"color": "independent"}},
        "width": width, "height": height, "padding": padding, "autosize": "none", "background": "transparent",
        "config": {"view": view, "axis": axis, "text": text},
    }  # fmt: skip


def svg_of(spec: Spec) -> str:
    """A chart for a page. Placeholder colours become CSS custom properties, by day and by night; fonts, size and labels
    for screen readers are the page's."""
    drawn = svg(spec)
    for colour, name in COLOURS.items():
        drawn = drawn.replace(f'"{colour}"', f'"var({name})"')
    drawn = re.sub(r' font-family="[^"]*"| aria-[a-z]+="[^"]*"| role="[^"]*"| aria-hidden="true"', "", drawn)
    return re.sub(r'(<svg [^>]*?) width="[\d.]+" height="[\d.]+"', r'\1 aria-hidden="true"', drawn, count=1)
