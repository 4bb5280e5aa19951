# SPDX-License-Identifier: GPL-2.0-only
"""Writes docs/reference/commands.md from the help texts (`make pages`)."""

from collections.abc import Iterator, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer
from benchmarks._pages import narrow

from kassay.cli import build_app
from kassay.model.texts import listed

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
FIRST = "compare"
_FEW = 10
_MADE = "<!-- Made by `make pages` from the help texts. Change the commands, not this page. -->\n"


def page() -> str:
    """Every command with its arguments and options."""
    head = [_MADE, "# Commands\n", "This page has the help texts of all commands. `kassay COMMAND --help` shows one.\n"]
    app: Any = typer.main.get_command(build_app())
    first = app.get_command(app.make_context("kassay", [], resilient_parsing=True), FIRST)
    shared = _rows(FIRST, first)
    return narrow("\n".join([*head, *_command("kassay", app, shared)]).rstrip() + "\n")


def _rows(name: str, command: Any) -> list[str]:
    context = command.make_context(name, [], resilient_parsing=True)
    return [row for parameter in command.params if (row := _row(parameter, context))]


def _command(name: str, command: Any, shared: Sequence[str]) -> Iterator[str]:
    """shared: rows of the first command, which others do not repeat."""
    context = command.make_context(name, [], resilient_parsing=True)
    if name != "kassay":
        yield f"## {name}\n"
        if not hasattr(command, "list_commands"):
            yield f"```\n{name} {' '.join(command.collect_usage_pieces(context))}\n```\n"
        yield from _text(command.help or "")
    rows = _rows(name, command)
    if name != f"kassay {FIRST}" and sum(row in shared for row in rows) > _FEW:
        lacking = [_names(row) for row in shared if _names(row) not in map(_names, rows) and "`--" in _names(row)]
        rows = [row for row in rows if row not in shared]
        yield f"Other options are those of `kassay {FIRST}`{f', except {listed(lacking)}' if lacking else ''}.\n"
    if rows and name != "kassay":
        yield "| name | value | meaning | default |"
        yield "| --- | --- | --- | --- |"
        yield from rows
        yield ""
    if hasattr(command, "list_commands"):
        for other in command.list_commands(context):
            yield from _command(f"{name} {other}", command.get_command(context, other), shared)


def _names(row: str) -> str:
    return row.split(" | ")[0].removeprefix("| ")


def _text(text: str) -> Iterator[str]:
    for paragraph in cleandoc(text).split("\n\n"):
        words = " ".join(paragraph.split())
        example = words.removeprefix("Example: ")
        yield f"```\n{example}\n```\n" if example != words else f"{words}\n"


def _row(parameter: Any, context: Any) -> str:
    if parameter.param_type_name == "option" and (parameter.hidden or parameter.name == "help"):
        return ""
    argument = parameter.param_type_name == "argument"
    names = parameter.make_metavar(context) if argument else ", ".join((*parameter.opts, *parameter.secondary_opts))
    flag = getattr(parameter, "is_flag", False)
    value = "" if argument or flag else parameter.make_metavar(context)
    default = getattr(parameter, "show_default", None)
    if not isinstance(default, str):
        known = parameter.default if isinstance(parameter.default, str | int | float) and not flag else ""
        default = "" if default is False else f"{known}"
    cells = (f"`{names}`", f"`{value}`" if value else "", " ".join((parameter.help or "").split()), default)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
