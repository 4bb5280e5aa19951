# SPDX-License-Identifier: GPL-2.0-only
"""A workload of an experiment file that is a program of the user's: keys -> ProgramUse, and back."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from kassay.model.program import ProgramUse

KEYS = {
    "program": "path", "sha256": "sha256", "args": "args", "env": "env", "file": "files", "cflags": "cflags",
    "link": "link", "from": "start", "to": "end", "require": "require", "state": "state", "limit_ms": "limit_ms",
    "application": "application",
}  # fmt: skip
"""Of the file, and the field that each is."""
_LISTS = ("args", "env", "files", "cflags", "link", "require", "state")
_SPLIT = ("args", "cflags", "link")


def read(table: Mapping[str, Any], place: str, found: list[str]) -> dict[str, Any]:
    """The fields of a ProgramUse that a table has; what is wrong with them goes to `found`."""
    fields: dict[str, Any] = {}
    for key, field in KEYS.items():
        if key not in table:
            continue
        value = table[key]
        if field in _LISTS and isinstance(value, str):
            try:
                value = shlex.split(value) if field in _SPLIT else [value]
            except ValueError as error:
                found.append(f"{place}.{key}: {error}")
        fields[field] = value
    return fields


def written(use: ProgramUse) -> Iterator[tuple[str, Any]]:
    """(key, value) of everything that is set."""
    usual = ProgramUse(path="")
    for key, field in KEYS.items():
        value = getattr(use, field)
        if key == "program" or value != getattr(usual, field):
            yield key, value
