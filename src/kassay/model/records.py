# SPDX-License-Identifier: GPL-2.0-only
"""What every record is: frozen, keyword-only, strict when read, tuples inside; and how it becomes bytes."""

import hashlib
from typing import TypeVar

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records."""


class Setting(Record, frozen=True, kw_only=True):
    """One name with its value, as in "size = 64MiB"; values are kept as text."""

    name: str
    value: str


R = TypeVar("R", bound=Record)


def to_json(record: Record) -> bytes:
    """Canonical JSON: keys in declaration order, no spaces; the same record gives the same bytes."""
    return msgspec.json.encode(record)


def to_indented_json(record: Record) -> str:
    """For people and for files that are compared line by line; ends with a newline."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n"


def from_json(data: bytes, kind: type[R]) -> R:
    """Reads what to_json() wrote. Raises msgspec.ValidationError with the dotted place of what is wrong."""
    return msgspec.json.decode(data, type=kind)


def content_id(record: Record) -> str:
    """sha256 (hex) of a record's canonical JSON."""
    return hashlib.sha256(to_json(record)).hexdigest()
