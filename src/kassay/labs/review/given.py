# SPDX-License-Identifier: GPL-2.0-only
"""The series that a user names: a file, a directory, standard input, or a range of a git tree."""

import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import expanded, write_atomic
from kassay.errors import BadInput
from kassay.model.build import BuildRef, build_text
from kassay.model.texts import counted
from kassay.supply.building import git
from kassay.supply.building.hunks import parse
from kassay.supply.building.patches import Patch, check_patches

STANDARD_INPUT = "standard input"
_RANGE = re.compile(r"(?P<base>.*?[^.])\.\.(?P<head>[^.].*)?")
_PATH = re.compile(r"(?:^|/)\.\.?/|^[/~]")
_MESSAGE = re.compile(r"https?://\S+|<?[^\s/<>]+@[^\s/<>]+>?")
# The tree's own configuration must not change what is written.
_FORMAT = ("format-patch", "--quiet", "--numbered", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3",
           "--no-cover-letter", "--no-attach", "--no-signature", "--no-base", "--no-thread", "--no-renames",
           "--no-ext-diff", "--no-color", "--subject-prefix=PATCH", "--full-index", "--binary")  # fmt: skip


class Range(NamedTuple):
    """The commits BASE..HEAD of a git tree."""

    tree: Path
    names: tuple[str, str]
    """BASE and HEAD, as the user wrote them."""
    left: str
    """Commit where HEAD left BASE."""
    head: str
    """Commit of HEAD."""

    @property
    def pinned(self) -> str:
        """The range by its commits: branches move."""
        return f"{short(self.left)}..{short(self.head)}"


class Given(NamedTuple):
    """A series as the user named it."""

    patches: Path
    base: str = ""
    """Reference of the base; "" if the words do not tell it."""
    commits: Range | None = None
    """None unless the series is a range."""


def short(commit: str) -> str:
    """The commit in twelve digits."""
    return commit[:12]


def range_in(text: str, tree: Path | None) -> Range:
    """The commits of a range of `tree`, or of the git tree around the current directory. Raises BadInput."""
    matched = _RANGE.fullmatch(text)
    if matched is None:
        raise BadInput(f"{text}: not a range of commits", "write BASE..HEAD, two revisions of the git tree")
    base, head = matched["base"], matched["head"] or "HEAD"
    place = git_tree(tree)
    first, last = git.resolve(place, base), git.resolve(place, head)
    left = git.git(("merge-base", first, last), repository=place, may_fail=True).strip()
    if not left:
        shallow = git.git(("rev-parse", "--is-shallow-repository"), repository=place).strip() == "true"
        remedy = "this clone is shallow: `git fetch --unshallow`" if shallow else "name a base that HEAD was made from"
        raise BadInput(f"{text}: {base} and {head} have no commit in common", remedy)
    if not git.git(("rev-list", "-1", f"{left}..{last}"), repository=place).strip():
        raise BadInput(f"{text}: no commits in this range of {place}", "write BASE..HEAD, the older revision first")
    return Range(place, (base, head), left, last)


def uncommitted(commits: Range) -> str:
    """A sentence on changed files that the range leaves out; "" without any, or if HEAD is not checked out."""
    if git.resolve(commits.tree, "HEAD") != commits.head:
        return ""
    words = ("--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
    files = len(git.git(words, repository=commits.tree, may_fail=True).splitlines())
    if not files:
        return ""
    return f"{counted(files, 'file')} of {commits.tree} with uncommitted changes: the range does not have them"


def series_of(text: str, tree: Path | None, into: Path) -> Given:
    """The patches of a series.

    An existing path is used as it is. "-" reads standard input into into/series.mbx. BASE..HEAD writes the commits of
    `tree`, or of the git tree around the current directory, there. Its base is the commit where HEAD left BASE.
    Raises BadInput. Nothing is fetched from the network.
    """
    if text == "-":
        return Given(_standard_input(into))
    path = expanded(text)
    if path.exists():
        return Given(path)
    if ".." in text and not _PATH.search(text):
        return _patches_of(text, range_in(text, tree), into)
    if _MESSAGE.fullmatch(text):
        raise BadInput(f"{text}: kassay does not fetch mails",
                       f"run `b4 am -o - {shlex.quote(text)} > series.mbx`, and name series.mbx")  # fmt: skip
    raise BadInput(
        f"{text}: no such file or directory", "name a mailbox, a mail, a directory of patches, or BASE..HEAD"
    )


def git_tree(path: Path | None) -> Path:
    """The top of the git work tree around a path, by default the current directory. Raises BadInput."""
    start = expanded(str(path)) if path is not None else Path.cwd()
    if not start.is_dir():
        raise BadInput(f"{start}: no such directory", "name a git tree with --tree")
    if git.is_repository(start):
        return start.resolve()
    try:
        return Path(git.git(("rev-parse", "--show-toplevel"), repository=start).rstrip("\n"))
    except git.GitFailed as error:
        raise BadInput(f"{start}: not inside of a git tree", "name a git tree with --tree") from error


def _standard_input(into: Path) -> Path:
    data = sys.stdin.buffer.read()
    if not data.strip():
        raise BadInput(f"{STANDARD_INPUT} is empty", "pipe a mailbox into it: `b4 am -o - MSGID | kassay review -`")
    path = _written(data, into)
    try:
        check_patches(path)
    except BadInput as error:
        raise BadInput(error.what.replace(str(path), STANDARD_INPUT), error.remedy) from error
    return path


def _patches_of(text: str, commits: Range, into: Path) -> Given:
    left, last, tree = commits.left, commits.head, commits.tree
    if merges := git.git(("rev-list", "--merges", f"{left}..{last}"), repository=tree).split():
        raise BadInput(f"{text}: commit {short(merges[-1])} is a merge", "rebase the series, or name a base behind it")
    with tempfile.TemporaryDirectory(prefix="range-", dir=git.store()) as name:
        # The path leaves out commits that change no file, before the others are numbered: b4's cover letter is one.
        git.git((*_FORMAT, f"--output-directory={name}", f"{left}..{last}", "--", ":/"), repository=tree)
        data = b"".join(mail.read_bytes() for mail in sorted(Path(name).iterdir()))
    if not data:
        raise BadInput(f"{text}: no commit of this range changes a file", "name a range with a patch")
    return Given(_written(data, into), build_text(BuildRef(tree=str(tree), revision=left)), commits)


def _written(data: bytes, into: Path) -> Path:
    path = into / "series.mbx"
    into.mkdir(parents=True, exist_ok=True)
    write_atomic(path, data)
    return path


def changed_since(before: Sequence[Patch], after: Sequence[Patch]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """(numbers of the patches of `after` that `before` does not have, subjects of `before` that `after` lacks).

    Two patches are the same if they change the same lines, wherever these are in the files.
    """
    known, kept = {_lines(patch) for patch in before}, {_lines(patch) for patch in after}
    changed = tuple(number for number, patch in enumerate(after, 1) if _lines(patch) not in known)
    subjects = {patch.subject for patch in after}
    dropped = tuple(one.subject for one in before if _lines(one) not in kept and one.subject not in subjects)
    return changed, dropped


def _lines(patch: Patch) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The hunks without their places, each with its file."""
    return tuple((file.path, hunk.lines) for file in parse(patch.text) for hunk in file.hunks)
