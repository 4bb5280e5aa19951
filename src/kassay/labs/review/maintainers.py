# SPDX-License-Identifier: GPL-2.0-only
"""Trees that MAINTAINERS names for files, and branches of a git tree that hold them."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from kassay.supply.building import git

_LINE = re.compile(r"([FT]):\s*(\S.*)")
_SCHEME = re.compile(r"^(?:[a-z+]+://)?(?:[^/@]+@)?")


def trees_of(text: str, files: Sequence[str]) -> tuple[str, ...]:
    """ "URL" or "URL BRANCH" of each git tree for these files; entries of the most specific patterns come first."""
    found: dict[str, int] = {}
    for section in re.split(r"\n\s*\n", text):
        lines = [matched.groups() for line in section.splitlines() if (matched := _LINE.fullmatch(line))]
        patterns = [value.strip() for kind, value in lines if kind == "F"]
        weight = max((len(p.strip("*/")) for p in patterns if any(_matches(p, file) for file in files)), default=-1)
        for kind, value in lines:
            if weight >= 0 and kind == "T" and value.startswith("git "):
                entry = " ".join(value.split()[1:3])
                found[entry] = max(weight, found.get(entry, -1))
    return tuple(sorted(found, key=lambda entry: -found[entry]))


def branch_of(tree: Path, word: str) -> str:
    """The full name of the branch that a word names: of the tree itself, or of one of its remotes; "" if none."""
    patterns = (f"refs/heads/{word}", f"refs/remotes/*/{word}", f"refs/remotes/{word}/HEAD",
                f"refs/remotes/{word}/master", f"refs/remotes/{word}/main")  # fmt: skip
    for pattern in patterns:
        if names := git.git(("for-each-ref", "--format=%(refname)", pattern), repository=tree).split():
            return names[0]
    return ""


def branch_at(tree: Path, entry: str) -> str:
    """The full name of the branch of a remote that an entry of trees_of() names; "" if the tree does not have it."""
    url, _, branch = entry.partition(" ")
    for name, address in _remotes(tree):
        if _place(address) == _place(url):
            for head in (branch,) if branch else ("HEAD", "master", "main"):
                ref = f"refs/remotes/{name}/{head}"
                if git.git(("for-each-ref", "--format=%(refname)", ref), repository=tree).split():
                    return ref
    return ""


def _remotes(tree: Path) -> Iterator[tuple[str, str]]:
    listed = git.git(("config", "--get-regexp", r"^remote\..*\.url$"), repository=tree, may_fail=True)
    for line in listed.splitlines():
        key, _, address = line.partition(" ")
        yield key.removeprefix("remote.").removesuffix(".url"), address


def _place(url: str) -> str:
    """Host and path of a URL: git:// and https:// name one tree."""
    return _SCHEME.sub("", url).rstrip("/").removesuffix(".git")


def _matches(pattern: str, file: str) -> bool:
    """True as get_maintainer.pl sees it: "mm/" is the directory with all below, "mm/*" only its own files."""
    if pattern.endswith("/"):
        parts = pattern.rstrip("/").split("/")
        return len(file.split("/")) > len(parts) and fnmatchcase("/".join(file.split("/")[: len(parts)]),
                                                                "/".join(parts))  # fmt: skip
    return pattern.count("/") == file.count("/") and fnmatchcase(file, pattern)
