# SPDX-License-Identifier: GPL-2.0-only
"""The command lines of kassay that pages show, and what is wrong with one."""

import re
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

import typer
from typer.core import TyperOption

_FENCE = re.compile(r"(?ms)^ *```(\w*)\n(.*?)^ *```$")
_INLINE = re.compile(r"(?s)`(kassay [^`]+)`")
_CONTINUED = re.compile(r"\\\n\s*")
_QUOTED = re.compile(r'(?m)^kassay [^"\n]*"[^"]*"')
_SHELLS = {"", "sh", "console"}
_PREFIX = re.compile(r"^\s*(?:\$ )?(?:[A-Z_]+=\S* )*(?=kassay )")
_WITHIN = re.compile(r"[\s'\"](?=kassay [a-z])")
_END = re.compile(r"\s#|\s{3,}|\s(?:&&|\|\|?|>|<)\s|[;'](?=\s|$)")
"""A command line ends at a comment, at a column of explanations, or at the shell's next command."""


class CommandLine(NamedTuple):
    """text: from "kassay" to the end of the command. begins: nothing but a prompt or a variable stands before it."""

    text: str
    begins: bool


def command_lines(page: str) -> Iterator[CommandLine]:
    """Every command line in the code of a page: fenced blocks of shell, and inline code that begins with `kassay `."""
    for language, block in _FENCE.findall(page):
        if language in _SHELLS:
            one_line_each = _CONTINUED.sub(" ", _QUOTED.sub(lambda found: found.group().replace("\n", " "), block))
            for line in one_line_each.splitlines():
                if begin := _PREFIX.match(line):
                    yield CommandLine(_cut(line[begin.end() :]), begins=True)
                    continue
                yield from (CommandLine(_cut(line[found.end() :]), begins=False) for found in _WITHIN.finditer(line))
    for text in _INLINE.findall(_FENCE.sub("", page)):
        yield CommandLine(_cut(" ".join(text.split())), begins=True)


def _cut(text: str) -> str:
    """text up to the end of its first command. Quoted text belongs to it."""
    hidden = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: "x" * len(found.group()), text)
    end = _END.search(hidden)
    return text[: end.start()] if end else text


def problem(line: CommandLine, program: Any) -> str:
    """A command or an option that the program does not know; "" if it knows all, or if the text is no command."""
    try:
        words = shlex.split(line.text)[1:]
    except ValueError:
        return "a quotation mark is missing"
    context, command = typer.Context(program), program
    while hasattr(command, "get_command") and words and not words[0].startswith(("-", "[")):
        found = command.get_command(context, words[0])
        if found is None:
            is_name = words[0].isupper() or words[0] == "..."  # "kassay COMMAND --help"
            return f"no command {words[0]!r}" if line.begins and not is_name else ""
        command = found
        del words[0]
    takes_value = {
        name: not (isinstance(option, TyperOption) and option.is_flag)
        for option in command.get_params(typer.Context(command))
        for name in (*option.opts, *option.secondary_opts)
    }
    is_value = False
    for word in words:
        name = word.strip("[]").partition("=")[0]
        if is_value or not name.startswith("-") or name in ("-", "--"):
            is_value = False
        elif name not in takes_value:
            return f"no option {name!r}"
        else:
            is_value = takes_value[name] and "=" not in word
    return ""
