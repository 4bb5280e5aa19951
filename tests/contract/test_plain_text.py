# SPDX-License-Identifier: GPL-2.0-only
"""Text that users read names its subject first: help texts and reasons."""

import re
from typing import Any

import typer

from kassay.cli import build_app
from kassay.model.reason_texts import TEXTS

_NO_SUBJECT = re.compile(r"(Of|Those|Also|Whether|What|Whose|Within)\b(?!.*\?$)")
"""Openings that a reader has to read twice. A question may begin with one of them."""
_TOLD = re.compile(r"\b(?:is|are|was|were) (?:said|told)\b")


def help_texts() -> dict[str, str]:
    """The texts of every command, argument and option, by where they stand."""
    texts: dict[str, str] = {}

    def add(name: str, command: Any) -> None:
        texts[name] = (command.help or "").strip().split("\n\n")[0]
        for parameter in command.params:
            option = max(parameter.opts, key=len)
            texts[f"{name} {option}"] = getattr(parameter, "help", None) or ""
        if hasattr(command, "list_commands"):
            context = command.make_context(name, [], resilient_parsing=True)
            for other in command.list_commands(context):
                add(f"{name} {other}", command.get_command(context, other))

    add("kassay", typer.main.get_command(build_app()))
    return texts


def test_help_texts_open_with_their_subject() -> None:
    texts = help_texts()
    assert len(texts) > 300
    assert {where: text for where, text in texts.items() if _NO_SUBJECT.match(text) or _TOLD.search(text)} == {}


def test_every_option_says_what_it_does() -> None:
    assert [where for where, text in help_texts().items() if not text] == []


def test_reasons_open_with_their_subject() -> None:
    assert {code: text for code, text in TEXTS.items() if _NO_SUBJECT.match(text) or _TOLD.search(text)} == {}
