# SPDX-License-Identifier: GPL-2.0-only
"""Differing lines of two source trees, hunk by hunk, and which of them have code in the kernels built from them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.model.lines import NO_SOURCE, NOT_COMPILED, NOTHING_OF_ITS_OWN, SourcePart
from kassay.supply.arches import arch_of
from kassay.supply.building import git, line_tables
from kassay.supply.building.hunks import BEGINS_FUNCTION, FileDiff, Hunk, function_named_in, hunks_of, is_named_by_macro

MOST_FILES = 400
"""Trees that differ in more files are different releases: a list of their hunks would be read by nobody."""
_SOURCES = (".c", ".h", ".S", ".inc")
_NO_KERNEL = ("Documentation/", "samples/", "scripts/", "tools/", "usr/")
"""Directories of host programs, examples and texts. Few kernels have functions of them."""
_ENDS_FUNCTION = re.compile(r"\}|SYM_\w*END\w*\(")
_REMARK = re.compile(r"/\*.*?\*/|//.*")


class TooMany(Exception):
    """Two trees differ in more than MOST_FILES source files."""


def parts(base: str, head: str, base_lines: Path, head_lines: Path) -> tuple[tuple[SourcePart, ...], int]:
    """(changed lines by hunk and function, number of hunks) that lead from one tree to the other. base_lines,
    head_lines: files with the kernels' line tables.

    Hunks have no context: lines that stay the same are in none. Raises TooMany.
    """
    paths = git.changed(base, head)
    wanted = frozenset(path for path in paths if path.endswith(_SOURCES))
    if len(wanted) > MOST_FILES:
        raise TooMany
    if not paths:
        return (), 0
    code = line_tables.lines_with_code(base_lines, wanted), line_tables.lines_with_code(head_lines, wanted)
    sides = (_Side(base, code[0]), _Side(head, code[1]))
    hunks = tuple(_hunks(base, head))
    return tuple(part for file, hunk in hunks for part in _parts(file.path, hunk, *sides)), len(hunks)


def _may_compile(path: str, arch: str) -> bool:
    """True if a kernel of the architecture may have code of this file, as far as its path tells."""
    return arch_of(arch).build.may_use(path) and path.endswith(_SOURCES) and not path.startswith(_NO_KERNEL)


class FunctionOfFile(NamedTuple):
    """A function. Two files may have one of the same name."""

    path: str
    function: str


def changed_functions(base: str, head: str) -> tuple[FunctionOfFile, ...]:
    """Functions that differ between two trees, in the order of the diff; read from the sources alone. A hunk outside of
    functions has the name "", and so has one of another file than a source."""
    sides = (_Side(base, {}), _Side(head, {}))
    found: dict[FunctionOfFile, None] = {}
    for file, hunk in _hunks(base, head):
        for side, span in ((sides[1], hunk.new), (sides[0], hunk.old)):
            names = side.by_function(file.path, _numbers(span))
            found.update(dict.fromkeys(FunctionOfFile(file.path, name) for name in names))
    return tuple(found)


def names_in_kernels(changed: Iterable[FunctionOfFile], arch: str) -> tuple[str, ...]:
    """The names of these functions, each once, without functions that no kernel of the architecture has."""
    named = (one for one in changed if one.function)
    return tuple(dict.fromkeys(one.function for one in named if _may_compile(one.path, arch)))


def _hunks(base: str, head: str) -> Iterator[tuple[FileDiff, Hunk]]:
    """The hunks that lead from one tree to the other, without context."""
    return hunks_of(
        git.git(("diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-color", "--no-ext-diff", base, head))
    )


class _Side:
    """The sources of one kernel, and their lines with code. Texts are read when they are asked for."""

    def __init__(self, tree: str, code: Mapping[str, Collection[int]]) -> None:
        self.code = code
        self._tree = tree
        self._texts: dict[str, Sequence[str]] = {}

    def function(self, path: str, line: int) -> str:
        """The function that a line lies in; empty outside of functions and where it cannot be told."""
        if path not in self._texts:
            self._texts[path] = (git.read(self._tree, path) or "").split("\n")
        return function_at(self._texts[path], line)

    def by_function(self, path: str, lines: Sequence[int]) -> Mapping[str, tuple[int, ...]]:
        """The lines by the function that they lie in. A line outside of functions goes with the next one of these,
        else with the last."""
        names = [self.function(path, line) if path.endswith(_SOURCES) else "" for line in lines]
        found: dict[str, list[int]] = {}
        following = next(filter(None, reversed(names)), "")
        for line, name in zip(reversed(lines), reversed(names), strict=True):
            following = name or following
            found.setdefault(following, []).insert(0, line)
        return {name: tuple(found[name]) for name in reversed(found)}


def function_at(lines: Sequence[str], number: int) -> str:
    """The function of C text that a line, counted from 1, lies in. It begins and ends in the first column."""
    for at in range(min(number, len(lines)) - 1, -1, -1):
        line = lines[at]
        if _ENDS_FUNCTION.match(line) and at < number - 1:
            return ""
        if BEGINS_FUNCTION.match(line) and _has_body(lines, at, number):
            return function_named_in(line)
    return ""


def _has_body(lines: Sequence[str], at: int, number: int) -> bool:
    """True if the body of a function follows `at`, and does not end in one line before `number`. A declaration, a
    variable or a call of a macro has none."""
    for place in range(at, len(lines)):
        text = _REMARK.sub("", lines[place]).rstrip()
        if "{" in text:
            is_value = text.partition("{")[0].rstrip().endswith("=")
            return not is_value and (not text.endswith("}") or place + 1 >= number)
        is_blank = not lines[place].strip()
        if text.endswith(";"):
            return False
        if is_blank and not "".join(lines[place + 1 : place + 2]).startswith("{"):
            break
    return is_named_by_macro(lines[at])  # assembly has no braces


def _parts(path: str, hunk: Hunk, base: _Side, head: _Side) -> Iterator[SourcePart]:
    """A hunk may begin or rename several functions: each has a part."""
    lines, removed = head.by_function(path, _numbers(hunk.new)), base.by_function(path, _numbers(hunk.old))
    for function in dict.fromkeys((*lines, *removed)):
        own, gone = lines.get(function, ()), removed.get(function, ())
        code = tuple(line for line in own if line in head.code.get(path, ()))
        removed_code = tuple(line for line in gone if line in base.code.get(path, ()))
        reason = "" if code or removed_code else _reason(path, function, {*base.code, *head.code})
        yield SourcePart(
            path=path, function=function, lines=own, removed=gone, code=code, removed_code=removed_code, reason=reason
        )


def _numbers(span: tuple[int, int]) -> tuple[int, ...]:
    first, count = span
    return tuple(range(first, first + count))


def _reason(path: str, function: str, compiled: Collection[str]) -> str:
    """Line tables name no header without code: whether a compiled file includes it is not known."""
    if not path.endswith(_SOURCES):
        return NO_SOURCE
    declares = path.endswith(".h") and not function
    return NOTHING_OF_ITS_OWN if path in compiled or declares else NOT_COMPILED
