# SPDX-License-Identifier: GPL-2.0-only
"""The source that a series applies to: what the series says is tried first, then what the user's tree has.

A source fits if every patch applies without fuzz. The user's tree is only read.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.files import expanded
from kassay.errors import BadInput, HostLacks, NotBuilt
from kassay.labs.review.branches import branch_at, branch_of
from kassay.labs.review.model import Try
from kassay.model.build import BuildRef, build_in, build_text
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.supply.archive.sources_list import listed_sources
from kassay.supply.archive.versions import series_of, upstream_of, version_key
from kassay.supply.building import git
from kassay.supply.building.mails import Mail
from kassay.supply.building.maintainers import Maintainers
from kassay.supply.building.patches import Patch, apply, read_mails, read_patches
from kassay.supply.building.source import source_tree, to_fetch

_MOST_TAGS = 5
_MOST_RELEASES = 3
_BASE_COMMIT = re.compile(r"^base-commit:[ \t]*([0-9a-f]{7,40})\b", re.MULTILINE)
_PREREQUISITE = re.compile(r"^prerequisite-patch-id:[ \t]*([0-9a-f]{7,40})\b", re.MULTILINE)
_NO_TREE = re.compile(r"(PATCH|RFC)(v?\d+)?|RESEND|v\d+|\d+(/\d+)?|.*[^\w./-].*", re.IGNORECASE)
_RELEASE = re.compile(r"v\d+\.\d+(\.\d+)?(-rc\d+)?")
_VERSION = re.compile(r"^VERSION\s*=", re.MULTILINE)


class FoundBase(Record, frozen=True, kw_only=True):
    """The source that a series applies to."""

    ref: str
    """Reference, "build:...", to the source without the patches."""
    patches: str
    """Path of the series."""
    tries: tuple[Try, ...]
    """All tries in order; the last one applies."""
    fetch: str = ""
    """File that has to be downloaded before the sources can be read, with its size; only without `fetches`."""


class _Candidate(NamedTuple):
    """A source to try."""

    how: str
    what: str
    build: BuildRef | None
    """Reference to build it; None if this host does not have it, for the reason in `detail`."""
    detail: str = ""
    outcome: str = "absent"


def find_base(
    series: Path, *, base: str, tree: Path | None, options: str, tell: Tell, fetches: bool = True, name: str = ""
) -> FoundBase:
    """The first source that the series applies to. Sources of the archive that the store lacks are fetched.

    base: a build: reference or a revision of the tree; "" to search. tree: a kernel's git tree; None takes the current
    directory if it is one. options: appended to the reference, such as ",cc=gcc-12". fetches: False does not fetch the
    sources of a base that was given. name: the series as the user wrote it, if its file exists only for this command.
    Raises BadInput with every try.
    """
    patches, place = read_patches(series), _kernel_tree(tree)
    candidates = [_given(base, place)] if base else _candidates(series, patches, place, tell)
    given = candidates[0].build if isinstance(candidates, list) and not fetches else None
    if given is not None and (fetch := to_fetch(given, tell)):
        return FoundBase(ref=build_text(given) + options, patches=str(series), tries=(), fetch=fetch)
    tries: list[Try] = []
    seen: dict[str, str] = {}
    for candidate in candidates:
        tell(Progress(stage="source", subject=name or str(series), text=f"trying {candidate.how} {candidate.what}"))
        tries.append(_tried(candidate, patches, seen, tell))
        if tries[-1].outcome == "applies" and candidate.build is not None:
            return FoundBase(ref=build_text(candidate.build) + options, patches=str(series), tries=tuple(tries))
    raise _no_base(name or str(series), base, place, tries)


def _tried(candidate: _Candidate, patches: Sequence[Patch], seen: dict[str, str], tell: Tell) -> Try:
    named = Try(how=candidate.how, what=candidate.what, outcome=candidate.outcome, detail=candidate.detail)
    if candidate.build is None:
        return named
    try:
        tree, _ = source_tree(candidate.build, tell)
    except (BadInput, HostLacks) as error:
        return structs.replace(named, outcome="absent", detail=_line(error.what))
    if tree in seen:
        return structs.replace(named, outcome="not-tried", detail=f"the same source as {seen[tree]}")
    seen[tree] = f"{candidate.how} {candidate.what}"
    try:
        apply(tree, patches)
    except NotBuilt as error:
        why = error.what if candidate.how == "given" else _line(error.what)  # the only try has room for its hunk
        return structs.replace(named, outcome="does-not-apply", detail=why)
    commit = candidate.build.revision[:12]
    return structs.replace(named, outcome="applies", detail="" if candidate.what.startswith(commit) else commit)


def _line(words: str) -> str:
    return words.strip().splitlines()[0].rstrip(":")


def _kernel_tree(tree: Path | None) -> Path | None:
    """The git tree to look in. Raises BadInput when the user named one that is no kernel's."""
    place = (expanded(str(tree)) if tree is not None else Path.cwd()).resolve()
    is_kernel = place.is_dir() and git.is_repository(place)
    if is_kernel and (place / ".git").exists():
        makefile = place / "Makefile"
        is_kernel = (place / "MAINTAINERS").is_file() and makefile.is_file() and bool(
            _VERSION.search(makefile.read_text("utf-8", "replace"))
        )  # fmt: skip
    elif tree is None:
        return None
    if is_kernel:
        return place
    if tree is not None:
        raise BadInput(f"{tree}: not a git tree of a kernel", "name one with MAINTAINERS and Makefile at its top")
    return None


def _given(base: str, tree: Path | None) -> _Candidate:
    if (build := build_in(base)) is not None:
        return _Candidate("given", base, build)
    if ":" in base:
        raise BadInput(f"--base {base}: not sources", "write --base build:TREE@REV or build:debian-source:7.3")
    if tree is None:
        raise BadInput(
            f"--base {base}: there is no kernel tree to look in",
            f"write --base build:debian-source:{base}, or build:TREE@REV",
        )
    return _at("given", base, tree, base)


def _candidates(series: Path, patches: Sequence[Patch], tree: Path | None, tell: Tell) -> Iterator[_Candidate]:
    mails = read_mails(series)
    for patch_id in _all(_PREREQUISITE, mails):
        reason = "commits are not searched for it; if a branch has it, name that branch with --base"
        yield _Candidate("prerequisites", patch_id, None, reason, "not-tried")
    for commit in _all(_BASE_COMMIT, mails):
        yield _at("base-commit", commit, tree, commit)
    for word in _tree_words(mails):
        branch = branch_of(tree, word) if tree is not None else ""
        yield _at("tree-tag", word, tree, branch) if branch or tree is None else _Candidate(
            "tree-tag", word, None, f"{tree} has no branch of this name")  # fmt: skip
    if tree is not None:
        files = [file for patch in patches for file in patch.files]
        text = git.read(git.tree_of(tree, git.resolve(tree, "HEAD")), "MAINTAINERS") or ""
        for entry in Maintainers(text).trees(files):
            branch = branch_at(tree, entry)
            yield _at("maintainers", entry, tree, branch) if branch else _Candidate(
                "maintainers", entry, None, f"{tree} has no such remote, or has not fetched that branch")  # fmt: skip
        tags = [tag for tag in git.git(("tag", "--list", "v*"), repository=tree).split() if _RELEASE.fullmatch(tag)]
        for tag in sorted(tags, key=lambda tag: version_key(tag[1:].replace("-rc", "~rc")), reverse=True)[:_MOST_TAGS]:
            yield _at("tag", tag, tree, f"refs/tags/{tag}")
        yield _at("head", "HEAD", tree, "HEAD")
    yield from _releases(tell)


def _all(pattern: re.Pattern[str], mails: Sequence[Mail]) -> list[str]:
    return list(dict.fromkeys(found for mail in mails for found in pattern.findall(mail.text)))


def _tree_words(mails: Sequence[Mail]) -> list[str]:
    """Names of trees in "[PATCH mm-unstable v2 1/3]"."""
    words = [word for mail in mails for word in mail.parts.words]
    return [word for word in dict.fromkeys(words) if not _NO_TREE.fullmatch(word)]


def _at(how: str, what: str, tree: Path | None, revision: str) -> _Candidate:
    if tree is None:
        return _Candidate(how, what, None, "there is no kernel tree to look in")
    try:
        commit = git.resolve(tree, revision)
    except BadInput as error:
        return _Candidate(how, what, None, error.what)
    return _Candidate(how, what, BuildRef(tree=str(tree), revision=commit))


def _releases(tell: Tell) -> Iterator[_Candidate]:
    """The newest release of each of the archive's newest series."""
    try:
        versions = [upstream_of(source.version) for source in listed_sources(tell).versions]
    except HostLacks as error:
        yield _Candidate("archive", "sources", None, _line(error.what))
        return
    newest = {series_of(version): version for version in sorted(versions, key=version_key)}
    for version in sorted(newest.values(), key=version_key, reverse=True)[:_MOST_RELEASES]:
        yield _Candidate("archive", version, BuildRef(tree=f"debian-source:{version}"))


def _no_base(series: str, base: str, tree: Path | None, tries: Sequence[Try]) -> BadInput:
    lines = "".join(f"\n  {one.how} {one.what}: {one.outcome.replace('-', ' ')}: {one.detail}" for one in tries)
    if base:
        return BadInput(f"{series}: the base that was given does not work{lines}",
                        "leave --base out to search for one, or name another revision")  # fmt: skip
    missing = next((one.what for one in tries if one.how == "base-commit" and one.outcome == "absent"), "")
    if missing and tree is not None:
        return BadInput(f"{series}: no base found{lines}",
                        f"fetch commit {missing} into {tree}, or name a base: --base build:TREE@REV")  # fmt: skip
    what = "" if tree is not None else "run this in a kernel's git tree, or "
    return BadInput(f"{series}: no base found{lines}", f"{what}name the revision it was made on: --base build:TREE@REV")
