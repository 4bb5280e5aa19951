# SPDX-License-Identifier: GPL-2.0-only
"""Options that do nothing without another one, or beside another one. Each command has a table of its own."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kassay.commands import given
from kassay.errors import BadInput

Table = Mapping[str, Sequence[str]]
_NONE: Table = MappingProxyType({})


def given_options() -> frozenset[str]:
    """Options and arguments on the command line, such as "--set" and "name"; none outside of a command."""
    return frozenset(parameter.opts[0] for parameter, _ in given())


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
