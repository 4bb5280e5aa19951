# SPDX-License-Identifier: GPL-2.0-only
"""The options that a report's formats declare, as options of a command."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from typer import Option

from kassay.report.form import FormOption, Given
from kassay.report.formats import formats

FormOptions = Mapping[str, Given]
"""What was given, by the name of the format whose option it is; a format without any is not in it."""


def with_form_options(command: Callable[..., int]) -> Callable[..., int]:
    """`command(..., given: FormOptions)` as typer reads it: in place of `given`, every option of every format."""
    own = [one for one in inspect.signature(command).parameters.values() if one.name != "given"]
    added = {f"{form}_{number}": (form, option) for form, number, option in _options()}

    def call(**values: Any) -> int:
        given: dict[str, dict[str, tuple[str, ...]]] = {}
        for parameter, (form, option) in added.items():
            value = values.pop(parameter)
            if value:
                given.setdefault(form, {})[option.name] = tuple(value) if option.many else (value,)
        return command(**values, given=given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    read = [one.replace(kind=keyword) for one in own]
    read += [
        inspect.Parameter(name, keyword, default=None, annotation=_annotated(form, option))
        for name, (form, option) in added.items()
    ]
    call.__signature__ = inspect.Signature(read)  # type: ignore[attr-defined]  # read by typer
    call.__annotations__ = {one.name: one.annotation for one in read}
    call.__doc__ = command.__doc__
    return call


def _options() -> Iterator[tuple[str, int, FormOption]]:
    for name, form in formats().items():
        for number, option in enumerate(form.options):
            yield name, number, option


def _annotated(form: str, option: FormOption) -> Any:
    declared = Option(option.name, metavar=option.metavar, help=option.help, rich_help_panel=form.capitalize())
    return Annotated[list[str] | None if option.many else str | None, declared]
