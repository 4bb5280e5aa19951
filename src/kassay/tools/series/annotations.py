# SPDX-License-Identifier: GPL-2.0-only
"""Annotations that a series adds (__always_inline, likely(), ...): each one taken back, and each one alone on base.

They are found in C text without a parser of C: a line that the series adds, outside of comments and strings, with one
of WORDS more than the lines it removes have.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from kassay.model.records import Record
from kassay.supply.building.hunks import FileDiff, parse

WORDS = (
    "__always_inline", "inline", "__inline", "noinline", "noinline_for_stack", "__attribute_const__", "__cold", "__hot",
    "__pure", "__flatten",
)  # fmt: skip
HINTS = ("likely", "unlikely")
_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b|\b(?:{'|'.join(HINTS)})(?=\s*\()")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_NO_CODE = re.compile(r"/\*.*?(?:\*/|$)|//.*$|\"(?:\\.|[^\"\\])*\"")


class Annotation(Record, frozen=True, kw_only=True):
    """One word of WORDS on one function (its prototypes included), or one hint on one line."""

    path: str
    word: str
    function: str
    """Function that carries it; for a hint the text of its line."""
    lines: tuple[int, ...]
    """Lines in the file with the whole series, from 1; a line as often as it carries the word."""

    @property
    def title(self) -> str:
        """ "__always_inline of foo(), mm/x.c" or "likely() at mm/x.c:12"."""
        if self.word in HINTS:
            return f"{self.word}() at {self.path}:{self.lines[0]}"
        return f"{self.word} of {self.function}(), {self.path}"


def added(diff: str) -> tuple[Annotation, ...]:
    """Annotations that a diff from base to the whole series adds, in order. Lines that only move bring nothing new."""
    files = [file for file in parse(diff) if file.path.endswith((".c", ".h"))]
    return tuple(annotation for file in files for annotation in _of_file(file))


def taken_back(text: str, annotation: Annotation) -> str:
    """The file with the annotation gone: the word, or for a hint the name before its parentheses."""
    lines = text.split("\n")
    for number in annotation.lines:
        line = lines[number - 1]
        start = _position(line, annotation.word)
        before, after = line[:start], line[start + len(annotation.word) :]
        if annotation.word in HINTS:
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
        wanted = taken_back(whole, annotation).split("\n")[annotation.lines[0] - 1]
        indices = [i for i, line in enumerate(lines) if _bare(line) == _bare(wanted)]
        if len(indices) != 1:
            return None
        lines[indices[0]] = whole.split("\n")[annotation.lines[0] - 1]
        return "\n".join(lines)
    indices = [i for i, line in enumerate(lines) if _defines(line, annotation.function)]
    if not indices or any(_position(lines[i], annotation.word) >= 0 for i in indices):
        return None
    for i in indices:
        static = re.match(r"static\s+" if annotation.word == "inline" else r"static\s+(?:inline\s+)?", lines[i])
        at = static.end() if static else 0
        prefix = re.sub(r"inline\s+$", "", lines[i][:at]) if "inline" in annotation.word else lines[i][:at]
        lines[i] = f"{prefix}{annotation.word} {lines[i][at:]}"
    return "\n".join(lines)


def _of_file(file: FileDiff) -> Iterator[Annotation]:
    gone: Counter[tuple[str, str]] = Counter()
    came: list[tuple[str, str, int]] = []
    for hunk in file.hunks:
        old = [line[1:] for line in hunk.lines if line[:1] in ("-", " ", "")]
        new = [line[1:] for line in hunk.lines if line[:1] in ("+", " ", "")]
        gone.update((word, key) for word, key, _ in _words(old, hunk.old[0], _marked(hunk.lines, "-")))
        came += _words(new, hunk.new[0], _marked(hunk.lines, "+"))
    numbers_of: dict[tuple[str, str], list[int]] = {}
    for word, key, number in came:
        if gone[word, key]:
            gone[word, key] -= 1
        else:
            place = f"{key} #{number}" if word in HINTS else key
            numbers_of.setdefault((word, place), []).append(number)
    for (word, key), numbers in numbers_of.items():
        yield Annotation(path=file.path, word=word, function=key.partition(" #")[0], lines=tuple(numbers))


def _marked(lines: Sequence[str], mark: str) -> list[bool]:
    """For each line on the side that `mark` belongs to, True if it is changed."""
    return [line[:1] == mark for line in lines if line[:1] in (mark, " ", "")]


def _words(lines: Sequence[str], first: int, changed: Sequence[bool]) -> Iterator[tuple[str, str, int]]:
    """(word, function or line, line number) of every annotation on a changed line."""
    for i, line in enumerate(lines):
        for match in _WORD.finditer(_code(line)) if changed[i] else ():
            if match[0] in HINTS:
                yield match[0], _bare(line), first + i
            elif name := _function(" ".join(map(_code, lines[i : i + 3])), match[0]):
                yield match[0], name, first + i


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


def _position(line: str, word: str) -> int:
    """Position of a word in a line's code; -1 if it is not in it."""
    return next((m.start() for m in _WORD.finditer(_code(line)) if m[0] == word), -1)


def _code(line: str) -> str:
    """The line with comments and strings blanked, as long as before."""
    if line.lstrip().startswith("*"):
        return " " * len(line)
    return _NO_CODE.sub(lambda m: " " * len(m[0]), line)


def _bare(line: str) -> str:
    return " ".join(line.split())
