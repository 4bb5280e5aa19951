# SPDX-License-Identifier: GPL-2.0-only
"""Checked-out sources: a few kept directories, each turned into the wanted tree by changing only what differs.

A changed file gets the time of the change, an unchanged one keeps its own; so make rebuilds what changed and nothing
else. Objects lie inside the source directory, one directory per configuration and compiler: the kernel's Makefile then
calls the sources "..", and no path of this host gets into an object or a compiler cache's key.
"""

import shutil
from pathlib import Path

from kassay.building import git
from kassay.effects.files import cache_directory, disk_errors, write_atomic
from kassay.errors import Defect
from kassay.model.progress import Progress, Tell

# 1.7 GB each. A ladder over releases needs no more than a look at each; a search stays near one.
_SLOTS = 3
# Beyond this many files two trees are different releases: better a directory of its own than one in turn.
_NEAR = 4000


def directory() -> Path:
    """Where slots, logs and the build lock are."""
    return cache_directory() / "build"


def checked_out(tree: str, tell: Tell, *, subject: str) -> Path:
    """A source directory that holds exactly `tree`; call it under the build lock.

    The nearest slot is changed, or a further one made; of too many the one not used for longest is taken.
    """
    slots = sorted(directory().glob("src-*"))
    trees = {slot: _tree_of(slot) for slot in slots}
    near = sorted((len(git.changed(one, tree)), slot) for slot, one in trees.items() if one and git.has_tree(one))
    if near and near[0][0] <= _NEAR:
        slot = near[0][1]
    elif broken := [one for one in slots if trees[one] is None]:
        slot = broken[0]
    elif len(slots) < _SLOTS:
        slot = next(place for n in range(_SLOTS) if not (place := directory() / f"src-{n}").exists())
    else:
        slot = min(slots, key=lambda one: (one / "used").stat().st_mtime_ns if (one / "used").exists() else 0)
    if trees.get(slot) != tree:
        _become(slot, tree, tell, subject)
    write_atomic(slot / "used", b"")
    return slot / "src"


def _tree_of(slot: Path) -> str | None:
    """The tree a slot holds; None while it was being changed when its process ended."""
    try:
        return (slot / "tree").read_text("ascii").strip()
    except OSError:
        return None


def _become(slot: Path, tree: str, tell: Tell, subject: str) -> None:
    """Changes the files. An unfinished change leaves no "tree" behind, and the next one looks at every file."""
    whole = _tree_of(slot) is None
    if whole:
        tell(Progress(stage="source", subject=subject, text="checking out the sources"))
    with disk_errors(slot):
        (slot / "src").mkdir(parents=True, exist_ok=True)
        (slot / "tree").unlink(missing_ok=True)
        (slot / "index.lock").unlink(missing_ok=True)  # of a killed process: the build lock is ours
        if whole and (slot / "index").exists():
            git.git(("update-index", "-q", "--refresh"), index=slot / "index", work_tree=slot / "src", may_fail=True)
        git.git(("read-tree", "--reset", "-u", tree), index=slot / "index", work_tree=slot / "src")
        if whole:
            _clean(slot)
            _must_hold(slot, tree)
        write_atomic(slot / "tree", f"{tree}\n".encode())


def _clean(slot: Path) -> None:
    """Removes what the unfinished change had already brought; objects stay."""
    git.git(("clean", "-ffdxq", "-e", "/kassay-*"), index=slot / "index", work_tree=slot / "src")


def _must_hold(slot: Path, tree: str) -> None:
    """Raises Defect when a file differs from the tree; the slot is then thrown away."""
    different = git.git(("diff-files", "--name-only"), index=slot / "index", work_tree=slot / "src")
    if different:
        shutil.rmtree(slot)
        raise Defect(f"{slot}: {different.splitlines()[0]} is not as in tree {tree}", "repeat the command")
