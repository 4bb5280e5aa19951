# SPDX-License-Identifier: GPL-2.0-only
"""Subjects of mails with patches: "Re: [PATCH mm-unstable v2 3/5] mm: title" -> its parts."""

import re
from typing import NamedTuple

_BRACKET = r"\[[^\]]*\]"
_OWN = r"(?:\bPATCH(?=v?\d|\b)|\bRFC(?:v?\d)?\b(?!\s*\d{3,}(?![\d/])))"
"""PATCH, PATCHv2, RFC or RFC2; not RFC6724 or "RFC 6724"."""
_WORD = r"[^\s:：\[\]]+(?:\[\d+\])?\s?[:：]"
_TAG = re.compile(
    rf"((?:\s*(?:{_BRACKET}|{_WORD}|\*++[^*\[]+\*++))*?)\s*\[[^\]]*{_OWN}[^\]]*\](?:\s*{_BRACKET})*", re.IGNORECASE
)
"""Brackets with PATCH or RFC at the beginning, and those next to them: "Re: ***SPAM*** [mm] [RFC][PATCH 1/2]"."""
_VERSION = re.compile(r"(?:\b|(?<=PATCH)|(?<=RFC))v(\d+)(?![\w.])", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w./])(\d+)/(\d+)(?![\w./])")
_REPLY = re.compile(r"\s*(?:re|fwd?|aw):", re.IGNORECASE)
_REPLY_WORD = re.compile(
    r"(?<![^\s\]])(?:(?i:re|fwd?|aw|antw|sv|wg|tr|res)|[^\W\d_a-z][^\W\d_]{0,3})(?:\[\d+\])?\s?[:：]"
)
"""A short word that is no "mm:"; mail programs write "Re:", "SV:" or "Antw:"."""
_LEFT_OUT = re.compile(r"^(?:\s*(?:\[[^\]]*\]|re:|fwd?:|aw:))+\s*", re.IGNORECASE)


class Subject(NamedTuple):
    """Parts of a subject."""

    title: str
    """Subject without brackets and "Re:"."""
    brackets: tuple[str, ...] = ()
    """Texts of the brackets at the beginning, "PATCH mm-unstable v2 3/5"; none if none has PATCH or RFC."""
    is_reply: bool = False

    @property
    def tag(self) -> str:
        """Text of all brackets."""
        return " ".join(self.brackets)

    @property
    def words(self) -> list[str]:
        """Words of the brackets with PATCH or RFC."""
        own = (text for text in self.brackets if re.search(_OWN, text, re.IGNORECASE))
        return [word for text in own for word in text.split()]

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
    found = _TAG.match(text)
    if found is None:
        return Subject(_LEFT_OUT.sub("", text) or text, is_reply=bool(_REPLY.match(text)))
    brackets = tuple(bracket[1:-1] for bracket in re.findall(_BRACKET, found[0]))
    return Subject(text[found.end() :].strip() or text, brackets, is_reply=bool(_REPLY_WORD.search(found[1])))
