# SPDX-License-Identifier: GPL-2.0-only
"""Checked-out sources: a few directories; a build takes one and changes only the files that differ from its tree.

A changed file gets the time of the change, an unchanged one keeps its own; so make rebuilds what changed and nothing
else. Objects lie inside the source directory, one directory per configuration and compiler: the kernel's Makefile then
calls the sources "..", and no path of this host gets into an object or a compiler cache's key.
"""

import shutil
from pathlib import Path

from kassay.effects.files import cache_directory, disk_errors, write_atomic
from kassay.errors import Defect
from kassay.model.progress import Progress, Tell
from kassay.supply.building import git

# 1.7 GB each. A ladder over releases builds each release once; a search stays near one release.
_SLOTS = 3
# Trees that differ in more files than this are different releases: each gets a slot of its own.
_NEAR = 4000


def directory() -> Path:
    """Directory of slots, logs and the build lock."""
    return cache_directory() / "build"


def checked_out(tree: str, tell: Tell, *, subject: str) -> Path:
    """A source directory that holds exactly `tree`; call it under the build lock.

    It changes the slot with the nearest tree, or makes another slot; when there are enough slots, it changes the least
    recently used one.
    """
    slots = sorted(directory().glob("src-*"))
    trees = {slot: _tree_of(slot) for slot in slots}
    near = sorted((len(git.changed(old, tree)), slot) for slot, old in trees.items() if old and git.has_tree(old))
    if near and near[0][0] <= _NEAR:
        slot = near[0][1]
    elif broken := [slot for slot in slots if trees[slot] is None]:
        slot = broken[0]
    elif len(slots) < _SLOTS:
        slot = next(path for n in range(_SLOTS) if not (path := directory() / f"src-{n}").exists())
    else:
        slot = min(slots, key=lambda slot: (slot / "used").stat().st_mtime_ns if (slot / "used").exists() else 0)
    if trees.get(slot) != tree:
        _become(slot, tree, tell, subject)
    write_atomic(slot / "used", b"")
    return slot / "src"


def _tree_of(slot: Path) -> str | None:
    """The tree a slot holds; None when the process that changed it ended too early."""
    try:
        return (slot / "tree").read_text("ascii").strip()
    except OSError:
        return None


def _become(slot: Path, tree: str, tell: Tell, subject: str) -> None:
    """Changes the files. After an unfinished change there is no file "tree", and the next change checks every file."""
    every_file = _tree_of(slot) is None
    if every_file:
        tell(Progress(stage="source", subject=subject, text="checking out the sources"))
    with disk_errors(slot):
        (slot / "src").mkdir(parents=True, exist_ok=True)
        (slot / "tree").unlink(missing_ok=True)
        (slot / "index.lock").unlink(missing_ok=True)  # of a killed process: the build lock is ours
        if every_file and (slot / "index").exists():
            git.git(("update-index", "-q", "--refresh"), index=slot / "index", work_tree=slot / "src", may_fail=True)
        git.git(("read-tree", "--reset", "-u", tree), index=slot / "index", work_tree=slot / "src")
        if every_file:
            _clean(slot)
            _must_hold(slot, tree)
        write_atomic(slot / "tree", f"{tree}\n".encode())


def _clean(slot: Path) -> None:
    """Removes the files that the unfinished change has added; objects stay."""
    git.git(("clean", "-ffdxq", "-e", "/kassay-*"), index=slot / "index", work_tree=slot / "src")


def _must_hold(slot: Path, tree: str) -> None:
    """Raises Defect when a file differs from the tree; the slot is then thrown away."""
    different = git.git(("diff-files", "--name-only"), index=slot / "index", work_tree=slot / "src")
    if different:
        shutil.rmtree(slot)
        raise Defect(f"{slot}: {different.splitlines()[0]} is not as in tree {tree}", "repeat the command")
