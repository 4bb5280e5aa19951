# SPDX-License-Identifier: GPL-2.0-only
"""The sources that a series applies to, in the order in which people tell or guess it; every try is kept."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.errors import BadInput, HostLacks, KassayError, NotBuilt
from kassay.labs.review import maintainers
from kassay.labs.review.model import Try
from kassay.model.build import BuildRef, build_text, parse_build
from kassay.model.kernel import parse_ref
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.supply.archive.sources_list import listed_sources
from kassay.supply.archive.versions import upstream_of
from kassay.supply.building import git
from kassay.supply.building.patches import Patch, apply, read_patches
from kassay.supply.building.source import source_tree

APPLIES, DOES_NOT_APPLY, ABSENT = "applies", "does-not-apply", "absent"
_BASE_COMMIT = re.compile(rb"^base-commit: ([0-9a-f]{12,40})\s*$", re.MULTILINE)
_PREREQUISITE = re.compile(rb"^prerequisite-patch-id: [0-9a-f]{40}\s*$", re.MULTILINE)
_SUBJECT = re.compile(rb"^Subject:\s*(?:Re:\s*)?\[([^\]]*)\]", re.MULTILINE | re.IGNORECASE)
_NO_TREE = re.compile(r"PATCH|RFC|RESEND|v?\d+|\d+/\d+|V\d+", re.IGNORECASE)
_TAGS, _RELEASES, _SHOWN = 5, 3, 200


class FoundBase(Record, frozen=True, kw_only=True):
    """The base of a series."""

    ref: str
    """A build: reference."""
    patches: str
    """Path of the series."""
    tries: tuple[Try, ...]
    """Every source that was tried; the last one is the base."""


class _Candidate(NamedTuple):
    how: str
    what: str
    build: BuildRef | None
    """None for one that is not there."""
    problem: str = ""


def find_base(
    series: Path, *, base: str, tree: Path | None, arch: str, options: str, tell: Tell
) -> FoundBase:  # fmt: skip
    """The first source that the whole series applies to. base: a reference that the user names, "" for none. tree: git
    tree to look in. options: how it is built, as in a build: reference.

    Raises BadInput that lists every try.
    """
    patches = read_patches(series)
    tries: list[Try] = []
    for candidate in _candidates(series, patches, base, _kernel_tree(tree), arch, tell):
        tell(Progress(stage="base", subject=candidate.what, text=candidate.how))
        found = _tried(candidate, patches, tell)
        tries.append(found)
        if found.outcome == APPLIES and candidate.build is not None:
            ref = build_text(candidate.build) + (f",{options}" if options else "")
            parse_ref(ref, arch)
            return FoundBase(ref=ref, patches=str(series), tries=tuple(tries))
    lines = "".join(f"\n  {t.how} {t.what}: {t.outcome.replace('-', ' ')}{t.detail and f': {t.detail}'}" for t in tries)
    raise BadInput(
        f"{series}: no source was found that it applies to{lines or ', and nothing to try'}",
        "name the sources with --base build:TREE@REV, or the git tree to look in with --tree",
    )


def _kernel_tree(tree: Path | None) -> Path | None:
    """The git tree to look in. Raises BadInput for a directory that is none."""
    if tree is not None:
        if not git.is_repository(tree):
            raise BadInput(f"--tree {tree}: not a git tree", "name the top of a kernel git tree")
        return tree.absolute()
    here = Path.cwd()
    return here if git.is_repository(here) and (here / "MAINTAINERS").is_file() else None


def _candidates(
    series: Path, patches: Sequence[Patch], base: str, tree: Path | None, arch: str, tell: Tell
) -> Iterator[_Candidate]:
    if base:
        ref = parse_ref(base, arch)
        if ref.kind != "build":
            raise BadInput(f"--base {base}: not sources", "write --base build:TREE@REV or build:debian-source:7.3")
        yield _Candidate("given", base, parse_build(ref.locator))
        return
    text = _text(series)
    commits = dict.fromkeys(match.decode() for match in _BASE_COMMIT.findall(text))
    yield from (_revision("base-commit", tree, commit) for commit in commits)
    if needed := len(set(_PREREQUISITE.findall(text))):
        why = "the series needs patches that come before it: apply them, and name the result with --base"
        yield _Candidate("prerequisites", f"{needed} prerequisite-patch-id", None, why)
    if tree is not None:
        yield from (_branch("tree-tag", tree, word) for word in _tree_words(text))
        paths = dict.fromkeys(path for patch in patches for path in patch.files)
        for url, branch in maintainers.trees_of(tree, tuple(paths)):
            remote = maintainers.remote_of(tree, url)
            if remote:
                yield _revision("maintainers", tree, f"{remote}/{branch or 'HEAD'}")
            else:
                yield _Candidate(
                    "maintainers", f"{url} {branch}".strip(), None, f"no remote of {tree} has this address"
                )
        words = ("-c", "versionsort.suffix=-rc", "tag", "--list", "v*", "--sort=-version:refname")
        tags = git.git(words, repository=tree).split()[:_TAGS]
        yield from (_revision("tag", tree, tag) for tag in tags)
        yield _revision("head", tree, "HEAD")
    yield from _releases(tell)


def _releases(tell: Tell) -> Iterator[_Candidate]:
    """The newest sources of the archive."""
    try:
        versions = [upstream_of(source.version) for source in listed_sources(tell).versions]
    except HostLacks as error:
        yield _Candidate("archive", "sources", None, _line(error))
        return
    series = dict.fromkeys(".".join(version.split(".")[:2]) for version in reversed(versions))
    newest = sorted(series, key=lambda text: [int(part) if part.isdigit() else 0 for part in text.split(".")])[::-1]
    for version in newest[:_RELEASES]:
        yield _Candidate("archive", version, BuildRef(tree=f"debian-source:{version}"))


def _revision(how: str, tree: Path | None, revision: str) -> _Candidate:
    if tree is None:
        return _Candidate(how, revision, None, "no git tree to look in: name it with --tree")
    try:
        commit = git.resolve(tree, revision)
    except BadInput:
        return _Candidate(how, revision, None, f"not in {tree}")
    return _Candidate(how, revision, BuildRef(tree=str(tree), revision=commit))


def _branch(how: str, tree: Path, name: str) -> _Candidate:
    """A branch of the tree, or of one of its remotes."""
    found = _revision(how, tree, name)
    for remote in git.git(("remote",), repository=tree).split() if found.build is None else ():
        found = _revision(how, tree, f"{remote}/{name}")
        if found.build is not None:
            return found
    return found if found.build is not None else found._replace(what=name)


def _tried(candidate: _Candidate, patches: Sequence[Patch], tell: Tell) -> Try:
    shown = Try(how=candidate.how, what=candidate.what, outcome=ABSENT, detail=candidate.problem)
    if candidate.build is None:
        return shown
    try:
        tree, _ = source_tree(candidate.build, tell)
        apply(tree, patches)
    except NotBuilt as error:
        return structs.replace(shown, outcome=DOES_NOT_APPLY, detail=_line(error))
    except KassayError as error:
        if candidate.how == "given":
            raise
        return structs.replace(shown, detail=_line(error))
    return structs.replace(shown, outcome=APPLIES)


def _line(error: KassayError) -> str:
    return " ".join(error.what.split())[:_SHOWN]


def _text(series: Path) -> bytes:
    """The mails as they were sent."""
    files = sorted(path for path in series.iterdir() if path.is_file()) if series.is_dir() else [series]
    return b"\n".join(file.read_bytes() for file in files)


def _tree_words(text: bytes) -> tuple[str, ...]:
    """Words in the brackets of subjects that may name a tree: "mm-unstable" of "[PATCH mm-unstable v2 1/3]"."""
    brackets = (match.decode("utf-8", "replace") for match in _SUBJECT.findall(text))
    words = (word for bracket in brackets for word in re.split(r"[\s,]+", bracket))
    return tuple(dict.fromkeys(word for word in words if word and not _NO_TREE.fullmatch(word)))
