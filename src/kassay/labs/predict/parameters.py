# SPDX-License-Identifier: GPL-2.0-only
"""The parameters of the core model: core/params.def, the only list of them, as Python reads it."""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from kassay.labs.predict.core import sources

_LINE = re.compile(r'PARAM\((COUNT|TIME), (\w+), (\d+), (\d+), "([^"]*)"\)')


class Parameter(NamedTuple):
    """One number that CPUs differ in."""

    name: str
    whole: bool
    """True if it counts something; otherwise it is a time in cycles."""
    low: int
    """Smallest value that the model takes."""
    high: int
    """Largest value that the model takes."""
    meaning: str


@cache
def parameters() -> Mapping[str, Parameter]:
    """Every parameter by name, in the order of the list."""
    text = (sources() / "params.def").read_text(encoding="utf-8")
    found = {
        name: Parameter(name, kind == "COUNT", int(low), int(high), meaning)
        for kind, name, low, high, meaning in _LINE.findall(text)
    }
    return MappingProxyType(found)
