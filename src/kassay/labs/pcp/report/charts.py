# SPDX-License-Identifier: GPL-2.0-only
"""Charts of per-CPU page lists: pages of a list and its high over time, and the zone lock's work by policy."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kassay.report.chart import BY_ROLE, FIGURES, configured, layer, nominal, quantity
from kassay.report.document import Key
from kassay.report.drawing import Spec

_WIDTH, _HEIGHT = 788, 190


class Line(NamedTuple):
    """One line of a chart."""

    label: str
    role: str
    """Colour, as report.chart names it."""
    points: Sequence[tuple[float, float]]
    """Points of the line: (seconds or the value that was set, pages or a rate)."""
    dashed: bool = False


def line_keys(lines: Iterable[Line]) -> tuple[Key, ...]:
    """The legend of lines."""
    return tuple(Key(text=line.label, mark="dashed" if line.dashed else "line", role=line.role) for line in lines)


def pages_spec(lines: Iterable[Line], last: float, most: float) -> Spec:
    """Pages over time, all lines on one axis up to `last` seconds and `most` pages; steps, because a list's high
    changes at once. Needs a line with a point."""
    axis = {"title": None, "grid": False, "format": ".3~f", "tickCount": 10, "labelOverlap": True}
    x = quantity("time", scale={"domain": [0, last or 1.0], "nice": False}, axis=axis)
    y = quantity("pages", scale={"domain": [0, (most or 1.0) * 1.05], "nice": False}, axis=FIGURES, title=None)
    return _lines_spec(lines, x, y, lambda line: {"interpolate": "step-after"})


def sweep_spec(lines: Iterable[Line], *, logarithmic: bool) -> Spec:
    """A rate over the values of a parameter, each cell a dot; needs a line with a point."""
    drawn = [line for line in lines if line.points]
    top = max(rate for line in drawn for _, rate in line.points) or 1.0
    scale = {"type": "log" if logarithmic else "linear", "zero": False, "nice": False}
    x = quantity("value", scale=scale, axis={"title": None, "grid": False, "format": "~s", "tickCount": 6})
    y = quantity("rate", scale={"domain": [0, top * 1.08], "nice": False}, axis=FIGURES, title=None)
    return _lines_spec(drawn, x, y, lambda line: {"point": {"filled": True, "size": 30, "color": BY_ROLE[line.role]}})


def _lines_spec(lines: Iterable[Line], x: Spec, y: Spec, more: Callable[[Line], Spec]) -> Spec:
    """more: what a line's mark has besides its colour."""
    layers = [
        layer(
            [{x["field"]: first, y["field"]: second} for first, second in line.points],
            {"type": "line", "strokeWidth": 2, "color": BY_ROLE[line.role],
             "strokeDash": [4, 3] if line.dashed else [1, 0], **more(line)},
            x=x, y=y,
        )
        for line in lines if line.points
    ]  # fmt: skip
    return configured(layers, _WIDTH - 72, _HEIGHT, {"left": 64, "right": 16, "top": 10, "bottom": 26})


class LockBar(NamedTuple):
    """The zone lock's work under one policy."""

    name: str
    value: float
    """Value that is drawn."""
    label: str
    """Text beside the bar."""


def lock_spec(bars: Sequence[LockBar]) -> Spec:
    """One bar for each policy, the most work first; needs one that is not zero."""
    values = [{"name": bar.name, "value": bar.value, "label": bar.label} for bar in bars]
    axis = {"title": None, "ticks": False, "domain": False, "labelLimit": 200, "labelPadding": 8}
    y = nominal("name", sort=None, scale={"domain": [bar.name for bar in bars], "padding": 0.3}, axis=axis)
    x = quantity("value", scale={"domain": [0, max(bar.value for bar in bars) * 1.8], "nice": False}, axis=None)
    text: Spec = {"type": "text", "align": "left", "dx": 6, "fontSize": 13, "fontWeight": 600}
    layers = (
        layer(values, {"type": "bar", "color": BY_ROLE["bar"]}, x=x, y=y),
        layer(values, text, x=x, y=y, text=nominal("label")),
    )
    padding = {"left": 200, "right": 8, "top": 4, "bottom": 4}
    return configured(layers, _WIDTH - 208, 34 * len(bars), padding)
