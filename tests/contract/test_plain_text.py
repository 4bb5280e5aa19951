# SPDX-License-Identifier: GPL-2.0-only
"""Text that users and developers read names its subject first, and its sentences are short."""

import ast
import re
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import typer

from kassay.cli import build_app
from kassay.model.reason_texts import TEXTS
from tests.prose import NO_SUBJECT, Passage, sentences, stray_words, wide_lines
from tests.source import FILES, ROOT, nodes

_TOLD = re.compile(r"\b(?:is|are|was|were) (?:said|told)\b")

COLUMNS = 120
LIMITS = (18, 32)
"""Words of a sentence: the median, and the number that 95 % of the sentences do not exceed."""


def help_texts() -> dict[str, str]:
    """The texts of every command, argument and option, by where they stand."""
    texts: dict[str, str] = {}

    def add(name: str, command: Any) -> None:
        texts[name] = (command.help or "").strip()
        for parameter in command.params:
            option = max(parameter.opts, key=len)
            texts[f"{name} {option}"] = getattr(parameter, "help", None) or ""
        if hasattr(command, "list_commands"):
            context = command.make_context(name, [], resilient_parsing=True)
            for other in command.list_commands(context):
                add(f"{name} {other}", command.get_command(context, other))

    add("kassay", typer.main.get_command(build_app()))
    return texts


def _sentences_of_docs() -> list[tuple[str, Passage]]:
    pages = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    return [(f"{page.relative_to(ROOT)}:{found.line}", found)
            for page in pages for found in sentences(page.read_text("utf-8"))]  # fmt: skip


def _sentences_of_help() -> list[tuple[str, Passage]]:
    """Each text once: many commands share their options. A text that is put together has no line, but an option."""
    lines = {
        cleandoc(node.value): f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES if "commands" in path.parts
        for node in nodes(path, ast.Constant) if isinstance(node.value, str)
    }  # fmt: skip
    places = {text: lines.get(text, name) for name, text in help_texts().items()}
    return [(place, found) for text, place in places.items() for found in sentences(text)]


def too_long(found: Iterable[tuple[str, Passage]], limits: tuple[int, int]) -> str:
    """Message that names the sentences to shorten, the longest first. Empty if all limits hold."""
    ordered = sorted(found, key=lambda each: -each[1].words)
    words = [passage.words for _, passage in ordered]
    middle, most = limits
    over = sum(count > most for count in words)
    problems = []
    if median(words) > middle:
        problems.append(f"the median is {median(words):g} words, at most {middle} are allowed")
    if over > len(words) // 20:
        problems.append(f"{over} of {len(words)} sentences have more than {most} words, at most 5 % may")
    listed = [f"{place}: {passage.words} words: {passage.text}" for place, passage in ordered[: max(over, 20)]]
    return "\n".join(["; ".join(problems), *listed]) if problems else ""


def test_help_texts_open_with_their_subject() -> None:
    texts = help_texts()
    assert len(texts) > 300
    assert {where: text for where, text in texts.items() if NO_SUBJECT.match(text) or _TOLD.search(text)} == {}


def test_every_option_says_what_it_does() -> None:
    assert [where for where, text in help_texts().items() if not text] == []


def test_reasons_open_with_their_subject() -> None:
    assert {code: text for code, text in TEXTS.items() if NO_SUBJECT.match(text) or _TOLD.search(text)} == {}


@pytest.mark.parametrize(("kind", "found"), [("docs", _sentences_of_docs), ("help", _sentences_of_help)])
def test_sentences_are_short(kind: str, found: Any) -> None:
    problem = too_long(found(), LIMITS)
    assert not problem, f"{kind}: {problem}"


def _pages() -> Iterator[Path]:
    yield from (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")
    yield from sorted((ROOT / "docs").rglob("*.md"))


def test_lines_of_pages_are_narrow() -> None:
    wide = [f"{page.relative_to(ROOT)}:{found.line}: {len(found.text)} columns, at most {COLUMNS}"
            for page in _pages() for found in wide_lines(page.read_text("utf-8"), COLUMNS)]  # fmt: skip
    assert not wide, "\n".join(wide)


def test_no_word_of_a_paragraph_stands_on_a_line_alone() -> None:
    stray = [f"{page.relative_to(ROOT)}:{found.line}: {found.text}"
             for page in _pages() for found in stray_words(page.read_text("utf-8"), 20)]  # fmt: skip
    assert not stray, "\n".join(stray)


def test_a_wide_line_is_found_outside_of_tables_and_code() -> None:
    wide = "x" * 121
    text = f"{wide}\n\n| {wide} |\n\n```\n{wide}\n```\n\n    {wide}\n- {wide}\n"
    assert [found.line for found in wide_lines(text, 120)] == [1, 10]


def test_a_long_sentence_is_named_with_its_place() -> None:
    text = "# Heading of a page\n\n- One item\n  of two lines, e.g. `a. b c`.\n- Another. " + "word " * 40 + "\n"
    found = [(f"page.md:{each.line}", each) for each in sentences(text)]
    assert [(place, each.words) for place, each in found] == [("page.md:3", 7), ("page.md:5", 1), ("page.md:5", 40)]
    assert too_long(found, (18, 40)) == ""
    problem, longest, *_ = too_long(found, (18, 32)).splitlines()
    assert problem == "1 of 3 sentences have more than 32 words, at most 5 % may"
    assert longest.startswith("page.md:5: 40 words: word word")
    assert too_long(found, (6, 40)).startswith("the median is 7 words, at most 6 are allowed")
