# SPDX-License-Identifier: GPL-2.0-only
"""Draws docs/architecture.svg from the table of tests/test_layers.py (`make pages`): who may import whom."""

from collections.abc import Mapping

from tests.source import ROOT
from tests.test_layers import ALLOWED, COMMANDS, GROUND

PICTURE = ROOT / "docs" / "architecture.svg"
STAGES = ("spec", "plan", "run", "journal", "evidence", "analysis", "report")
"""The path of an experiment, in order."""
BASE = GROUND | {"__init__", "cpus", "applications", "costs"}
"""Parts that most others import: one box, without arrows to it."""
_WIDTH, _ROW, _BOX, _HEIGHT = 920, 78, 96, 34
_SWEEPS = 12
_STYLE = """
rect { fill: #f3f4f6; stroke: #6b7280; rx: 5 } .stage { fill: #dbeafe; stroke: #1d4ed8; stroke-width: 2 }
.page { fill: #ffffff; stroke: none } text { font: 14px sans-serif; text-anchor: middle; fill: #111827 }
path { fill: none; stroke: #9ca3af; stroke-width: 1.3 } .arrow { fill: #6b7280; stroke: none }
"""

Point = tuple[float, float]


def direct_needs() -> dict[str, set[str]]:
    """Imports of each part outside BASE, without those that another of its imports has as well."""
    needs = {part: allowed - BASE for part, allowed in ALLOWED.items() if part not in BASE}
    all_needs: dict[str, set[str]] = {}

    def reached(part: str) -> set[str]:
        if part not in all_needs:
            all_needs[part] = needs[part].union(*(reached(other) for other in needs[part]))
        return all_needs[part]

    return {
        part: {one for one in own if not any(one in reached(other) for other in own)} for part, own in needs.items()
    }


def rows(needs: Mapping[str, set[str]]) -> list[list[str]]:
    """Parts by height, lowest first: each stands above everything that it imports. Ordered for short arrows."""
    height: dict[str, int] = {}

    def height_of(part: str) -> int:
        if part not in height:
            height[part] = 1 + max((height_of(other) for other in needs[part]), default=-1)
        return height[part]

    made: list[list[str]] = [[] for _ in range(1 + max(height_of(part) for part in needs))]
    for part in needs:
        made[height[part]].append(part)
    for _ in range(_SWEEPS):
        for row in made:
            at = positions(made)
            row.sort(key=lambda part: _middle(part, needs, at))
    return made


def positions(parts: list[list[str]]) -> dict[str, Point]:
    """The centre of each part's box."""
    bottom = (len(parts) + 1) * _ROW - 12
    return {
        part: (_WIDTH * (index + 0.5) / len(row), bottom - level * _ROW - _HEIGHT / 2)
        for level, row in enumerate(parts)
        for index, part in enumerate(row)
    }


def _middle(part: str, needs: Mapping[str, set[str]], at: Mapping[str, Point]) -> float:
    """The mean place of the parts that are joined to one, itself included."""
    joined = [at[part][0], *(at[other][0] for other in sorted(needs[part]))]
    joined += [at[other][0] for other, wanted in needs.items() if part in wanted]
    return sum(joined) / len(joined)


def svg() -> str:
    """The whole picture as text."""
    needs = direct_needs()
    parts = rows(needs)
    at = positions(parts)
    height = (len(parts) + 1) * _ROW + 56
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        "<!-- SPDX-License-Identifier: GPL-2.0-only. Made by `make pages` from tests/test_layers.py. -->",
        f"<title>Packages of kassay: each imports those below it that an arrow leads to</title><style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        *(_arrow(at[part], at[other]) for part in needs for other in sorted(needs[part])),
        *(_box(part, at[part]) for part in needs),
        _band(", ".join(sorted(COMMANDS)) + ": may import everything", 12),
        _band("  ".join(sorted(BASE - {"__init__"})), height - _HEIGHT - 12),
    ]
    return "\n".join([*lines, "</svg>", ""])


def _box(part: str, centre: Point) -> str:
    x, y = centre
    stage = f"{STAGES.index(part) + 1} " if part in STAGES else ""
    mark = ' class="stage"' if stage else ""
    rect = f'<rect{mark} x="{x - _BOX / 2:.0f}" y="{y - _HEIGHT / 2:.0f}" width="{_BOX}" height="{_HEIGHT}"/>'
    return f'{rect}<text x="{x:.0f}" y="{y + 5:.0f}">{stage}{part}</text>'


def _band(text: str, y: float) -> str:
    rect = f'<rect x="12" y="{y:.0f}" width="{_WIDTH - 24}" height="{_HEIGHT}"/>'
    return f'{rect}<text x="{_WIDTH / 2:.0f}" y="{y + _HEIGHT / 2 + 5:.0f}">{text}</text>'


def _arrow(start: Point, end: Point) -> str:
    (x, y), (to_x, to_y) = (start[0], start[1] + _HEIGHT / 2), (end[0], end[1] - _HEIGHT / 2 - 6)
    bend = (to_y - y) / 2
    line = f"M{x:.0f} {y:.0f} C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}"
    tip = f"M{to_x - 4:.0f} {to_y:.0f} h8 l-4 6 z"
    return f'<path d="{line}"/><path class="arrow" d="{tip}"/>'


def main() -> None:
    """Writes the picture."""
    PICTURE.write_text(svg(), "utf-8")


if __name__ == "__main__":
    main()
