# SPDX-License-Identifier: GPL-2.0-only
"""Charts as SVG: a step line over kernels, and a sparkline. Each has a title; the page has a table with its figures."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from kassay.model.units import format_number

_WIDTH, _HEIGHT = 720, 216
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 30, 34
_LABELS = 9
_SPARK = (96, 18)


def chart(title: str, unit: str, names: Sequence[str], values: Sequence[float | None], marks: Sequence[str]) -> Markup:
    """A value over kernels. marks: "worse" or "better" where a step leads into a kernel, else ""."""
    known = [value for value in values if value is not None]
    if not known:
        return Markup("")
    axis = _Axis(*_range(known), top=_TOP, height=_HEIGHT - _TOP - _BOTTOM)
    width = _WIDTH - _LEFT - _RIGHT
    slot = width / len(values)
    xs = [_LEFT + slot * (place + 0.5) for place in range(len(values))]
    ys = [None if value is None else axis.y(value) for value in values]
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"><title>{escape(title)}</title>'
        f'<text x="0" y="12">{escape(unit)}</text>',
        *(
            f'<path class="grid" d="M{_LEFT} {axis.y(v):.1f}h{width}"/>'
            f'<text class="y" x="{_LEFT - 8}" y="{axis.y(v) + 4:.1f}">{escape(format_number(v))}</text>'
            for v in (axis.low, (axis.low + axis.high) / 2, axis.high)
        ),
        f'<path class="line" d="{_steps(xs, ys, slot)}"/>',
    ]
    every = max(1, -(-len(names) // _LABELS))
    for place, (x, y) in enumerate(zip(xs, ys, strict=True)):
        if place % every == 0 or (place == len(xs) - 1 and place % every > every / 2):
            parts.append(f'<text class="x" x="{x:.1f}" y="{_HEIGHT - 12}">{escape(names[place])}</text>')
        if y is not None:
            mark = marks[place]
            shape = {
                "worse": f"M{x:.1f} {y - 6:.1f}l6 10h-12z", "better": f"M{x:.1f} {y + 6:.1f}l6 -10h-12z",
            }.get(mark)  # fmt: skip
            dot = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' if len(xs) <= 60 else ""
            parts.append(f'<path class="{mark}" d="{shape}"/>' if shape else dot)
    return Markup("".join([*parts, "</svg>"]))


def sparkline(title: str, values: Sequence[float | None]) -> Markup:
    """A small line without axes."""
    known = [value for value in values if value is not None]
    if not known:
        return Markup("")
    width, height = _SPARK
    axis = _Axis(*_range(known), top=2, height=height - 4)
    slot = width / len(values)
    xs = [slot * (place + 0.5) for place in range(len(values))]
    ys = [None if value is None else axis.y(value) for value in values]
    return Markup(
        f'<svg class="spark" viewBox="0 0 {width} {height}" role="img"><title>{escape(title)}</title>'
        f'<path class="line" d="{_steps(xs, ys, slot)}"/></svg>'
    )


class _Axis(NamedTuple):
    """Values from bottom to top."""

    low: float
    high: float
    top: int
    height: int

    def y(self, value: float) -> float:
        """Place of a value in the picture."""
        return self.top + self.height * (self.high - value) / (self.high - self.low)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Lowest and highest of the axis. It begins at zero if the values differ by more than a third."""
    low, high = min(values), max(values)
    if low == high:
        return low - (abs(low) / 2 or 1.0), high + (abs(high) / 2 or 1.0)
    if low >= 0 and low < high * 2 / 3:
        low = 0.0
    return low, high


def _steps(xs: Sequence[float], ys: Sequence[float | None], slot: float) -> str:
    """Path: a horizontal piece for each run of equal values, joined by vertical ones. A missing value leaves a gap."""
    path, last = "", None
    for x, y in zip(xs, ys, strict=True):
        if y is None:
            last = None
        elif last is None:
            path += f"M{x - slot / 2:.1f} {y:.1f}H{x + slot / 2:.1f}"
        elif y == last:
            path = f"{path.rpartition('H')[0]}H{x + slot / 2:.1f}"
        else:
            path += f"V{y:.1f}H{x + slot / 2:.1f}"
        last = y
    return path
