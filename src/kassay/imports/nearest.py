# SPDX-License-Identifier: GPL-2.0-only
"""Why a file that almost is one of the formats is none: the one thing to put right."""

import re

from kassay.imports.importer import Given
from kassay.imports.text import first_line, header_of

_COLUMNS = ("kernel", "metric", "value")
_MARKS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
_SEPARATORS = ((";", "semicolons"), ("\t", "tabs"), ("|", "bars"))
_ENCODED = re.compile(rb"=[0-9A-F]{2}|=\r?\n")


def nearest(given: Given) -> str:
    """ ": line 1: no column metric", or "" when nothing is near. Raises nothing."""
    for mark, name in _MARKS:
        if given.data.startswith(mark):
            return f": it is {name} text; save it as UTF-8"
    if b"%stddev" in given.data or b"%change" in given.data or b"=25stddev" in given.data:
        return _mail(given)
    return _table(given)


def _mail(given: Given) -> str:
    if len(_ENCODED.findall(given.data)) > 5:
        return ": a mail in quoted-printable; save its text as the mail program shows it"
    return ": a mail of the robot without the line of = above its table"


def _table(given: Given) -> str:
    """A CSV without a column, or with something else than commas."""
    line = first_line(given)
    for sign, name in _SEPARATORS:
        words = {word.strip().strip('"') for word in line.split(sign)}
        if sign in line and len(words & set(_COLUMNS)) > 1:
            return f": line 1: its columns are separated by {name}; write commas"
    missing = [name for name in _COLUMNS if name not in header_of(given)]
    if len(missing) < len(_COLUMNS) and len(header_of(given)) > 1:
        return f": line 1: no column {' and no column '.join(missing)}"
    return ""
