# SPDX-License-Identifier: GPL-2.0-only
"""Parses --set NAME=VALUE for all commands."""

from collections.abc import Iterable

from kassay.errors import BadInput

_EXAMPLE = "size=16MiB"


def name_and_value(text: str, example: str = _EXAMPLE) -> tuple[str, str]:
    """Name and value, neither of them empty. Raises BadInput with an example."""
    name, _, value = text.partition("=")
    if not (name and value):
        raise BadInput(f"--set {text!r}: write NAME=VALUE", f"for example --set {example}")
    return name, value


def one_value_each(texts: Iterable[str], example: str = _EXAMPLE) -> dict[str, str]:
    """Name -> value, for commands that show one setting at a time. Raises BadInput, also for a second value."""
    values: dict[str, str] = {}
    for name, value in (name_and_value(text, example) for text in texts):
        if values.setdefault(name, value) != value:
            raise BadInput(f"--set {name}: given twice", "one setting is shown at a time; give one value")
    return values
