# SPDX-License-Identifier: GPL-2.0-only
"""The source store: one bare git repository of kassay's own, in which every source is a tree.

Nothing is ever written to a user's repository: its objects are read through `alternates`, and an index of our own
stands in for its index. The user's git configuration plays no part.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kassay.effects import process
from kassay.effects.files import cache_directory, disk_errors, sha256_bytes, swept, write_atomic
from kassay.effects.lock import locked
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Progress, Tell

_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "kassay", "GIT_AUTHOR_EMAIL": "kassay@localhost",
    "GIT_COMMITTER_NAME": "kassay", "GIT_COMMITTER_EMAIL": "kassay@localhost",
    "GIT_ALLOW_PROTOCOL": "file:git:http:https",  # an address of a bundle must not name a program to execute
}  # fmt: skip
# gc would drop trees that no reference names; strong compression of 90 000 files costs more time than it saves.
_SETTINGS = ("-c", "safe.directory=*", "-c", "gc.auto=0", "-c", "core.autocrlf=false", "-c", "core.compression=1",
             "-c", "advice.detachedHead=false", "-c", "core.preloadIndex=true",
             "-c", "core.attributesFile=/dev/null")  # fmt: skip
_COMMITS = "--format=%(refname) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
_SLOW_S = 1800


class GitFailed(HostLacks):
    """git ended with an error; with git's words. The remedy names the usual causes: the disk, or lost objects."""

    def __init__(self, text: str) -> None:
        super().__init__(
            text,
            "check free space, and that the git trees sources were read from are still whole (`git fsck` there)",
        )


def store() -> Path:
    """The path of the store, which is created when it is not there, in one step. Raises HostLacks without git."""
    path = cache_directory() / "sources" / "git"
    if not _is_store(path):
        with locked(path.with_name("git.lock")):
            if not _is_store(path):
                with disk_errors(path), swept(path.with_name(".git.partial")) as scratch:
                    # An incomplete store is completed where it is.
                    target = path if path.exists() else scratch / "git"
                    git(("init", "--quiet", "--bare", "--object-format=sha1", str(target)))
                    if target != path:
                        target.rename(path)
    _list_alternates(path)
    return path


def _is_store(path: Path) -> bool:
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()


def git(arguments: Sequence[str], *, index: Path | None = None, work_tree: Path | None = None,
        repository: Path | None = None, may_fail: bool = False) -> str:  # fmt: skip
    """Output of a git command in `repository` (a work tree or bare), by default in the store. Raises GitFailed."""
    env = dict(_ENVIRONMENT)
    if index is not None:
        env["GIT_INDEX_FILE"] = str(index)
    repository_options: tuple[str, ...] = ()
    if repository is not None:
        repository_options = ("-C", str(repository))
    elif arguments[0] != "init":
        repository_options = (f"--git-dir={store()}", *((f"--work-tree={work_tree}",) if work_tree is not None else ()))
    ended = process.run(("git", *_SETTINGS, *repository_options, *arguments), env=env, cwd=work_tree, timeout_s=_SLOW_S)
    if ended.status and not may_fail:
        raise GitFailed(ended.err.strip() or ended.out.strip() or f"git {arguments[0]} ended with {ended.status}")
    return ended.out


@contextmanager
def own_index(tree: str) -> Iterator[Path]:
    """A temporary index that holds `tree`."""
    with tempfile.TemporaryDirectory(prefix="index-", dir=store()) as name:
        index = Path(name, "index")
        git(("read-tree", tree), index=index)
        yield index


def apply(diff: Path, index: Path, *options: str) -> None:
    """Applies a unified diff to an index as `git am` does: no fuzz, all or nothing, unless `options` say otherwise.

    Raises GitFailed with git's words, which name file and line.
    """
    git(("apply", "--cached", *options, "--whitespace=nowarn", "--", str(diff)), index=index)


def written(index: Path) -> str:
    """The tree that an index holds, put into the store."""
    return git(("write-tree",), index=index).strip()


def has_tree(tree: str) -> bool:
    """True if the store, or a repository that it reads, has a tree."""
    try:
        git(("cat-file", "-e", f"{tree}^{{tree}}"))
    except GitFailed:
        return False
    return True


def is_repository(path: Path) -> bool:
    """True if `path` is the top of a git work tree, or a bare repository."""
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


def commits_in_order(repository: Path, revisions: Iterable[str]) -> dict[str, str]:
    """Revisions with their commits (sha1), oldest first: each behind its ancestors, else by committer date. Revisions
    that the repository lost are absent. Dates alone do not order commits: a rebase can give all of them the same
    second."""
    shas: dict[str, str] = {}
    for revision in revisions:
        with suppress(BadInput):
            shas[revision] = resolve(repository, revision)
    wanted = sorted(set(shas.values()))
    if not wanted:
        return {}
    places = {sha: place for place, (sha, *_) in enumerate(_walk(repository, wanted))}
    return dict(sorted(shas.items(), key=lambda item: places[item[1]]))


def ancestors(repository: Path, commits: Iterable[str]) -> dict[str, frozenset[str]]:
    """The ancestors of each commit (sha1) among all of these. The repository has every one."""
    wanted = set(commits)
    found: dict[str, frozenset[str]] = {}
    for sha, *parents in _walk(repository, sorted(wanted)) if wanted else ():
        before = frozenset[str]().union(*(found[parent] for parent in parents if parent in found))
        found[sha] = before | {sha} if sha in wanted else before
    return {sha: found[sha] - {sha} for sha in wanted}


def _walk(repository: Path, commits: Sequence[str]) -> Iterator[list[str]]:
    """Commits (sha1) from the last one that all of these have in common up to these, each behind its ancestors and with
    its parents."""
    fork = git(("merge-base", "--octopus", *commits), repository=repository, may_fail=True).split()
    yield from ([sha] for sha in fork)
    words = ("rev-list", "--parents", "--date-order", "--reverse", *commits, *(f"^{sha}" for sha in fork))
    yield from (line.split() for line in git(words, repository=repository).splitlines())


def resolve(repository: Path, revision: str) -> str:
    """The commit (sha1) that `revision` names. Raises BadInput, also for a name of a tag and of another branch."""
    name = re.split(r"[~^@:]", revision, maxsplit=1)[0]
    refs = [f"refs/{kind}/{name}" for kind in ("tags", "heads")]
    try:
        # A pattern of for-each-ref also stands for what is below it: refs/heads/a for refs/heads/a/b.
        shown = [line.split() for line in git(("for-each-ref", _COMMITS, *refs), repository=repository).splitlines()]
        if len({commit for ref, commit in shown if ref in refs}) > 1:
            raise BadInput(f"{repository}: {name!r} is a tag and a branch, which differ",
                           f"write tags/{name} or heads/{name}")  # fmt: skip
        commit = git(("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"),
                     repository=repository)  # fmt: skip
    except GitFailed as error:
        raise BadInput(f"{repository}: no revision {revision!r}", "git log there shows what it has") from error
    return commit.strip()


def tree_of(repository: Path, commit: str) -> str:
    """The tree of a commit; from now on the store reads the repository's objects."""
    link(repository)
    return git(("rev-parse", "--verify", f"{commit}^{{tree}}"), repository=repository).strip()


def link(repository: Path) -> None:
    """Lets the store read a repository's objects."""
    objects = git(("rev-parse", "--path-format=absolute", "--git-path", "objects"), repository=repository).strip()
    _list_alternates(store(), objects)


def _list_alternates(place: Path, *more: str) -> None:
    """Lists repositories that the store reads objects of, but no deleted ones: git warns of each of them each time."""
    alternates = place / "objects" / "info" / "alternates"

    def read() -> tuple[list[str], list[str]]:
        listed = alternates.read_text().splitlines() if alternates.is_file() else []
        return listed, list(dict.fromkeys((*(line for line in listed if os.access(line, os.F_OK)), *more)))

    listed, wanted = read()
    if listed != wanted:
        with locked(place / "alternates.lock"):
            _, wanted = read()  # another process may have added one
            write_atomic(alternates, "".join(f"{line}\n" for line in wanted).encode())


def tree_of_files(path: Path, tell: Tell, *, subject: str) -> str:
    """The tree of a directory's files as they are now, tracked or not, except those that its .gitignore files name.

    The first call reads every file; later ones only those whose size or time changed. Of a git work tree: the files
    that git tracks or would track.
    """
    name = sha256_bytes(str(path.resolve()).encode())[:16]
    index = store() / "worktrees" / name / "index"
    with disk_errors(index):
        index.parent.mkdir(parents=True, exist_ok=True)
    with locked(index.with_name("lock")):
        for left in index.parent.glob("index.lock"):  # of a process that was killed; we hold the lock
            left.unlink()
        if is_repository(path):
            link(path)
        if not index.exists():
            tell(Progress(stage="source", subject=subject, text="reading every file, this once"))
        # A release tarball may hold files that its own .gitignore names; in a git tree those are build products.
        force = () if is_repository(path) else ("--force",)
        try:
            git((*_excluded(path), "add", "--all", *force, "--", "."), index=index, work_tree=path.resolve())
            if is_repository(path):
                _add_tracked(path, index)
            return written(index)
        except GitFailed as error:
            raise HostLacks(
                f"{path}: cannot be read: {error.what}", "check the files' permissions and the disk"
            ) from error


def _excluded(path: Path) -> tuple[str, ...]:
    """The option for what a repository ignores by its own info/exclude, which is no file of the tree."""
    if not is_repository(path):
        return ()
    named = git(("rev-parse", "--path-format=absolute", "--git-path", "info/exclude"), repository=path).strip()
    return "-c", f"core.excludesFile={named}"


def _add_tracked(path: Path, index: Path) -> None:
    """Files that the repository tracks although a .gitignore names them: `git add` skips them."""
    listed = git(("ls-files", "-z", "--cached", "--ignored", "--exclude-standard"), repository=path).split("\0")[:-1]
    existing = [name for name in listed if (path / name).is_symlink() or (path / name).exists()]
    if existing:
        names = index.with_name("tracked")
        write_atomic(names, "".join(f"{name}\0" for name in existing).encode())
        arguments = ("add", "--force", f"--pathspec-from-file={names}", "--pathspec-file-nul")
        git(("--literal-pathspecs", *arguments), index=index, work_tree=path.resolve())


def entries(tree: str) -> list[str]:
    """Mode, type, object, a tab and the path of each file of a tree."""
    return git(("ls-tree", "-r", "-z", tree)).split("\0")[:-1]


def links(tree: str) -> tuple[str, ...]:
    """Paths of a tree that are symbolic links."""
    return tuple(entry.partition("\t")[2] for entry in entries(tree) if entry.startswith("120000 "))


def changed(before: str, after: str) -> tuple[str, ...]:
    """Paths that differ between two trees."""
    if before == after:
        return ()
    return tuple(git(("diff-tree", "-r", "--name-only", "-z", before, after)).split("\0")[:-1])


def write_diff(before: str, after: str, into: Path) -> None:
    """Writes the difference between two trees as a diff that apply() takes; the same trees give the same bytes."""
    git(("diff-tree", "-p", "--binary", "--full-index", "--no-renames", f"--output={into}", before, after))


def changed_files(diff: Path) -> tuple[str, ...]:
    """Paths that a unified diff changes."""
    listed = git(("apply", "--numstat", "-z", "--", str(diff))).split("\0")[:-1]
    return tuple(line.split("\t", 2)[2] for line in listed)


def read(tree: str, path: str) -> str | None:
    """A file's text, None when the tree has none of that name."""
    try:
        return git(("cat-file", "blob", f"{tree}:{path}"))
    except GitFailed:
        return None


def with_files(tree: str, files: dict[str, str]) -> str:
    """The tree with these files' text replaced; modes stay."""
    with own_index(tree) as index:
        for path, text in files.items():
            mode = git(("ls-files", "--stage", "--", path), index=index).split()[0]
            file = index.with_name("file")
            file.write_text(text, "utf-8", newline="")
            blob = git(("hash-object", "-w", "--no-filters", "--", str(file))).strip()
            git(("update-index", "--cacheinfo", f"{mode},{blob},{path}"), index=index)
        return written(index)


def with_patch(tree: str, diff: Path) -> str:
    """The tree with a unified diff applied; see apply()."""
    with own_index(tree) as index:
        apply(diff, index)
        return written(index)
