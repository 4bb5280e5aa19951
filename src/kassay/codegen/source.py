# SPDX-License-Identifier: GPL-2.0-only
"""Whether a source file has a function, and which name was meant when it has not."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_CLOSE = 3


def contains(source: str, function: str) -> bool:
    """Whether C text defines the function: its name, parameters and an opening brace."""
    plain = _COMMENT.sub(" ", source)
    for found in re.finditer(rf"(?<![\w.>]){re.escape(function)}\s*\(", plain):
        if plain[_closing(plain, found.end()) :].lstrip().startswith("{"):
            return True
    return False


def _closing(text: str, start: int) -> int:
    """Behind the parenthesis that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at + 1
    return len(text)


def nearest(function: str, known: Iterable[str]) -> tuple[str, ...]:
    """Known names that look like it, at most three."""
    names = sorted({name for name in known if "." not in name})
    return tuple(get_close_matches(function, names, n=_CLOSE, cutoff=0.75))
