# SPDX-License-Identifier: GPL-2.0-only
"""Trees that the file MAINTAINERS of a kernel tree names for files."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from kassay.supply.building import git

_FIELD = re.compile(r"^([A-Z]):\s+(.*)$")


def trees_of(tree: Path, paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """(address, branch) of each git tree of the sections that name one of the files, in the file's order. branch: ""
    where none is named.

    Format: MAINTAINERS of the kernel, "Descriptions of section entries".
    """
    file = tree / "MAINTAINERS"
    if not file.is_file():
        return ()
    found: dict[tuple[str, str], None] = {}
    for fields in _sections(file.read_text("utf-8", "replace")):
        if any(_covers(pattern, path) for pattern in fields.get("F", ()) for path in paths):
            for text in fields.get("T", ()):
                kind, _, rest = text.partition(" ")
                if kind == "git" and rest:
                    address, _, branch = rest.strip().partition(" ")
                    found[address, branch.strip()] = None
    return tuple(found)


def _sections(text: str) -> Iterator[dict[str, list[str]]]:
    """The fields of each section, by their letter."""
    fields: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = _FIELD.match(line)
        if match:
            fields.setdefault(match[1], []).append(match[2].strip())
        elif fields and not line.strip():
            yield fields
            fields = {}
    if fields:
        yield fields


def _covers(pattern: str, path: str) -> bool:
    """True if a pattern of F: covers a file. A directory ends with a slash and covers all below it."""
    if pattern.endswith("/"):
        return path.startswith(pattern)
    return pattern not in ("*", "*/") and pattern.count("/") == path.count("/") and fnmatchcase(path, pattern)


def remote_of(tree: Path, address: str) -> str:
    """The name of the tree's remote with this address; "" if there is none."""
    for line in git.git(("remote", "-v"), repository=tree).splitlines():
        name, _, rest = line.partition("\t")
        if _plain(rest.partition(" ")[0]) == _plain(address):
            return name
    return ""


def _plain(address: str) -> str:
    """The address without its protocol and ending."""
    return address.partition("://")[2].removesuffix("/").removesuffix(".git") or address
