# SPDX-License-Identifier: GPL-2.0-only
"""Options that do nothing without another one, or beside another one. Each command has a table of its own."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from typer._click.globals import get_current_context

from kassay.errors import BadInput

Table = Mapping[str, Sequence[str]]
_NONE: Table = MappingProxyType({})
_MAY_BE_EMPTY = "WORDS"
"""Placeholder of values that may be empty, as in --cmdline "$MORE"."""


def given_options() -> frozenset[str]:
    """Options and arguments on the command line, such as "--set" and "name"; none outside of a command.

    Raises BadInput for an option with an empty text, which would do nothing.
    """
    context = get_current_context(silent=True)
    if context is None:
        return frozenset()
    given = []
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is None or source.name != "COMMANDLINE":
            continue
        name = parameter.opts[0]
        value = context.params[str(parameter.name)]
        empty = value == "" or (isinstance(value, Sequence) and "" in value and not isinstance(value, str))
        if empty and name.startswith("-") and parameter.metavar != _MAY_BE_EMPTY:
            raise BadInput(f"{name} '': no value", "give one, or leave the option out")
        given.append(name)
    return frozenset(given)


def check_together(needs: Table = _NONE, unused: Table = _NONE) -> None:
    """Raises BadInput for an option that would do nothing.

    needs: option -> the options of which it needs one. unused: option -> the options that it makes no use of.
    """
    given = given_options()
    for option, others in needs.items():
        if option in given and not given.intersection(others):
            raise BadInput(
                f"{option}: belongs to {' or '.join(others)}, which is not given", f"add {others[0]}, or leave it out"
            )
    for option in given.intersection(unused):
        for other in given.intersection(unused[option]):
            raise BadInput(f"{other}: does nothing with {option}", "leave out one of them")
