# SPDX-License-Identifier: GPL-2.0-only
"""Where the functions of a kernel's sources are defined, and whom MAINTAINERS names for the files.

Definitions are found by their shape: a line in the first column that names a function, followed by "{" in the first
column or in the same line. What the preprocessor decides is not known: a name that several files define has all of
these files.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import cache_directory, kept_record, write_atomic
from kassay.errors import HostLacks
from kassay.model.profile import base_name
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, to_json
from kassay.supply.building import git
from kassay.supply.building.hunks import function_named_in
from kassay.supply.building.maintainers import Maintainers
from kassay.supply.building.source import releases_at_hand

_VERSION = 1
"""Increased when the same tree would give another index."""
_PLACES = ("arch/arm64", "arch/x86", "block", "fs", "include/linux", "init", "ipc", "kernel", "lib", "mm", "security")
_OTHER_PROGRAMS = (
    ":!arch/x86/boot",
    ":!arch/x86/purgatory",
    ":!arch/x86/realmode",
    ":!arch/x86/um",
    ":!arch/x86/*_32.*",
)
"""Files that are no part of a 64-bit kernel's own code, and define functions of the same names."""
_GREP = ("grep", "-I", "--heading", "--no-color", "-E", "^[A-Za-z_{]")
_ENTRY = re.compile(r"__(?:x64|ia32|arm64|se)_(compat_)?sys_")


class _Definitions(Record, frozen=True, kw_only=True):
    """The index as the cache keeps it."""

    version: int
    files: tuple[str, ...]
    functions: dict[str, tuple[int, ...]]
    """Numbers of the files that define a function, by its name."""


class SourceIndex:
    """Files and people of the functions of one tree."""

    def __init__(self, tree: str, definitions: _Definitions) -> None:
        self._tree = tree
        self._definitions = definitions
        self._maintainers: Maintainers | None = None

    def files_of(self, function: str, arch: str = "") -> tuple[str, ...]:
        """Files that define a function of a profile; none if it is not known, several if the sources do not decide.

        A definition in a C file counts before those in headers, which are stubs for kernels without that file.
        arch: "x86_64" or "arm64" leaves out the files of the other one.
        """
        name = _ENTRY.sub(lambda m: f"__do_{m[1] or ''}sys_", base_name(function))
        files = [self._definitions.files[number] for number in self._definitions.functions.get(name, ())]
        if arch:
            other = "arch/x86/" if arch == "arm64" else "arch/arm64/"
            files = [file for file in files if not file.startswith(other)]
        compiled = [file for file in files if not file.endswith(".h")]
        return tuple(compiled or files)

    def recipients(self, files: Iterable[str]) -> tuple[str, ...]:
        """People and lists that MAINTAINERS of the tree names for files: see Maintainers."""
        if self._maintainers is None:
            self._maintainers = Maintainers(
                git.read(self._tree, "MAINTAINERS") or "", git.read(self._tree, ".mailmap") or ""
            )
        return self._maintainers.recipients(files)


def index_of(tree: Path | str, tell: Tell) -> SourceIndex:
    """The index of a tree of the store (its sha1), of a git tree's HEAD, or of the files of a directory.

    Made once for each content, in some seconds. Raises HostLacks where git cannot read the sources.
    """
    sha1 = tree if isinstance(tree, str) else _tree_of(tree, tell)
    path = cache_directory() / "sources" / "functions" / f"{sha1}.json"
    kept = kept_record(path, _Definitions)
    if kept is None or kept.version != _VERSION:
        tell(Progress(stage="source", subject=sha1[:12], text="looking up where each function is defined, this once"))
        kept = _definitions(git.git((*_GREP, sha1, "--", *_PLACES, *_OTHER_PROGRAMS), may_fail=True), sha1)
        if not kept.functions:
            raise HostLacks(f"tree {sha1[:12]}: no kernel sources in the store", "repeat the command with its sources")
        write_atomic(path, to_json(kept))
    return SourceIndex(sha1, kept)


class Named(NamedTuple):
    """People for functions, by the sources of one release."""

    release: str
    files: tuple[tuple[str, str], ...]
    """Pairs (function, file), if one file alone may define the function."""
    recipients: tuple[str, ...]


def named_for(functions: Iterable[str], arch: str, tell: Tell, release: str = "") -> Named | None:
    """Files of functions and the people for them; None if the store has no release's sources. Fetches nothing.

    release: the one whose sources are read if the store has them; else they are the newest that it has.
    """
    releases = releases_at_hand()
    if not releases:
        return None
    version = release if release in releases else next(iter(releases))
    index = index_of(releases[version], tell)
    found = {name: index.files_of(name, arch) for name in functions}
    files = tuple((base_name(name), file[0]) for name, file in found.items() if len(file) == 1)
    return Named(version, files, index.recipients(file for _, file in files))


def _tree_of(path: Path, tell: Tell) -> str:
    if git.is_repository(path):
        return git.tree_of(path, git.resolve(path, "HEAD"))
    return git.tree_of_files(path, tell, subject=str(path))


def _definitions(listed: str, tree: str) -> _Definitions:
    """The index of what git grep lists: lines in the first column, below the name of their file."""
    found: dict[str, dict[str, None]] = {}
    files = _by_file(listed, tree)
    for file, lines in files.items():
        for name in defined_in(lines):
            found.setdefault(name, {})[file] = None
    numbers = {file: number for number, file in enumerate(files)}
    functions = {name: tuple(numbers[file] for file in found[name]) for name in sorted(found)}
    return _Definitions(version=_VERSION, files=tuple(files), functions=functions)


def _by_file(listed: str, tree: str) -> Mapping[str, list[str]]:
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in listed.split("\n"):
        if line.startswith(f"{tree}:"):
            file = line.removeprefix(f"{tree}:")
            lines = files.setdefault(file, []) if file.endswith((".c", ".h", ".S")) else []
        else:
            lines.append(line)
    return files


def defined_in(lines: Iterable[str]) -> Iterator[str]:
    """Functions that a file defines, from its lines that have a letter, "_" or "{" in the first column."""
    candidate, open_brackets = "", 0
    for line in lines:
        if line.endswith("\\"):  # of a macro
            candidate = ""
        elif line.startswith("{"):
            if candidate:
                yield candidate
            candidate = ""
        elif line.startswith("SYM_"):
            yield from filter(None, (function_named_in(line),))
        elif open_brackets <= 0 or "(" in line:
            before, bracket, after = line.partition("(")
            is_function = bool(bracket) and "=" not in before
            candidate = function_named_in(line) if is_function else ""
            open_brackets = line.count("(") - line.count(")")
            if candidate and open_brackets == 0 and after.rstrip().endswith("}") and "{" in after:
                yield candidate  # all in one line
                candidate = ""
            elif line.rstrip().endswith(";"):
                candidate = ""
