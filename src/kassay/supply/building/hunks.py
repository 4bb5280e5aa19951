# SPDX-License-Identifier: GPL-2.0-only
"""Unified diffs in their parts, and a series without one of its hunks.

Not unidiff: it refuses a mail whose text quotes a hunk ("@@ -1,2 +1,2 @@" in a comment on a patch).
"""

import re
from collections.abc import Iterator, Sequence

from kassay.model.records import Record

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
BEGINS_FUNCTION = re.compile(r"[A-Za-z_][\w\s*]*\(")
"""A line that begins a function. The function that diff shows after @@ begins before the hunk; the hunk itself may
begin another one."""
_NAMES = re.compile(r"([A-Za-z_]\w*)\s*\(")
_NO_NAMES = ("__attribute__", "__section", "__aligned", "__printf", "__must_hold", "__acquires", "__releases",
             "__alloc_size", "__diagnose_as", "__no_context_analysis", "__overloadable", "__scanf", "__cond_acquires",
             "__nonnull", "__malloc", "typeof", "__typeof__")  # fmt: skip
_SYSTEM_CALL = re.compile(r"(COMPAT_)?SYSCALL(?:32)?_DEFINE\d\(\s*(\w+)")
_NAMED_BY_MACRO = re.compile(r"(?:DEFINE_(?:IDT|FRED)ENTRY\w*|BPF_CALL_\d|SYM_\w*(?:START|ALIAS)\w*)\(\s*(\w+)")


def function_named_in(line: str) -> str:
    """The function that a line of C or of the kernel's assembly defines, if it defines one; "" if it names none.

    A system call is named as its compiled body: SYSCALL_DEFINE3(mprotect, ...) is __do_sys_mprotect.
    """
    if system_call := _SYSTEM_CALL.match(line):
        return f"__do_{'compat_' if system_call[1] else ''}sys_{system_call[2]}"
    if named := _NAMED_BY_MACRO.match(line):
        return named[1]
    return next((name for name in _NAMES.findall(line) if name not in _NO_NAMES), "")


def is_named_by_macro(line: str) -> bool:
    """True if a macro of the kernel begins a function of assembly, or of an interrupt, in this line."""
    return _NAMED_BY_MACRO.match(line) is not None


class Hunk(Record, frozen=True, kw_only=True):
    """One hunk of a diff."""

    old: tuple[int, int]
    """First line and number of lines before the diff."""
    new: tuple[int, int]
    """First line and number of lines after the diff."""
    function: str
    """Text after the second @@: the nearest function as diff saw it."""
    lines: tuple[str, ...]
    """Lines with their " ", "-", "+" or "\\" in front, without line ends."""

    @property
    def changes(self) -> tuple[int, int]:
        """Lines added and removed."""
        return sum(line[:1] == "+" for line in self.lines), sum(line[:1] == "-" for line in self.lines)

    @property
    def lacks_context(self) -> bool:
        """True if lines of the file stand before the hunk, and the hunk shows none of them, as with -U0."""
        is_behind_lines = self.old[0] > (1 if self.old[1] else 0)
        return is_behind_lines and all(line[:1] in ("+", "-", "\\") for line in self.lines)


class FileDiff(Record, frozen=True, kw_only=True):
    """The changes of a diff to one file."""

    path: str
    """Path after the diff; the path before it if the file is removed."""
    header: tuple[str, ...]
    """All lines before the first hunk."""
    hunks: tuple[Hunk, ...]
    """Hunks of the file; empty for a rename, a change of mode or a binary file."""


def parse(text: str) -> tuple[FileDiff, ...]:
    """The files of a unified diff; text before, between and after them is left out, as git apply does."""
    lines = text.split("\n")
    files: list[FileDiff] = []
    at = 0
    while at < len(lines):
        if not _starts(lines, at):
            at += 1
            continue
        at, file_diff = _file(lines, at)
        files.append(file_diff)
    return tuple(files)


def text_of(file_diff: FileDiff, hunks: Sequence[Hunk]) -> str:
    """A diff of one file with these of its hunks."""
    lines = list(file_diff.header)
    for hunk in hunks:
        lines.append(f"@@ -{hunk.old[0]},{hunk.old[1]} +{hunk.new[0]},{hunk.new[1]} @@ {hunk.function}".rstrip())
        lines += hunk.lines
    return "\n".join(lines) + "\n"


def hunks_of(text: str) -> Iterator[tuple[FileDiff, Hunk]]:
    """Every hunk of a diff with its file, in order."""
    return ((file_diff, hunk) for file_diff in parse(text) for hunk in file_diff.hunks)


def place_of(file_diff: FileDiff, hunk: Hunk) -> str:
    """ "mm/mprotect.c: change_pte_range()" or "mm/mprotect.c:12": where a hunk is, for people."""
    name = function_of(hunk)
    return f"{file_diff.path}: {name}()" if name else f"{file_diff.path}:{hunk.new[0] or hunk.old[0]}"


def function_of(hunk: Hunk) -> str:
    """The function of a hunk's first changed line, as far as the diff shows it; "" outside of functions."""
    first = next((i for i, line in enumerate(hunk.lines) if line[:1] in ("-", "+")), 0)
    heading = hunk.function
    for at, line in enumerate(hunk.lines[: first + 1]):
        if BEGINS_FUNCTION.match(line[1:]):
            heading = line[1:]
        elif line[1:].startswith("}") and at < first:
            heading = ""
    return "" if heading.rstrip().endswith(";") else function_named_in(heading)


def _starts(lines: Sequence[str], at: int) -> bool:
    if lines[at].startswith("diff --git "):
        return True
    after = lines[at + 1 : at + 3]
    return (
        lines[at].startswith("--- ") and len(after) == 2 and after[0].startswith("+++ ") and bool(_HUNK.match(after[1]))
    )


def _file(lines: Sequence[str], at: int) -> tuple[int, FileDiff]:
    first = at
    git = lines[at].startswith("diff --git ")
    at += 1
    while at < len(lines) and not _HUNK.match(lines[at]) and not (lines[at].startswith("diff --git ")):
        if git and lines[at] == "-- ":  # the signature of a mail whose last file has no hunk
            break
        at += 1
    header = tuple(lines[first:at])
    hunks: list[Hunk] = []
    while at < len(lines) and _HUNK.match(lines[at]):
        at, hunk = _hunk(lines, at)
        hunks.append(hunk)
    return at, FileDiff(path=_path(header), header=header, hunks=tuple(hunks))


def _hunk(lines: Sequence[str], at: int) -> tuple[int, Hunk]:
    """A hunk ends where its counts say, which is how a mail's "-- " is not taken for a removed line."""
    match = _HUNK.match(lines[at])
    assert match is not None
    old, new = ((int(match[i]), int(match[i + 1]) if match[i + 1] else 1) for i in (1, 3))
    left_old, left_new = old[1], new[1]
    first = at = at + 1
    while at < len(lines) and (left_old > 0 or left_new > 0 or lines[at].startswith("\\ ")):
        kind = lines[at][:1]
        left_old -= kind in (" ", "-", "")
        left_new -= kind in (" ", "+", "")
        at += 1
    return at, Hunk(old=old, new=new, function=match[5].strip(), lines=tuple(lines[first:at]))


def _path(header: Sequence[str]) -> str:
    """From +++, from --- where that is /dev/null, from the first line where there is neither."""
    named = {line[:4]: line[4:].partition("\t")[0] for line in header if line[:4] in ("--- ", "+++ ")}
    for mark in ("+++ ", "--- "):
        if named.get(mark, "/dev/null") != "/dev/null":
            return _stripped(named[mark])
    return _stripped(header[0].rpartition(" ")[2])


def _stripped(path: str) -> str:
    plain = path.strip().strip('"')
    return plain.partition("/")[2] or plain
