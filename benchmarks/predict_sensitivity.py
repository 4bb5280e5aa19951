# SPDX-License-Identifier: GPL-2.0-only
"""Sensitivity of predictions to each assumed number of a timing file.

python -m benchmarks.predict_sensitivity [PAGE.md] [CPU...]
    replays the stored traces of tests/data/traces with every assumed number at its low and its high end. The default is
    every published x86_64 CPU, which takes some minutes
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import structs
from tests.predict.traces import recorded

from benchmarks._pages import narrow
from kassay.labs.predict.core import replay
from kassay.labs.predict.replay import answered_rounds
from kassay.labs.predict.static import program_text
from kassay.labs.predict.timing import ASSUMED, Quantity, Timing, quantities, timing_for
from kassay.labs.predict.trace import read_trace

CPUS = ("skylake_sp", "icelake_sp", "alderlake_p", "zen2", "zen3", "zen4")
BASE, HEAD = "6.16", "6.17"
_ROWS = 15
_SMALL = 0.0005
_INTRODUCTION = """\
# What the assumptions of the timing files move

`python -m benchmarks.predict_sensitivity docs/results/predict-sensitivity.md` writes this page. It replays two stored
traces, `mprotect_toggle` with 64 KiB on 6.16 and 6.17, with every number that a timing file calls `assumed`
([calibrate.md](../reference/calibrate.md#timing-files)), once at its low and once at its high end. *time* is what that
moves the predicted time on 6.17. *change* is what it moves the predicted change from 6.16 to 6.17, in percentage
points. The numbers with the largest effect on either are listed, at most {rows} for each CPU. The page shows one
workload: a number that this one does not use may matter to another.
"""


class Answer(NamedTuple):
    """Cycles of the answered rounds of both kernels."""

    base: float
    head: float

    @property
    def change(self) -> float:
        return self.head / self.base - 1


class Effect(NamedTuple):
    """Shifts that one number causes at its two ends."""

    key: str
    quantity: Quantity
    time: tuple[float, float]
    change: tuple[float, float]

    @property
    def size(self) -> float:
        return max(map(abs, (*self.time, *self.change)))


def answer(timing: Timing) -> Answer:
    return Answer(*(_cycles(release, timing) for release in (BASE, HEAD)))


def _cycles(release: str, timing: Timing) -> float:
    data = recorded(release)
    trace = read_trace(data)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "trace"
        path.write_bytes(data)
        replayed = replay(timing.params_text(), _program(release, timing.name, _system(timing)), path)
    answered = set(answered_rounds(trace))
    return sum(one.cycles100 for one in replayed.intervals if one.round in answered) / 100


def _system(timing: Timing) -> tuple[tuple[str, float], ...]:
    return tuple((name, quantity.value) for name, quantity in timing.system.items())


@cache
def _program(release: str, name: str, system: tuple[tuple[str, float], ...]) -> str:
    """Decoding takes longer than a replay, and only costs of system instructions change it."""
    timing = timing_for(name)
    costs = {key: structs.replace(timing.system[key], value=value) for key, value in system}
    text, _ = program_text(read_trace(recorded(release)), structs.replace(timing, system=costs), lambda start: 0)
    return text


_SECTIONS = ("parameters.", "system.")
"""Sections whose numbers the time of one CPU depends on."""


def changed(timing: Timing, key: str, value: float) -> Timing:
    """The file with one number changed. Its bounds stay."""
    section, _, name = key.partition(".")
    numbers: dict[str, Quantity] = dict(getattr(timing, section))
    numbers[name] = structs.replace(numbers[name], value=value)
    return structs.replace(timing, **{section: numbers})


def effects(timing: Timing) -> list[Effect]:
    """Every assumed number that moves anything, the largest effect first."""
    usual, found = answer(timing), []
    for key, quantity in quantities(timing):
        if quantity.status != ASSUMED or not key.startswith(_SECTIONS) or quantity.low == quantity.high:
            continue
        ends = [answer(changed(timing, key, end)) for end in (quantity.low, quantity.high)]
        low, high = ends
        effect = Effect(
            key, quantity,
            (low.head / usual.head - 1, high.head / usual.head - 1),
            (low.change - usual.change, high.change - usual.change),
        )  # fmt: skip
        if effect.size > _SMALL:
            found.append(effect)
    return sorted(found, key=lambda effect: -effect.size)


def _page(cpus: Sequence[str]) -> Iterator[str]:
    yield _INTRODUCTION.format(rows=_ROWS)
    for cpu in cpus:
        print(cpu, file=sys.stderr)
        timing = timing_for(cpu)
        found, usual = effects(timing), answer(timing)
        assumed = sum(quantity.status == ASSUMED for _, quantity in quantities(timing))
        yield (
            f"## {cpu}\n\n{assumed} numbers are assumed; {len(found)} of them move something here by more than "
            f"{_SMALL:.2%}. Predicted change: {usual.change:+.2%}.\n"
        )
        yield "| number | value | from | to | time at low, high | change at low, high |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: |"
        for effect in found[:_ROWS]:
            of = effect.quantity
            time, change = ("{:+.2%}, {:+.2%}".format(*pair) for pair in (effect.time, effect.change))
            yield f"| `{effect.key.partition('.')[2]}` | {of.value:g} | {of.low:g} | {of.high:g} | {time} | {change} |"
        yield ""


def main() -> None:
    words = sys.argv[1:]
    page = Path(words.pop(0)) if words and words[0].endswith(".md") else None
    text = narrow("\n".join(_page(words or CPUS)))
    _ = page.write_text(text) if page else print(text)


if __name__ == "__main__":
    main()
