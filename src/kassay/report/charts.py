# SPDX-License-Identifier: GPL-2.0-only
"""Every chart of the page as files of their own, SVG and PNG, for papers and mails: fixed colours on white."""

import json
import re

from kassay.model.report import Report
from kassay.model.texts import machine_text, one_line, settings_text
from kassay.model.units import format_change, format_numbers
from kassay.report.chart import (
    BY_ROLE,
    COLOURS,
    FIGURES,
    FONT,
    Values,
    configured,
    has_values,
    kernels_axis,
    layer,
    nominal,
    quantity,
    wide_spec,
)  # fmt: skip
from kassay.report.drawing import Spec, png, svg
from kassay.report.series import MetricSeries, groups
from kassay.report.words import interval_text, kernel_names
from kassay.supply.clocks import clock_of

_PRINTED = {
    "--ink": "#1b1b1b", "--quiet": "#5f6368", "--rule": "#d5d8dc", "--bar": "#b9c6d8", "--worse": "#b3261e",
    "--better": "#1e7d34", "--point": "#33475b", "--paper": "#ffffff",
}  # fmt: skip
_HEADING = 52  # pixels above the chart, for its title
_SCALE = 2.0  # pixels of the PNG for each pixel of the SVG
_WIDTH, _HEIGHT = 788, 300


def charts(report: Report) -> tuple[tuple[str, bytes], ...]:
    """(file name, content): report-1.svg, report-1.png, report-2.svg ... in the order of the page.

    Counts are drawn as the bars of the page. Times are drawn as a dot for each boot, with the interval of the change.
    A comparison that is known by means alone has no chart. The same report gives the same bytes. A chart takes about
    a second.
    """
    leads = [group.lead for group in groups(report) if has_values(group.lead)]
    leads = [lead for lead in leads if any(row.side.runs for row in lead.rows)]
    files: list[tuple[str, bytes]] = []
    for number, lead in enumerate(leads, 1):
        timed = _timed(lead)
        spec = _printed(_titled(timed_spec(lead) if timed else wide_spec(lead), lead, timed=timed))
        text = re.sub(r'font-family="[^"]*"', f'font-family="{FONT}, Arial, sans-serif"', svg(spec))
        files.append((f"report-{number}.svg", text.encode() + b"\n"))
        files.append((f"report-{number}.png", png(spec, _SCALE)))
    return tuple(files)


def timed_spec(series: MetricSeries) -> Spec:
    """Every boot a dot, each kernel's value a line, and beside a changed kernel the values that the interval allows.

    The axis does not begin at zero: what is compared is how far the dots of two kernels lie apart.
    """
    names = kernel_names([row.kernel for row in series.rows], 26)
    x, turned = kernels_axis(names, _WIDTH)
    low, high = _extent(series)
    y = quantity("value", scale={"domain": [low, high], "nice": False, "zero": False}, axis=FIGURES, title=None)
    offset, middle = quantity("place", scale={"domain": [-1, 1]}), {"datum": 0}
    boots, values = _boots(series, names), _values(series, names)
    boot: Spec = {"type": "point", "size": 36, "filled": True, "opacity": 0.75, "color": BY_ROLE["point"]}
    value = {"type": "tick", "thickness": 2, "width": min(110, _WIDTH * 0.3 / len(names)), "color": BY_ROLE["ink"]}
    label = {"type": "text", "dy": -10, "align": "left", "dx": 66, "fontSize": 13, "fontWeight": 600}
    layers = (
        layer(boots, boot, x=x, y=y, xOffset=offset),
        layer(values, value, x=x, y=y, xOffset=middle),
        layer(
            _ranges(series, names), {"type": "rule", "strokeWidth": 3, "color": BY_ROLE["worse"]},
            x=x, xOffset={"datum": 0.85}, y=quantity("low", title=None), y2={"field": "high"},
        ),
        layer(values, label, x=x, y=y, xOffset=middle, text=nominal("label")),
    )  # fmt: skip
    padding = {"left": 64, "right": 80, "top": 34, "bottom": 110 if turned else 30}
    return configured(layers, _WIDTH - 72, _HEIGHT, padding)


def _timed(series: MetricSeries) -> bool:
    """True if every boot is drawn: exact counts are the same in each boot, times are not."""
    return clock_of(series.machine.clock).timed and any(len(row.side.runs) > 1 for row in series.rows)


def _extent(series: MetricSeries) -> tuple[float, float]:
    values = [value for row in series.rows for value in (*row.side.runs, row.value) if value is not None]
    values += [
        limit for span in _ranges(series, [row.kernel for row in series.rows]) for limit in (span["low"], span["high"])
    ]
    low, high = min(values), max(values)
    room = (high - low or abs(high) or 1.0) * 0.08
    return low - room, high + room


def _boots(series: MetricSeries, names: tuple[str, ...]) -> Values:
    """Every boot in its order, from left to right over its kernel's width."""
    return [
        {"kernel": name, "value": value, "place": -0.6 + 1.2 * (i + 0.5) / len(row.side.runs)}
        for row, name in zip(series.rows, names, strict=True)
        for i, value in enumerate(row.side.runs)
    ]


def _values(series: MetricSeries, names: tuple[str, ...]) -> Values:
    labels = format_numbers([row.value for row in series.rows])
    return [
        {"kernel": name, "value": row.value, "label": label}
        for row, name, label in zip(series.rows, names, labels, strict=True)
        if row.value is not None
    ]


def _ranges(series: MetricSeries, names: tuple[str, ...] | list[str]) -> Values:
    """The values of a kernel that the interval of its change against the one before allows."""
    ranges: Values = []
    for before, row, name in zip(series.rows, series.rows[1:], names[1:], strict=False):
        if row.interval is not None and before.value is not None:
            low, high = ((1 + limit) * before.value for limit in row.interval)
            ranges.append({"kernel": name, "low": low, "high": high})
    return ranges


def _titled(spec: Spec, series: MetricSeries, *, timed: bool) -> Spec:
    """Adds the title and a legend: the file is read without the page."""
    better = f", {series.better} is better" if series.better in ("lower", "higher") else ""
    unit = f" [{series.unit}]" if series.unit else ""
    lines = [f"{settings_text(series.settings)}; {machine_text(series.machine)}"]
    changes = [row for row in series.rows[1:] if row.change is not None]
    if timed:
        dots = "a dot: one boot"
        if any(row.interval is not None for row in changes):
            dots += "; a red line: values that the interval of the change allows"
        intervals = "; ".join(f"{format_change(row.change)} ({interval_text(row.interval)})" for row in changes[:3])
        lines.append(f"{dots}. {intervals}" if intervals else dots)
    elif any(row.side.perturbed for row in series.rows):
        lines.append("a circle: one boot; a diamond: one with something moved that should not matter")
    title = {
        "text": one_line(f"{series.workload or ''} {series.metric}{unit}{better}".strip()),
        "subtitle": [one_line(line) for line in lines],
        "anchor": "start", "font": FONT, "fontSize": 15, "subtitleFont": FONT, "subtitleFontSize": 12,
        "color": BY_ROLE["ink"], "subtitleColor": BY_ROLE["quiet"], "offset": 14, "limit": 840,
    }  # fmt: skip
    padding = {**spec["padding"], "top": spec["padding"]["top"] + _HEADING}
    return {**spec, "title": title, "padding": padding, "background": BY_ROLE["paper"]}


def _printed(spec: Spec) -> Spec:
    """The placeholder colours of chart.py become colours for paper."""
    text = json.dumps(spec)
    for sentinel, role in COLOURS.items():
        text = text.replace(f'"{sentinel}"', f'"{_PRINTED[role]}"')
    drawn: Spec = json.loads(text)
    return drawn
