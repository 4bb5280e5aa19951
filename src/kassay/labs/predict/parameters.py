# SPDX-License-Identifier: GPL-2.0-only
"""The parameters of the core model: core/params.def, the only list of them, as Python reads it."""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from kassay.labs.predict.core import sources

_LINE = re.compile(r'PARAM\((COUNT|TIME), (\w+), (\d+), (\d+), "([^"]*)"\)')
ADDED: Mapping[str, str | float] = {
    "lock_value": "lock_latency", "lock_reload": 0, "lock_same": "lock_interval", "lock_apart": "lock_interval",
    "lock_again": "lock_same", "lock_overwritten": "lock_same", "lock_fetches": 0, "memory_write": "memory_interval",
    "l2_write": 0, "memory_scheduler": 0, "opcache_uops": 0, "near_branches": 0, "taken_far": "taken_branch",
    "rep_word_start": 0, "rep_short_stores": 1, "predecode": 0, "decoders": 1, "prefix_stall": 0, "jump_boundary": 0,
    "early_ports": 0, "stack_sync": 0, "microcode_switch": 0, "l1d_chase": 0,
    "mispredict_return": "mispredict",
    "store_together": "store_interval", "fence_behind": 0, "lock_near": 64, "lock_soon": 6, "lock_stores": 1,
    "code_ahead": 0, "code_interval": 0, "forward_based": 0,
}  # fmt: skip
"""Parameter that a file of an earlier version lacks -> the parameter, or the value, that is as if it did not exist."""


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
