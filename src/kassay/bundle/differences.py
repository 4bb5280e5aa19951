# SPDX-License-Identifier: GPL-2.0-only
"""Two reports as JSON, field by field."""

from collections.abc import Iterator
from typing import Any, NamedTuple

# What names a directory or a version, and no finding.
APART = ("commands", "next_steps", "kassay_version", "charts")


class Difference(NamedTuple):
    """One field: its dotted place, as packed, as computed now; "absent" where one has none."""

    place: str
    packed: str
    found: str

    def __str__(self) -> str:
        return f"{self.place} is {self.packed}, computed {self.found}"


def differences(packed: Any, found: Any) -> tuple[Difference, ...]:
    """Every field of the packed report that is another one now. Fields that only `found` has are later additions."""
    kept = {name: value for name, value in packed.items() if name not in APART} if isinstance(packed, dict) else packed
    return tuple(_walk(kept, found, ""))


def _walk(packed: Any, found: Any, place: str) -> Iterator[Difference]:
    if isinstance(packed, dict) and isinstance(found, dict):
        for name, value in packed.items():
            inner = f"{place}.{name}" if place else name
            if name in found:
                yield from _walk(value, found[name], inner)
            else:
                yield Difference(inner, _text(value), "absent")
    elif isinstance(packed, list) and isinstance(found, list):
        for index, (old, new) in enumerate(zip(packed, found, strict=False)):
            yield from _walk(old, new, f"{place}[{index}]")
        if len(packed) != len(found):
            yield Difference(f"length of {place}", str(len(packed)), str(len(found)))
    elif packed != found or isinstance(packed, bool) != isinstance(found, bool):
        yield Difference(place, _text(packed), _text(found))


def _text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
