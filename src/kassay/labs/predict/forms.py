# SPDX-License-Identifier: GPL-2.0-only
"""The entry of a form in a timing file: an override, its own entry, or that of the same form in other sizes."""

import re
from fnmatch import fnmatchcase, translate
from functools import cached_property
from typing import NamedTuple

from kassay.labs.predict.decode import Facts
from kassay.labs.predict.entries import MicroOps
from kassay.labs.predict.timing import Timing

_SIZES = re.compile(r"\b(r|m)(?:8|16|32|64|h)\b")
_VECTORS = re.compile(r"\b(?:[xyz]mm|mm|k|m128|m256|m512|st|v\d*|[bhsdq])\b")


class Entry(NamedTuple):
    """Costs of one form of instruction."""

    uops: int
    """Number of operations that are dispatched."""
    latency: float
    """Cycles from operands to results, without the load."""
    ports: str
    """Ports, as docs/explained/core.md describes them; "-" for none."""


class Entries:
    """The entries of one timing file."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._patterns = [
            (re.compile("|".join(translate(form) for form in override.forms)), _entry(override.entry))
            for override in timing.overrides
        ]
        self._cache: dict[str, Entry | None] = {}

    @cached_property
    def _near(self) -> dict[str, Entry]:
        """Entries by their forms without sizes, the first of each."""
        near: dict[str, Entry] = {}
        for form, entry in self._timing.instructions.items():
            near.setdefault(_SIZES.sub(r"\1", form), _entry(entry))
        return near

    def of(self, form: str) -> Entry | None:
        """The entry of a form; None without data."""
        if form not in self._cache:
            self._cache[form] = self._look_up(form)
        return self._cache[form]

    def _look_up(self, form: str) -> Entry | None:
        for pattern, entry in self._patterns:
            if pattern.match(form):
                return entry
        cost = self._timing.instructions.get(form)
        return self._near.get(_SIZES.sub(r"\1", form)) if cost is None else _entry(cost)

    def micro_ops(self, form: str) -> MicroOps | None:
        """The rule on the number of its micro-operations; None where its entry has it."""
        rules = self._timing.micro_ops
        return next((rule for rule in rules if any(fnmatchcase(form, pattern) for pattern in rule.forms)), None)

    def default(self, facts: Facts) -> Entry:
        """The assumed entry of an instruction without data, by what it does."""
        kind = "plain"
        if facts.system:
            kind = "system"
        elif _VECTORS.search(facts.form.partition(" ")[2]):
            kind = "vector"
        elif facts.store_bytes:
            kind = "store"
        elif facts.load_bytes:
            kind = "load"
        return _entry(self._timing.unknown[kind])


def _entry(entry: tuple[int, float, str]) -> Entry:
    return Entry(entry[0], entry[1], entry[2] or "-")
