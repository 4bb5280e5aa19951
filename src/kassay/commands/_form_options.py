# SPDX-License-Identifier: GPL-2.0-only
"""The options that a report's formats declare, as options of a command."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any

from typer import Option

from kassay.report.answer_form import FormOption, Given

FormOptions = Mapping[str, Given]
"""Name of a format -> the options of it that the user gave; formats without any are left out."""


class WithFormOptions:
    """`command(..., given: FormOptions)` for typer: `given` is replaced by every option of every format.

    Formats are loaded only when typer reads the options, not when commands are listed.
    """

    def __init__(self, command: Callable[..., int]) -> None:
        self._command = command
        self.__doc__ = command.__doc__

    @cached_property
    def _added(self) -> Mapping[str, tuple[str, FormOption]]:
        return {f"{form}_{number}": (form, option) for form, number, option in _options()}

    @property
    def __signature__(self) -> inspect.Signature:
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [part for name, part in inspect.signature(self._command).parameters.items() if name != "given"]
        added = [
            inspect.Parameter(name, keyword, default=None, annotation=_annotated(form, option))
            for name, (form, option) in self._added.items()
        ]
        return inspect.Signature([*(part.replace(kind=keyword) for part in parameters), *added])

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]  # typer asks the object for it
        return {name: part.annotation for name, part in self.__signature__.parameters.items()}

    def __call__(self, **values: Any) -> int:
        given: dict[str, dict[str, tuple[str, ...]]] = {}
        for parameter, (form, option) in self._added.items():
            value = values.pop(parameter)
            if value:
                given.setdefault(form, {})[option.name] = tuple(value) if option.many else (value,)
        return self._command(**values, given=given)


def _options() -> Iterator[tuple[str, int, FormOption]]:
    from kassay.report.formats import formats

    for name, form in formats().items():
        for number, option in enumerate(form.options):
            yield name, number, option


def _annotated(form: str, option: FormOption) -> Any:
    declared = Option(option.name, metavar=option.metavar, help=option.help, rich_help_panel=form.capitalize())
    return Annotated[list[str] | None if option.many else str | None, declared]
