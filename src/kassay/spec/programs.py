# SPDX-License-Identifier: GPL-2.0-only
"""A workload of an experiment file that is a user's program: keys -> ProgramUse, and back."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from kassay.model.program import ProgramUse

KEYS = {
    "program": "path", "sha256": "sha256", "args": "args", "env": "env", "file": "files", "cflags": "cflags",
    "link": "link", "from": "start", "to": "end", "require": "require", "state": "state", "work": "work",
    "limit_ms": "limit_ms",
    "application": "application",
}  # fmt: skip
"""Keys of the file -> fields of ProgramUse."""
_LISTS = ("args", "env", "files", "cflags", "link", "require", "state")
_SPLIT = ("args", "cflags", "link")


def read(table: Mapping[str, Any], location: str, errors: list[str]) -> dict[str, Any]:
    """The fields of a ProgramUse that a table has. location: of the table in the file, for texts that are added to
    errors."""
    fields: dict[str, Any] = {}
    for key, field in KEYS.items():
        if key not in table:
            continue
        value = table[key]
        if field in _LISTS and isinstance(value, str):
            try:
                value = shlex.split(value) if field in _SPLIT else [value]
            except ValueError as error:
                errors.append(f"{location}.{key}: {error}")
        fields[field] = value
    return fields


def written(use: ProgramUse) -> Iterator[tuple[str, Any]]:
    """(key, value) of each field that differs from its default."""
    usual = ProgramUse(path="")
    for key, field in KEYS.items():
        value = getattr(use, field)
        if key == "program" or value != getattr(usual, field):
            yield key, value
