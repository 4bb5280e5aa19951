# SPDX-License-Identifier: GPL-2.0-only
"""Public sources: the release or the commit that a user's sources come from, found, and fetched by their hash."""

import re
from pathlib import Path

from kassay.effects.files import expanded
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.model.build import BuildRef, PublicSource
from kassay.model.progress import Progress, Tell
from kassay.supply.building import git
from kassay.supply.building.debian_source import exact_version
from kassay.supply.building.source import ARCHIVE, release

_PUBLIC = re.compile(r"(?:https?|git)://[\w.:\[\]-]+/\S+")
"""Addresses that others can fetch from: no user, no password, no path of this host."""
_SHA256 = re.compile(r"; sha256 ([0-9a-f]{64})$")
_RELEASE_TAG = re.compile(r"v\d+\.\d+(\.\d+)?(-rc\d+)?")


def public_source(build: BuildRef, version: str, tell: Tell) -> PublicSource:
    """The public sources that a build's sources come from.

    version: of the sources, as in BuildSource; "" if it is not known. Raises BadInput that says why there are none.
    """
    if build.tree.startswith(ARCHIVE):
        exact = version.partition(":")[0] or exact_version(build.tree.removeprefix(ARCHIVE), tell)
        recorded = _SHA256.search(version)
        tree, provenance = release(exact, tell, recorded[1] if recorded else "")
        words = _SHA256.sub("", provenance.removeprefix(f"{exact}: "))
        match = _SHA256.search(provenance)
        return PublicSource(name=f"{ARCHIVE}{exact}", version=words, tree=tree, sha256=match[1] if match else "")
    repository = expanded(build.tree)
    if not git.is_repository(repository):
        raise BadInput(f"{repository}: no git tree, so it is not known which public sources it comes from",
                       "give a git tree, or debian-source:7.3")  # fmt: skip
    address, commit = _public_commit(repository, git.resolve(repository, build.revision or "HEAD"))
    return PublicSource(name=address, version=commit, tree=git.tree_of(repository, commit))


def _public_commit(repository: Path, commit: str) -> tuple[str, str]:
    """Address of a remote, and the newest commit of it that `commit` has, along first parents."""
    found: list[tuple[int, str, str]] = []
    for remote in git.git(("remote",), repository=repository).split():
        address = git.git(("config", "--get", f"remote.{remote}.url"), repository=repository, may_fail=True).strip()
        if _PUBLIC.fullmatch(address):
            known = ("--not", f"--remotes={remote}", *_release_tags(repository, remote))
            private = git.git(("rev-list", "--first-parent", commit, *known), repository=repository).split()
            base = f"{private[-1]}^" if private else commit
            parent = git.git(("rev-parse", "--verify", "--quiet", base), repository=repository, may_fail=True).strip()
            found += [(len(private), address, parent)] if parent else []
    if not found:
        raise BadInput(f"{repository}: no commit of it is known to be in a public repository (a remote with an address "
                       "https://, http:// or git:// that was fetched from)")  # fmt: skip
    return min(found)[1:]


def _release_tags(repository: Path, remote: str) -> list[str]:
    """Tags of releases. None if the remote's own tags are known, which are among its references."""
    if git.git(("for-each-ref", "--count=1", f"refs/remotes/{remote}/tags"), repository=repository):
        return []
    tags = git.git(("for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags/v*"), repository=repository).split()
    return [f"refs/tags/{tag}" for tag in tags if _RELEASE_TAG.fullmatch(tag)]


def fetch_public(source: PublicSource, given: Path | None, tell: Tell) -> None:
    """Brings public sources into the store.

    given: a git tree or a directory that may have them. Raises BadInput or HostLacks that says what was recorded.
    """
    if git.has_tree(source.tree):
        return
    try:
        if given is not None:
            tree = _given(source, given, tell)
        elif source.name.startswith(ARCHIVE):
            tree, _ = release(source.name.removeprefix(ARCHIVE), tell, source.sha256)
        else:
            tree = _fetched(source, tell)
    except KassayError as error:
        raise _unavailable(source, error.what) from error
    if tree != source.tree:
        raise _unavailable(source, f"these are other files: git tree {tree[:12]}")


def _given(source: PublicSource, given: Path, tell: Tell) -> str:
    if git.is_repository(given):
        git.link(given)
        if git.has_tree(source.tree):
            return source.tree
        if not (given / ".git").exists():
            raise BadInput(f"{given}: no commit of it has these files")
    return git.tree_of_files(given, tell, subject=str(given))


def _fetched(source: PublicSource, tell: Tell) -> str:
    if not _PUBLIC.fullmatch(source.name) or not re.fullmatch(r"[0-9a-f]{40}", source.version):
        raise BadInput("neither a release of the archive nor a commit of a public repository")
    tell(Progress(stage="source", subject=source.name, text=f"fetching commit {source.version[:12]}"))
    git.git(("fetch", "--quiet", "--no-tags", "--depth=1", source.name, source.version))
    return git.git(("rev-parse", "--verify", f"{source.version}^{{tree}}")).strip()


def _unavailable(source: PublicSource, why: str) -> HostLacks:
    recorded = f"{source.version}, sha256 {source.sha256}" if source.sha256 else f"commit {source.version}"
    return HostLacks(
        f"{source.name}: {why}\n  recorded: {recorded}; git tree {source.tree[:12]}",
        "give these very sources with --source DIR, a directory or a git tree that has them",
    )
