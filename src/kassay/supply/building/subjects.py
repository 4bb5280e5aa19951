# SPDX-License-Identifier: GPL-2.0-only
"""Subjects of mails with patches: "Re: [PATCH mm-unstable v2 3/5] mm: title" -> its parts."""

import re
from typing import NamedTuple

_TAG = re.compile(
    r"((?:\[[^\]]*\]\s*)*)(\[[^\]]*\b(?:PATCH|RFC)(?=v?\d|\b)[^\]]*\])((?:\s*\[[^\]]*\])*)", re.IGNORECASE
)
"""Brackets with PATCH or RFC, and those next to it: "[linux-mm] [RFC][PATCH 1/2]"."""
_VERSION = re.compile(r"(?:\b|(?<=PATCH)|(?<=RFC))v(\d+)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w./])(\d+)/(\d+)(?![\w./])")
_REPLY = re.compile(r"\s*(?:re|fwd?|aw):", re.IGNORECASE)
_LEFT_OUT = re.compile(r"^(?:\s*(?:\[[^\]]*\]|re:|fwd?:|aw:))+\s*", re.IGNORECASE)


class Subject(NamedTuple):
    """Parts of a subject."""

    title: str
    """Subject without brackets and "Re:"."""
    tag: str = ""
    """Text of the brackets, "PATCH mm-unstable v2 3/5"; "" if none has PATCH or RFC."""
    is_reply: bool = False
    """True if anything stands before the brackets: mail programs write "Re:", "SV:" or "Antw:"."""

    @property
    def version(self) -> int | None:
        """2 for "PATCH v2"; None without a tag."""
        found = _VERSION.search(self.tag)
        return int(found[1]) if found else 1 if self.tag else None

    @property
    def number(self) -> tuple[int, int] | None:
        """(number, total) of "PATCH 3/5"; None if the tag has none."""
        found = _NUMBER.search(self.tag)
        return (int(found[1]), int(found[2])) if found else None


def parse_subject(text: str) -> Subject:
    """The parts of a subject, decoded and on one line."""
    found = _TAG.search(text)
    if found is None:
        return Subject(_LEFT_OUT.sub("", text) or text, is_reply=bool(_REPLY.match(text)))
    title = text[found.end() :].strip()
    tag = " ".join(re.findall(r"\[([^\]]*)\]", found[0]))
    return Subject(title or text, tag, is_reply=bool(text[: found.start()].strip()))
