# SPDX-License-Identifier: GPL-2.0-only
"""Text for readers, found in sources and pages: docstrings and sentences, with their lines."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_FENCE = ("```", "~~~")
_NO_PROSE = re.compile(r"[|#<]|!\[|\[!|[-=*_]{3,}$")
_ITEM = re.compile(r"(?:>|[-*+]|\d+\.)\s+")
_CODE = re.compile(r"`[^`]*`")
_TARGET = re.compile(r"(?<=\])\([^)]*\)")
_END = re.compile(r"(?<!\.)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)[.!?][\"')*_]*\s+")

NO_SUBJECT = re.compile(r"(Of|Those|Also|Whether|What|Whose|Within)\b(?!.*\?$)", re.MULTILINE)
"""Openings that a reader has to read twice. A question may begin with one of them."""


class Passage(NamedTuple):
    """A docstring or a sentence."""

    line: int
    text: str

    @property
    def words(self) -> int:
        """Number of words. A piece of code is one word, and the target of a link is none."""
        return sum(bool(re.search(r"\w", word)) for word in _TARGET.sub("", _CODE.sub("code", self.text)).split())


def docstrings(path: Path) -> Iterator[Passage]:
    """Docstrings of a Python file, including the strings below constants and fields."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield Passage(statement.lineno, text.strip())


def sentences(text: str) -> Iterator[Passage]:
    """Sentences of a Markdown text. Headings, tables and blocks of code have none. An item of a list begins one."""
    paragraph: list[tuple[int, str]] = []
    is_code = False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        words = line.strip()
        is_fence = words.startswith(_FENCE)
        is_block = is_code or is_fence or (line.startswith("    ") and not paragraph)
        is_code ^= is_fence
        item = _ITEM.match(words)
        if is_block or item or not words or _NO_PROSE.match(words):
            yield from _split(paragraph)
            paragraph = []
        if not is_block and words and not _NO_PROSE.match(words):
            paragraph.append((number, words[item.end() :] if item else words))
    yield from _split(paragraph)


def _split(paragraph: Sequence[tuple[int, str]]) -> Iterator[Passage]:
    text, starts = "", []
    for number, words in paragraph:
        starts.append((len(text), number))
        text += f"{words} "
    hidden = _CODE.sub(lambda code: "c" * len(code[0]), text)  # a dot in code ends no sentence
    at = 0
    for end in [*(match.end() for match in _END.finditer(hidden)), len(text)]:
        if text[at:end].strip():
            yield Passage(max(number for start, number in starts if start <= at), text[at:end].strip())
        at = end


def wide_lines(text: str, most: int) -> Iterator[Passage]:
    """Lines of prose with more than `most` columns. Tables, blocks of code and comments have none. A piece of code in
    prose is never broken, and counts as a word."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        is_fence = line.strip().startswith(_FENCE)
        keeps = is_code or is_fence or line.lstrip().startswith(("|", "<!--", "![", "#")) or line.startswith("    ")
        if not keeps and min(len(line), len(_CODE.sub("`code`", line))) > most:
            yield Passage(number, line)
        is_code ^= is_fence


def stray_words(text: str, fewest: int) -> Iterator[Passage]:
    """Lines of prose that have fewer than `fewest` columns although their paragraph continues with a word."""
    is_code = False
    lines = text.splitlines()
    for number, (line, behind) in enumerate(pairwise(lines), 1):
        is_code ^= line.strip().startswith(_FENCE)
        words, following = line.strip(), behind.strip()
        ends = not following or _NO_PROSE.match(following) or _ITEM.match(following) or following[0] in "`[<"
        if not is_code and words and not ends and not _NO_PROSE.match(words) and len(line) < fewest:
            yield Passage(number, line)
