# SPDX-License-Identifier: GPL-2.0-only
"""The series as a user names it: files, standard input, or a range of a git tree."""

import sys
from pathlib import Path

from kassay.effects.files import expanded, write_atomic
from kassay.errors import BadInput
from kassay.model.build import BuildRef, build_text
from kassay.supply.building import git

_HOW = "name a mailbox, a diff, a directory of patches, a git range BASE..HEAD, or - for standard input"


def series_of(text: str, tree: Path | None, into: Path) -> tuple[Path, str]:
    """(path of the patches, reference of their base or ""). into: a directory for patches that are in no file yet.

    A range has a base by itself: the commit that both ends have in common. Raises BadInput.
    """
    path = expanded(text)
    if text == "-":
        kept = into / "series.mbx"
        write_atomic(kept, sys.stdin.buffer.read())
        return kept, ""
    if path.exists():
        return path, ""
    if ".." in text and "/.." not in text:
        return _range(text, (tree or Path.cwd()).absolute(), into)
    if "@" in text or "://" in text:
        raise BadInput(f"{text}: kassay fetches no mails", "b4 am -o - MESSAGE-ID > series.mbx, then name series.mbx")
    raise BadInput(f"{text}: no such file", _HOW)


def _range(text: str, tree: Path, into: Path) -> tuple[Path, str]:
    if not git.is_repository(tree):
        raise BadInput(f"{text}: a git range, and {tree} is no git tree", "name the tree with --tree")
    first, _, last = text.partition("...") if "..." in text else text.partition("..")
    start, end = git.resolve(tree, first or "HEAD"), git.resolve(tree, last or "HEAD")
    base = git.git(("merge-base", start, end), repository=tree, may_fail=True).strip()
    if not base:
        raise BadInput(f"{text}: its ends have no commit in common", "name a range of one history")
    if git.git(("rev-list", "--max-count=1", "--merges", f"{base}..{end}"), repository=tree).strip():
        raise BadInput(f"{text}: has merges, which are no patches", "name a range without merges")
    directory = into / "series"
    git.git(("format-patch", "--quiet", "--no-signature", "-o", str(directory), f"{base}..{end}"), repository=tree)
    if not directory.is_dir() or not any(directory.iterdir()):
        raise BadInput(f"{text}: no commit lies in this range", "name the base first: BASE..HEAD")
    return directory, build_text(BuildRef(tree=str(tree), revision=base))
