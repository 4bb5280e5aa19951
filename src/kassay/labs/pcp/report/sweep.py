# SPDX-License-Identifier: GPL-2.0-only
"""A sweep over one number as charts: what each policy makes of it."""

from collections.abc import Sequence

from kassay.labs.pcp.model.simulated import RATES, PcpSimulation
from kassay.labs.pcp.report.charts import Line, line_keys, sweep_spec
from kassay.model.texts import one_line
from kassay.model.units import parse_bytes
from kassay.report.document import Chart, Paragraph, Section

DRAWN = ("from_zone", "contention", "idle_pages")
_LOOKS = tuple((role, dashed) for dashed in (False, True) for role in ("ink", "better", "worse", "bar"))
_LOGARITHMIC_FROM = 20
"""The axis is logarithmic where the largest value is at least so many times the smallest."""


def sweep_sections(answer: PcpSimulation) -> tuple[Section, ...]:
    """A chart for each of DRAWN; none where not exactly one setting has several values, all of them numbers."""
    name, values = _swept(answer)
    if not values:
        return ()
    sections = []
    for rate in DRAWN:
        lines = _lines(answer, rate, values)
        if any(line.points for line in lines):
            sections.append(_section(rate, name, lines))
    return tuple(sections)


def _swept(answer: PcpSimulation) -> tuple[str, dict[str, float]]:
    """The name of the setting, and its values as numbers; no values where there is nothing to draw."""
    settings = [cell.settings for cell in answer.cells]
    if len(settings[0]) != 1 or len(answer.policies) > len(_LOOKS):
        return "", {}
    parsed = {setting.value: _number(setting.value) for (setting,) in settings}
    numbers = {text: value for text, value in parsed.items() if value is not None}
    return settings[0][0].name, numbers if len(numbers) == len(parsed) else {}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(parse_bytes(text))
    except ValueError:
        return None


def _lines(answer: PcpSimulation, rate: str, values: dict[str, float]) -> list[Line]:
    lines = []
    for policy, (role, dashed) in zip(answer.policies, _LOOKS, strict=False):
        points = [
            (values[cell.settings[0].value], value * (100 if RATES[rate].share else 1))
            for cell in answer.cells
            if cell.policy == policy.name and (value := cell.rates[rate]) is not None
        ]
        lines.append(Line(one_line(policy.name), role, sorted(points), dashed))
    return lines


def _section(rate: str, name: str, lines: Sequence[Line]) -> Section:
    """One rate over the values."""
    every = [value for line in lines for value, _ in line.points]
    logarithmic = min(every) > 0 and max(every) / min(every) >= _LOGARITHMIC_FROM
    unit = ", percent" if RATES[rate].share else ""
    legend = line_keys(line for line in lines if line.points)
    chart = Chart(wide=sweep_spec(lines, logarithmic=logarithmic), legend=legend)
    text = f"{RATES[rate].definition}{unit}."
    return Section(title=f"{RATES[rate].title} over {one_line(name)}", blocks=(Paragraph(text=text), chart))
