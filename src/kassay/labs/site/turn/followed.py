# SPDX-License-Identifier: GPL-2.0-only
"""Which kernels there are: the newest package of each series, the heads of branches, and all that was measured."""

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from kassay.errors import BadInput, KassayError
from kassay.labs.site.turn.settings import ALL, Branch, Lab
from kassay.model.build import BuildRef, build_in, build_text
from kassay.model.progress import Tell
from kassay.model.records import Record
from kassay.supply import kernels as kernel_store
from kassay.supply.archive.index import load_index
from kassay.supply.archive.versions import series_of, version_key
from kassay.supply.building.git import GitFailed, commits_in_order, git, is_repository, resolve

BETWEEN = ".."
"""Between the two kernels in the name of a pair's directory."""
_DIGITS = 12


class Kernel(Record, frozen=True, kw_only=True):
    """A kernel of a line."""

    name: str
    """Name that is unique in its line, and a file name: the package's version, or a commit."""
    ref: str


def name_in_reports(ref: str, name: str) -> str:
    """The name of a build in reports: its tree and commit, "linux 0123456789ab". "" for a kernel of the archive, whose
    reference is its name. A reference to a build has a path of this host."""
    build = build_in(ref)
    return f"{PurePath(build.tree).name} {name}" if build is not None else ""


class Line(Record, frozen=True, kw_only=True):
    """Kernels of one architecture and one source, oldest first."""

    key: str
    """Name of a directory, unique among lines."""
    arch: str
    kernels: tuple[Kernel, ...]


def lines_of(lab: Lab, tell: Tell) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """All lines, and what could not be looked up, in words. Kernels that were measured stay in their line."""
    lines, notes = [], []
    for arch in lab.arches if lab.archive else ():
        offered: list[str] = []
        try:
            offered = [version.version for version in kernel_store.versions("debian", arch, lab.flavour, tell)]
            if (index := load_index(arch)) is not None and not index.fresh:
                notes.append(
                    f"the archive cannot be reached now; its kernels for {arch} are those of {index.made[:10]}"
                )
        except KassayError as error:
            notes.append(f"the archive's kernels for {arch} are not known now: {error.what}")
        else:
            notes += _not_offered(offered, lab, arch)
        names = {*_newest(offered, lab), *measured_names(lab, arch)} - {*lab.leave_out}
        ordered = sorted(names, key=version_key)
        kernels = tuple(Kernel(name=name, ref=f"debian:{name}") for name in ordered)
        if offered and len(kernels) == 1:
            notes.append(f"{arch}: {kernels[0].name} is the only kernel, and a pair needs two; add a series")
        lines.append(Line(key=arch, arch=arch, kernels=kernels))
    for branch in lab.branch:
        try:
            commits = _commits(branch)
        except KassayError as error:
            notes.append(f"branch {branch.name} of {branch.tree}: {error.what.removeprefix(f'{branch.tree}: ')}")
            commits = []
        for arch in lab.arches:
            key = f"{arch}-{branch.line}"
            lines.append(_line_of_commits(key, arch, branch, [*commits, *measured_names(lab, key)]))
    return tuple(lines), tuple(notes)


def _not_offered(offered: Sequence[str], lab: Lab, arch: str) -> list[str]:
    """Followed series that the archive has no kernel of, in words: a series or a flavour may be misspelt."""
    if not offered:
        return [f"the archive has no kernel of flavour {lab.flavour} for {arch}"]
    has = {series_of(version) for version in offered}
    missing = [] if lab.archive == ALL else [series for series in lab.archive if series not in has]
    newest = max(has, key=version_key)
    return [f"the archive has no kernel of series {series} for {arch}; its newest is {newest}" for series in missing]


def _newest(versions: Iterable[str], lab: Lab) -> list[str]:
    """The newest version of each followed series, at most the `back` newest series."""
    newest: dict[str, str] = {}
    for version in sorted(versions, key=version_key):
        if version not in lab.leave_out and (lab.archive == ALL or series_of(version) in lab.archive):
            newest[series_of(version)] = version
    return sorted(newest.values(), key=version_key)[-lab.back :]


def measured_names(lab: Lab, line: str) -> tuple[str, ...]:
    """Kernels of a line that have a pair's directory."""
    found: dict[str, None] = {}
    for directory in sorted(Path(lab.runs, line).glob(f"*/*{BETWEEN}*")):
        if (directory / "plan.json").is_file():
            found.update(dict.fromkeys(directory.name.partition(BETWEEN)[::2]))
    return tuple(found)


def _commits(branch: Branch) -> list[str]:
    """The head of a branch, and the revision that the first head is compared with."""
    repository = Path(branch.tree)
    if not is_repository(repository):
        raise BadInput(f"{branch.tree}: not a git repository", "name the top of a kernel git tree")
    revision = branch.name
    if branch.remote:
        revision = f"refs/kassay/{branch.name}"
        git(("fetch", "--quiet", "--no-tags", branch.remote, f"+{branch.name}:{revision}"), repository=repository)
    head = resolve(repository, revision)
    since = branch.since
    if not since:
        try:
            since = git(("describe", "--tags", "--abbrev=0", f"{head}^"), repository=repository).strip()
        except GitFailed as error:
            raise BadInput(f"no tag below {head[:_DIGITS]}", "name a revision with since = ...") from error
    return [resolve(repository, since), head]


def _line_of_commits(key: str, arch: str, branch: Branch, revisions: Sequence[str]) -> Line:
    """Commits in their order. Those that the tree has lost are left out."""
    repository = Path(branch.tree)
    commits = commits_in_order(repository, revisions) if is_repository(repository) else {}
    options = f",{branch.build}" if branch.build else ""
    kernels = (
        Kernel(name=sha[:_DIGITS], ref=f"{build_text(BuildRef(tree=branch.tree, revision=sha))}{options}")
        for sha in dict.fromkeys(commits.values())
    )
    return Line(key=key, arch=arch, kernels=tuple(kernels))
