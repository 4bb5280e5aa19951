# SPDX-License-Identifier: GPL-2.0-only
"""Branches of a git tree that hold what a mail's subject or MAINTAINERS names."""

import re
from collections.abc import Iterator
from pathlib import Path

from kassay.supply.building import git

_SCHEME = re.compile(r"^(?:[a-z+]+://)?(?:[^/@]+@)?")


def branch_of(tree: Path, word: str) -> str:
    """The full name of the branch that a word names: of the tree itself, or of one of its remotes; "" if none."""
    patterns = (f"refs/heads/{word}", f"refs/remotes/*/{word}", f"refs/remotes/{word}/HEAD",
                f"refs/remotes/{word}/master", f"refs/remotes/{word}/main")  # fmt: skip
    for pattern in patterns:
        names = git.git(("for-each-ref", "--format=%(refname)", pattern), repository=tree).split()
        # Without a "*", git takes a pattern also for what is below it: refs/heads/mm for refs/heads/mm/my-work.
        if names := [name for name in names if name == pattern or "*" in pattern]:
            return names[0]
    return ""


def branch_at(tree: Path, entry: str) -> str:
    """The full name of the branch of a remote that an entry of Maintainers.trees() names; "" if there is none."""
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
