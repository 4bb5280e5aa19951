# SPDX-License-Identifier: GPL-2.0-only
"""One metric over kernels as a static SVG: bars for values, a mark for every run, steps in colour."""

import re
from typing import Any

import altair as alt
import vl_convert

from kassay.model.units import format_change, format_numbers
from kassay.report.series import Row, Series
from kassay.report.words import short_names

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
Spec = dict[str, Any]


def has_values(series: Series) -> bool:
    """Whether there is anything to draw."""
    return any(row.value is not None for row in series.rows)


def wide_svg(series: Series) -> str:
    """Kernels from left to right, for pages of more than 640 pixels. Needs has_values()."""
    return _svg(wide_spec(series))


def wide_spec(series: Series) -> Spec:
    """The same as Vega-Lite, in the colours of COLOURS."""
    width = 860
    names = short_names([r.kernel for r in series.rows], 26)
    turned = max(map(len, names)) * 7 > width / len(names)
    kernels = alt.X("kernel:N", sort=None, scale=alt.Scale(domain=list(names), paddingInner=0.4, paddingOuter=0.3))
    angle = -30 if turned else 0
    axis = alt.Axis(labelAngle=angle, labelOverlap=False, labelLimit=220, labelPadding=7, title=None, ticks=False)
    x = kernels.axis(axis)
    y = alt.Y("value:Q", scale=alt.Scale(domain=[0, _top(series) * 1.12], nice=False), axis=figures(), title=None)
    offset, middle = alt.XOffset("place:Q", scale=alt.Scale(domain=[-1, 1])), alt.XOffsetDatum(0)
    bar = min(96, int(width * 0.5 / len(names)))
    base, points = chart(_bars(series, names)), chart(_points(series, names))
    layers = alt.layer(
        base.mark_bar(color=BY_ROLE["bar"], width=bar).encode(x=x, xOffset=middle, y=y),
        base.mark_bar(width=bar).encode(
            x=x, xOffset=middle, y=alt.Y("low:Q", title=None), y2="high:Q", color=_paint("tone"), opacity=_STRENGTH
        ),
        points.mark_point(size=34, filled=True, opacity=1).encode(x=x, y=y, xOffset=offset, shape=_SHAPE, **_OUTLINE),
        base.mark_text(dy=-12, fontSize=14, fontWeight=600).encode(x=x, y=alt.Y("top:Q", title=None), text="label:N"),
        base.mark_text(dy=-29, fontSize=12, fontWeight=600).encode(
            x=x, y=alt.Y("top:Q", title=None), text="change:N", color=_paint("tone")
        ),
    )
    padding = {"left": 64, "right": 8, "top": 34, "bottom": 110 if turned else 30}
    return configured(layers, width - 72, 250, padding)


def narrow_svg(series: Series) -> str:
    """Kernels from top to bottom with their names above the bars, for pages of up to 640 pixels."""
    names = short_names([r.kernel for r in series.rows], 22)
    y = alt.Y("kernel:N", sort=None, axis=None, scale=alt.Scale(domain=list(names), padding=0.35))
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, _top(series) * 1.02], nice=False), axis=None)
    offset = alt.YOffset("place:Q", scale=alt.Scale(domain=[-1, 1]))
    base, points = chart(_bars(series, names)), chart(_points(series, names))
    above: dict[str, Any] = {"baseline": "bottom", "dy": -13, "fontSize": 13}
    layers = alt.layer(
        base.mark_bar(color=BY_ROLE["bar"], height=18).encode(x=x, y=y),
        base.mark_bar(height=18).encode(
            x=alt.X("low:Q", axis=None), x2="high:Q", y=y, color=_paint("tone"), opacity=_STRENGTH
        ),
        points.mark_point(size=26, filled=True, opacity=1).encode(x=x, y=y, yOffset=offset, shape=_SHAPE, **_OUTLINE),
        base.mark_text(align="left", **above).encode(x=alt.value(0), y=y, text="kernel:N"),
        base.mark_text(align="right", fontWeight=600, **above).encode(
            x=alt.value(340), y=y, text="both:N", color=_paint("tone")
        ),
    )
    spec = configured(layers, 340, 54 * len(names), {"left": 2, "right": 8, "top": 4, "bottom": 4})
    return _svg(spec)


_SHAPE = alt.Shape("kind:N", legend=None, scale=alt.Scale(domain=["plain", "perturbed"], range=["circle", "diamond"]))
_STRENGTH = alt.Opacity("strength:Q", legend=None, scale=None)
_OUTLINE: dict[str, Any] = {
    "color": alt.Color(
        "kind:N",
        legend=None,
        scale=alt.Scale(domain=["plain", "perturbed"], range=[BY_ROLE["point"], BY_ROLE["paper"]]),
    ),
    "stroke": alt.value(BY_ROLE["point"]),
    "strokeWidth": alt.value(1.4),
}


def _paint(field: str) -> alt.Color:
    roles = list(BY_ROLE)
    scale = alt.Scale(domain=roles, range=[BY_ROLE[r] for r in roles])
    return alt.Color(f"{field}:N", legend=None, scale=scale)


def figures() -> alt.Axis:
    """An axis of figures."""
    # Thousands stand apart by a space, as everywhere in a report.
    spaced = "replace(datum.label, /,/g, ' ')"
    return alt.Axis(tickCount=5, ticks=False, domain=False, labelPadding=8, gridDash=[2, 4], labelExpr=spaced)


def chart(values: Values) -> alt.Chart:
    """A chart on these rows."""
    return alt.Chart(alt.InlineData(values=values))


def _top(series: Series) -> float:
    """The largest figure that is drawn; 1 when all are zero, so that there is a scale."""
    return max((_highest(row) for row in series.rows), default=0.0) or 1.0


def _highest(row: Row) -> float:
    return max((*row.side.runs, *row.side.perturbed, row.value or 0.0))


def _bars(series: Series, names: tuple[str, ...]) -> Values:
    labels = format_numbers([r.value for r in series.rows])
    before = (None, *(row.value for row in series.rows[:-1]))
    rows = zip(series.rows, names, labels, before, strict=True)
    return [_bar(row, name, label, value) for row, name, label, value in rows]


def _bar(row: Row, name: str, label: str, before: float | None) -> dict[str, Any]:
    """low..high is what a step added to the bar, or took off it; nothing where there is no step."""
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


def _points(series: Series, names: tuple[str, ...]) -> Values:
    """Every run, spread over its bar's width: plain runs left of the middle, perturbed ones right of it."""
    found: Values = []
    for row, name in zip(series.rows, names, strict=True):
        for kind, values, side in (("plain", row.side.runs, -1), ("perturbed", row.side.perturbed, 1)):
            for i, value in enumerate(values, 1):
                place = side * 0.7 * i / (len(values) + 1)
                found.append({"kernel": name, "value": value, "kind": kind, "place": place})
    return found


def configured(layers: alt.LayerChart | alt.FacetChart, width: int, height: int, padding: dict[str, int]) -> Spec:
    """A chart with the size and the type of all of them."""
    sized = layers.resolve_scale(color="independent").properties(
        width=width, height=height, padding=padding, autosize="none", background="transparent"
    )
    text = {"font": FONT, "fill": BY_ROLE["ink"]}
    axis = {"labelFont": FONT, "labelFontSize": 13, "labelColor": BY_ROLE["quiet"], "gridColor": BY_ROLE["rule"]}
    sized = sized.configure_text(**text).configure_axis(**axis, domainColor=BY_ROLE["rule"])
    spec: Spec = sized.configure_view(stroke=None).to_dict()
    return spec


def _svg(spec: Spec) -> str:
    svg: str = vl_convert.vegalite_to_svg(spec)
    return _themed(svg)


def _themed(svg: str) -> str:
    """Sentinel colours become custom properties, the page's font and scale apply, and labels are read out once."""
    for colour, name in COLOURS.items():
        svg = svg.replace(f'"{colour}"', f'"var({name})"')
    svg = re.sub(r' font-family="[^"]*"| aria-[a-z]+="[^"]*"| role="[^"]*"| aria-hidden="true"', "", svg)
    return re.sub(r'(<svg [^>]*?) width="[\d.]+" height="[\d.]+"', r'\1 aria-hidden="true"', svg, count=1)
