# SPDX-License-Identifier: GPL-2.0-only
"""The number in a program's output that is its count of operations, or its operations per second, without --work.

It recognises google-benchmark's JSON and table, a name such as "ops" with a value, "5 operations", and "812.5 ops/s".
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kassay.model.guest import GuestReport
from kassay.model.work import PrintedOperations
from kassay.supply.guest.program_output import executions, values_in

_NOUN = r"(?:ops|operations?|iterations?|iters|loops|transactions?|requests?)"
_SECOND = r"(?:\s*/\s*s(?:ec(?:ond)?)?\b|\s+per\s+second\b|[_ ]?per[_ ]?sec(?:ond)?\b|ps\b)"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_REST = rf"(?:\.\d+)?{_EXPONENT}"
_DIGITS = r"[\d.,'_-]*\d"
_NUMBER = rf"{_DIGITS}{_EXPONENT}"
"""A number, which may have a sign or separators of thousands. _value() reads none that has."""
_SPACED = rf"(?:{_DIGITS}[^\S\n])*{_DIGITS}"
"""The same with numbers in front of it: they may be its thousands."""
_BEFORE = r"(?<![\w.,'-])(?<!\d[^\S\n])"
_COUNT_NAME = re.compile(rf"(?:\w+[._])?(?:(?:nr|num|total|n)_)?{_NOUN}", re.IGNORECASE)
_RATE_NAME = re.compile(rf"(?:\w+[._])?{_NOUN}(?:{_SECOND}|_s)", re.IGNORECASE)
_COUNTED = re.compile(rf"{_BEFORE}({_SPACED})\s+({_NOUN})\b(?!{_SECOND})", re.IGNORECASE)
_RATED = re.compile(rf"{_BEFORE}({_SPACED}{_EXPONENT})\s*({_NOUN}{_SECOND})", re.IGNORECASE)
_TIME = r"\s+[\d.eE+]+ (?:ns|us|ms|s)"
_BENCHMARK_LINE = re.compile(rf"^\S+{_TIME}{_TIME}\s+(\d+)(?:\s|$)", re.MULTILINE)
"""A line of google-benchmark's table: name, real time, CPU time, iterations."""


class _Found(NamedTuple):
    name: str
    rate: bool
    value: float


def operations_printed(report: GuestReport) -> PrintedOperations | None:
    """The number of each execution of a run; None unless all executions print one, under one name."""
    outputs = executions(report) or ()
    if len(outputs) != len(report.phases[0].ticks):
        return None
    return operations_of(outputs)


def operations_of(outputs: Sequence[str]) -> PrintedOperations | None:
    """The same of the outputs of some executions."""
    found = [item for item in map(_recognised, outputs) if item is not None]
    if not found or len(found) != len(outputs) or len({(item.name, item.rate) for item in found}) > 1:
        return None
    return PrintedOperations(name=found[0].name, rate=found[0].rate, values=tuple(item.value for item in found))


def _recognised(output: str) -> _Found | None:
    """One number of one execution: a count if there is one, else a rate; None if there are several."""
    if (benchmarks := _benchmark_iterations(output)) is not None:
        return _Found("iterations", rate=False, value=benchmarks) if benchmarks > 0 else None
    found = list(dict.fromkeys((*_named(output), *_in_words(output))))
    for rate in (False, True):
        of_kind = [item for item in found if item.rate is rate]
        if of_kind:
            return of_kind[0] if len(of_kind) == 1 and of_kind[0].value > 0 else None
    return None


def _named(output: str) -> Iterator[_Found]:
    for name, (value, unit) in values_in(output).items():
        if not re.fullmatch(_NUMBER, value):
            continue
        goes_on = re.search(rf"[=:]\s*{re.escape(value)}[^\S\n]\d{{3}}(?!\d)", output)  # "ops=2 000"
        number = 0.0 if goes_on else _value(value)
        if _RATE_NAME.fullmatch(name) or re.fullmatch(f"{_NOUN}{_SECOND}", unit, re.IGNORECASE):
            yield _Found(name if _RATE_NAME.fullmatch(name) else unit, rate=True, value=number)
        elif _COUNT_NAME.fullmatch(name) and not re.search("[.eE]", value):
            yield _Found(name, rate=False, value=number)


def _in_words(output: str) -> Iterator[_Found]:
    """ "5 operations", "812.5 ops/s"."""
    for match in _COUNTED.finditer(output):
        yield _Found(match[2], rate=False, value=_value(match[1], rest=""))
    for match in _RATED.finditer(output):
        yield _Found(match[2], rate=True, value=_value(match[1]))


def _value(number: str, rest: str = _REST) -> float:
    """The number, which may end as `rest` does; 0 if it could mean several numbers."""
    return float(number) if re.fullmatch(rf"\d+{rest}", number) else 0.0


def _benchmark_iterations(output: str) -> float | None:
    """The iterations of the only benchmark in google-benchmark's JSON or table, 0 if there are several; None of other
    text."""
    try:
        parsed = json.loads(output)
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        lines = _BENCHMARK_LINE.findall(output)
        return (float(lines[0]) if len(lines) == 1 else 0.0) if lines else None
    results = parsed.get("benchmarks") if isinstance(parsed, dict) and "context" in parsed else None
    if not isinstance(results, list):
        return None
    numbers = [result.get("iterations") for result in results if isinstance(result, dict)]
    return float(numbers[0]) if len(numbers) == 1 and isinstance(numbers[0], int) else 0.0
