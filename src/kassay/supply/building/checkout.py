# SPDX-License-Identifier: GPL-2.0-only
"""Sources that a reference names -> a git tree of the user's, to write a patch in."""

from pathlib import Path

from kassay.effects.files import disk_errors, swept
from kassay.errors import BadInput
from kassay.model.build import BuildRef, BuildSource
from kassay.model.progress import Progress, Tell
from kassay.supply.building import git
from kassay.supply.building.source import source_tree

BRANCH = "base"
"""Branch that stays where it is."""
_WORK = "work"


def check_out(build: BuildRef, out: Path, tell: Tell) -> BuildSource:
    """Makes `out`, a git repository whose one commit holds the sources of the reference.

    Its tree is that of the reference but for a .gitignore that hides new files, so `build:OUT@base` is the same kernel,
    also after commits: the branch that is checked out is another one. Raises BadInput when `out` exists.
    """
    if out.exists():
        raise BadInput(f"{out}: is there already", "choose another --out, or remove it")
    tree, source = source_tree(build, tell)
    tell(Progress(stage="kernels", subject=out.name, text="checking out"))
    commit = git.git(("commit-tree", _without_ignore_all(tree), "-m", f"Linux {source.version}")).strip()
    name = f"refs/checkouts/{commit}"
    git.git(("update-ref", name, commit))
    git.git(("config", "pack.window", "0"))  # to look for similar objects takes a minute, and saves 100 MB
    try:
        with swept(out.parent / f".{out.name}.partial") as scratch:
            made = scratch / "tree"
            git.git(("init", "--quiet", f"--initial-branch={_WORK}", str(made)))
            git.git(("fetch", "--quiet", str(git.store()), name), repository=made)
            git.git(("reset", "--quiet", "--hard", commit), repository=made)
            git.git(("branch", BRANCH), repository=made)
            with disk_errors(out):
                made.rename(out)
    finally:
        git.git(("update-ref", "-d", name), may_fail=True)
    return source


def _without_ignore_all(tree: str) -> str:
    """The tree with a .gitignore that does not ignore every file: Debian's does, and git would not see a new one."""
    ignored = git.read(tree, ".gitignore") or ""
    kept = "".join(line for line in ignored.splitlines(keepends=True) if line.rstrip() != "/*")
    return tree if kept == ignored else git.with_files(tree, {".gitignore": kept})
