# SPDX-License-Identifier: GPL-2.0-only
"""Commands whose options are the fields of a record."""

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def with_options(command: Callable[..., int], without: Collection[str] = ()) -> Callable[..., int]:
    """`command` for typer: a parameter whose type is a dataclass is replaced by one parameter for each of its fields.

    When it is called, it makes the dataclasses from these parameters. Fields named in `without` are no options of the
    command and keep their defaults.
    """
    parameters = inspect.signature(command).parameters.values()
    records: dict[str, Any] = {
        parameter.name: parameter.annotation for parameter in parameters if is_dataclass(parameter.annotation)
    }
    read = [
        expanded
        for parameter in parameters
        for expanded in _read(parameter, records.get(parameter.name))
        if expanded.name not in without
    ]

    def call(**values: Any) -> int:
        for name, record in records.items():
            given = [field.name for field in fields(record) if field.name in values]
            values[name] = record(**{field: values.pop(field) for field in given})
        return command(**values)

    call.__signature__ = inspect.Signature(read)  # type: ignore[attr-defined]  # typer reads it
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in read}
    call.__doc__ = command.__doc__
    return call


def _read(parameter: inspect.Parameter, record: Any) -> Iterator[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY
    if record is None:
        yield parameter.replace(kind=keyword)
        return
    for field in fields(record):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield inspect.Parameter(field.name, keyword, default=default, annotation=field.type)
