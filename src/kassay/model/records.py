# SPDX-License-Identifier: GPL-2.0-only
"""Base of all records: frozen, keyword-only, strict when read, tuples inside. Also their form as bytes."""

import hashlib
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records."""


class Setting(Record, frozen=True, kw_only=True):
    """One name with its value, as in "size = 64MiB"; values are kept as text."""

    name: str
    value: str


R = TypeVar("R", bound=Record)
T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
_complete: set[object] = set()
_completing = threading.Lock()


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key, keys and values in the order given."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def repeats(keyed: Iterable[tuple[K, V]]) -> Iterator[tuple[V, V]]:
    """Each value whose key an earlier value has, with the first value of that key."""
    first: dict[K, V] = {}
    for key, value in keyed:
        if key in first:
            yield value, first[key]
        first.setdefault(key, value)


def to_json(record: Record) -> bytes:
    """Canonical JSON: keys in declaration order, no spaces; the same record gives the same bytes."""
    return msgspec.json.encode(record)


def to_indented_json(record: Record) -> str:
    """For people and for files that are compared line by line; ends with a newline."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n"


def from_json(data: bytes | str, kind: type[T]) -> T:
    """Reads what to_json() wrote. Raises msgspec.ValidationError with the dotted place of what is wrong."""
    return msgspec.json.decode(data, type=_completed(kind))


def from_msgpack(data: bytes, kind: type[T]) -> T:
    """Reads MessagePack. Raises msgspec.MsgspecError for anything else."""
    return msgspec.msgpack.decode(data, type=_completed(kind))


def from_plain(value: object, kind: type[T], *, strict: bool = True) -> T:
    """Reads dictionaries, lists and texts. strict: a number is no text. Raises msgspec.ValidationError."""
    return msgspec.convert(value, _completed(kind), strict=strict)


def _completed(kind: type[T]) -> type[T]:
    """The same type, which any thread may read now.

    msgspec describes a type when it is read for the first time, and lets other threads see the description before it is
    complete: a thread that reads the type then ends the process by SIGSEGV (msgspec 0.22, json_decode_struct_map). So
    one thread at a time completes descriptions, and nothing else in kassay has msgspec read a type.
    """
    if kind not in _complete:
        with _completing:
            msgspec.json.Decoder(kind)
            _complete.add(kind)
    return kind


def content_id(record: Record) -> str:
    """sha256 (hex) of a record's canonical JSON."""
    return hashlib.sha256(to_json(record)).hexdigest()
