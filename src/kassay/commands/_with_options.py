# SPDX-License-Identifier: GPL-2.0-only
"""Commands whose options are the fields of a record."""

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING, Field, field, fields, is_dataclass
from typing import Annotated, Any

from typer import Option

_OPTION = "option"


def option(default: Any, metavar: str, text: str, *names: str, **more: Any) -> Any:
    """A field of a record of options, with its default.

    metavar: what stands for its value; "" for a flag. text: its help. names: as on the command line, where the field's
    name does not give them. more: as typer's Option() takes it.
    """
    return field(default=default, metadata={_OPTION: Option(*names, metavar=metavar or None, help=text, **more)})


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
        for parameter, record in records.items():
            given = [each.name for each in fields(record) if each.name in values]
            values[parameter] = record(**{name: values.pop(name) for name in given})
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
    for each in fields(record):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(each.name, keyword, default=default, annotation=_annotated(each))


def _annotated(each: Field[Any]) -> Any:
    return Annotated[each.type, each.metadata[_OPTION]] if _OPTION in each.metadata else each.type
