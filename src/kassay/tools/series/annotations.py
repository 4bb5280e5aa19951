# SPDX-License-Identifier: GPL-2.0-only
"""Annotations that a series adds (__always_inline, likely(), ...): each one taken back, and each one alone on base.

They are found in C text without a parser of C. An annotation is a word on an added line that no removed line has. Words
in comments and strings do not count.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from kassay.model.records import Record
from kassay.supply.building.hunks import FileDiff, parse

WORDS = (
    "__always_inline", "inline", "__inline", "noinline", "noinline_for_stack", "__attribute_const__", "__cold", "__hot",
    "__pure", "__flatten",
)  # fmt: skip
HINTS = ("likely", "unlikely")
_INSTEAD = (frozenset(WORDS[:5]), frozenset(("__cold", "__hot")), frozenset(HINTS))
"""Words of which one replaces another."""
_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b|\b(?:{'|'.join(HINTS)})(?=\s*\()")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_WORDS_ONLY = re.compile(r"[A-Za-z_][\w\s*]*")
"""A line that the next one may continue, as "static noinline" does."""
_NO_CODE = re.compile(r"/\*.*?(?:\*/|$)|//.*$|\"(?:\\.|[^\"\\])*\"")


class Place(NamedTuple):
    """An annotation's place in the file with the whole series."""

    line: int
    """Line number, from 1."""
    column: int
    """Index of the word in the line."""
    replaced: str = ""
    """Word that the annotation replaced here; "" if there was none."""


class Annotation(Record, frozen=True, kw_only=True):
    """One word of WORDS on one function (its prototypes included), or one hint on one line."""

    path: str
    word: str
    function: str
    """Function that carries it; for a hint the text of its line."""
    places: tuple[Place, ...]

    @property
    def title(self) -> str:
        """ "__always_inline of foo(), mm/x.c" or "likely() at mm/x.c:12"."""
        if self.word in HINTS:
            return f"{self.word}() at {self.path}:{self.places[0].line}"
        return f"{self.word} of {self.function}(), {self.path}"


def added(diff: str) -> tuple[Annotation, ...]:
    """Annotations that a diff from base to the whole series adds, in order. Lines that only move bring nothing new."""
    files = [file for file in parse(diff) if file.path.endswith((".c", ".h"))]
    return tuple(annotation for file in files for annotation in _of_file(file))


def taken_back(text: str, annotation: Annotation) -> str:
    """The file with the annotation gone: the word, or for a hint the name before its parentheses. A word that it
    replaced is back."""
    lines = text.split("\n")
    for number, column, replaced in reversed(annotation.places):
        line = lines[number - 1]
        before, after = line[:column], line[column + len(annotation.word) :]
        if replaced:
            lines[number - 1] = before + replaced + after
        elif annotation.word in HINTS:
            lines[number - 1] = before + _single(before, after.lstrip(" "))
        else:
            lines[number - 1] = (before + after.lstrip(" ")) if after.strip() else before.rstrip()
    return "\n".join(lines)


def _single(before: str, after: str) -> str:
    """ "(x))" -> "x)" where "(" stands before it: if (likely(x)) was if (x)."""
    depth = 0
    for at, char in enumerate(after):
        depth += (char == "(") - (char == ")")
        if not depth:
            twice = before.endswith("(") and after[at + 1 : at + 2] == ")"
            return after[1:at] + after[at + 1 :] if twice else after
    return after


def put_on(base: str, whole: str, annotation: Annotation) -> str | None:
    """The base's file with this annotation alone; None where base has no such line to put it on."""
    lines = base.split("\n")
    if annotation.word in HINTS:
        wanted = taken_back(whole, annotation).split("\n")[annotation.places[0].line - 1]
        indices = [i for i, line in enumerate(lines) if _bare(line) == _bare(wanted)]
        if len(indices) != 1:
            return None
        lines[indices[0]] = whole.split("\n")[annotation.places[0].line - 1]
        return "\n".join(lines)
    indices = [i for i, line in enumerate(lines) if _defines(line, annotation.function)]
    heads = {at for i in indices for at in (i - 1, i) if at == i or (at >= 0 and _WORDS_ONLY.fullmatch(lines[at]))}
    if not indices or any(match[0] == annotation.word for at in heads for match in _WORD.finditer(_code(lines[at]))):
        return None
    for at in heads:
        lines[at] = _without_rivals(lines[at], annotation.word)
    for i in indices:
        static = re.match(r"static\s+(?:inline\s+)?", lines[i])
        at = static.end() if static else 0
        lines[i] = f"{lines[i][:at]}{annotation.word} {lines[i][at:]}"
    return "\n".join(lines)


def _without_rivals(line: str, word: str) -> str:
    """The line without the words that `word` replaces."""
    for match in reversed(list(_WORD.finditer(_code(line)))):
        if any({match[0], word} <= group for group in _INSTEAD):
            line = (line[: match.start()] + line[match.end() :].lstrip(" ")).rstrip()
    return line


class _Found(NamedTuple):
    """One word on a changed line."""

    word: str
    key: str
    """Function that carries it, or the argument of a hint."""
    text: str
    """Text of its line."""
    hunk: int
    place: Place

    @property
    def is_hint(self) -> bool:
        return self.word in HINTS


def _of_file(file: FileDiff) -> Iterator[Annotation]:
    gone: list[_Found] = []
    came: list[_Found] = []
    for number, hunk in enumerate(file.hunks):
        for mark, first, found in (("-", hunk.old[0], gone), ("+", hunk.new[0], came)):
            lines = [line for line in hunk.lines if line[:1] in (mark, " ", "")]
            changed = [line[:1] == mark for line in lines]
            found.extend(_words([line[1:] for line in lines], first, changed, number))
    _take_pairs(gone, came, _moved)
    _take_pairs(gone, came, _same_argument)
    replaced = {new: old.word for old, new in _take_pairs(gone, came, _replaces)}
    _take_pairs(gone, came, _same_hint)
    by_name: dict[tuple[str, str | int], list[_Found]] = {}
    for one in sorted((*came, *replaced), key=lambda one: one.place):
        by_name.setdefault((one.word, one.place.line if one.is_hint else one.key), []).append(one)
    for (word, _), all_ in by_name.items():
        places = tuple(one.place._replace(replaced=replaced.get(one, "")) for one in all_)
        function = all_[0].text if word in HINTS else all_[0].key
        yield Annotation(path=file.path, word=word, function=function, places=places)


def _take_pairs(
    gone: list[_Found], came: list[_Found], same: Callable[[_Found, _Found], bool]
) -> list[tuple[_Found, _Found]]:
    """Takes pairs of a word before and the same after out of both lists; of several the one on the most similar
    line."""
    pairs = []
    for old in list(gone):
        fitting = [new for new in came if same(old, new)]
        if fitting:
            new = max(fitting, key=lambda new: SequenceMatcher(None, old.text, new.text).ratio())
            pairs.append((old, new))
            gone.remove(old)
            came.remove(new)
    return pairs


def _moved(old: _Found, new: _Found) -> bool:
    return (old.word, old.key) == (new.word, new.key) and (not new.is_hint or old.text == new.text)


def _same_argument(old: _Found, new: _Found) -> bool:
    return new.is_hint and (old.hunk, old.word, old.key) == (new.hunk, new.word, new.key)


def _same_hint(old: _Found, new: _Found) -> bool:
    return new.is_hint and (old.hunk, old.word) == (new.hunk, new.word)


def _replaces(old: _Found, new: _Found) -> bool:
    same_line = not new.is_hint or old.hunk == new.hunk
    return old.key == new.key and same_line and any({old.word, new.word} <= group for group in _INSTEAD)


def _words(lines: Sequence[str], first: int, changed: Sequence[bool], hunk: int) -> Iterator[_Found]:
    """Every annotation on a changed line. first: number of the first line."""
    for i, line in enumerate(lines):
        for match in _WORD.finditer(_code(line)) if changed[i] else ():
            hint = match[0] in HINTS
            text = " ".join(map(_code, lines[i : i + 3]))
            key = _argument(text[match.end() :]) if hint else _function(text, match[0])
            if key:
                yield _Found(match[0], key, _bare(line), hunk, Place(first + i, match.start()))


def _argument(text: str) -> str:
    """The text in the parentheses that `text` begins with, as far as it is there."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == ")" and not depth:
            return _bare(text[: at + 1])
    return _bare(text)


def _function(text: str, word: str) -> str:
    """The function that a declaration with `word` declares; "" when it is none."""
    head = text[: text.index(word)]
    for match in _CALLED.finditer(text):
        if match[1] not in ("__attribute__", *WORDS, *HINTS):
            between = text[len(head) : match.start()] if match.start() > len(head) else ""
            return match[1] if re.fullmatch(r"[\w\s*]*", between) else ""
    return ""


def _defines(line: str, function: str) -> bool:
    """True if a line begins a definition or a prototype: no blank in front, and words before the name."""
    return bool(re.match(rf"[A-Za-z_][\w\s*]*\b{re.escape(function)}\s*\(", line)) and not line.startswith(function)


def _code(line: str) -> str:
    """The line with comments and strings blanked, as long as before."""
    if line.lstrip().startswith("*"):
        return " " * len(line)
    return _NO_CODE.sub(lambda m: " " * len(m[0]), line)


def _bare(line: str) -> str:
    return " ".join(line.split())
