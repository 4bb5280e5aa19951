# SPDX-License-Identifier: GPL-2.0-only
"""Pages that programs write: lines of prose are as narrow as those that people write."""

import re
import textwrap

COLUMNS = 120
_ATOM = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\d %")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+|\s*")
_BLANK = "\N{NO-BREAK SPACE}"


def narrow(text: str) -> str:
    """The page with its wide lines of prose broken. Tables and blocks of code stay. Code, links, and figures in percent
    are not broken."""
    lines: list[str] = []
    is_code = False
    for line in text.split("\n"):
        is_fence = line.strip().startswith(("```", "~~~"))
        keeps = is_code or is_fence or line.lstrip().startswith(("|", "<!--", "![", "#")) or line.startswith("    ")
        is_code ^= is_fence
        lines += [line] if keeps or len(line) <= COLUMNS else _broken(line)
    return "\n".join(lines)


def _broken(line: str) -> list[str]:
    item = _ITEM.match(line)
    indent = " " * (item.end() if item else 0)
    whole = _ATOM.sub(lambda match: match[0].replace(" ", _BLANK), line.lstrip())
    begin = line[: len(line) - len(line.lstrip())]
    parts = textwrap.wrap(
        whole, COLUMNS, initial_indent=begin, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [part.replace(_BLANK, " ") for part in parts]
