# SPDX-License-Identifier: GPL-2.0-only
"""Properties of the output: terminal or file, number of columns, colours."""

import os
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_DEFAULT_COLUMNS = 80


def is_terminal(stream: TextIO) -> bool:
    """True if the stream is a terminal, or if FORCE_COLOR is set."""
    return stream.isatty() or bool(os.environ.get("FORCE_COLOR"))


def in_colours(stream: TextIO) -> bool:
    """True if escape sequences may be written (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    return is_terminal(stream) and not plain


def columns() -> int:
    """Width of the output: $COLUMNS, else the width of the terminal behind any standard stream, else 80."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    for stream in (0, 1, 2):
        try:
            return os.get_terminal_size(stream).columns or _DEFAULT_COLUMNS
        except OSError:
            continue
    return _DEFAULT_COLUMNS


def styled(text: str, style: str) -> str:
    """`text` in a style of _CODES, several separated by spaces; as it is without one."""
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\033[{codes}m{text}\033[0m" if codes and text else text
