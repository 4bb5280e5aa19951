# SPDX-License-Identifier: GPL-2.0-only
"""The cache of the tests: what they make up never reaches the user's, and a kassay of the user's never disturbs them.

It lies beside the user's (~/.cache/kassay-tests) and stays for the next session, since a kernel takes minutes to build.
What the user has fetched is shared: packages and kernels, which nothing ever writes to, by hard links; lists of the
archive by copies.
"""

import os
import shutil
from pathlib import Path

from kassay.effects.files import cache_directory

_NAME = "kassay-tests"
_LINKED = ("packages", "kernels", "configurations", "refs/debian", "standin")


def use() -> None:
    """From now on this process and its children have the tests' cache, and no timing files or histories of the user's.
    The host's lock is one of theirs as well."""
    users = cache_directory()
    if users.parent.name != _NAME:
        os.environ["XDG_CACHE_HOME"] = str(users.parent / _NAME)
        share(users, cache_directory())
    os.environ["XDG_DATA_HOME"] = str(cache_directory() / "data")


def share(users: Path, own: Path) -> None:
    """Everything that was fetched into one cache is in another one, too; nothing that was compiled is."""
    for name in _LINKED:
        _link(users / name, own / name)
    for lists in users.glob("apt/*/*"):
        _copy(lists, own / lists.relative_to(users))


def _link(source: Path, target: Path) -> None:
    """Every finished file that is not there yet; names with a dot in front are locks and what is being made."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if path.is_dir() or any(part.startswith(".") for part in relative.parts):
            continue
        linked = target / relative
        if not linked.exists():
            linked.parent.mkdir(parents=True, exist_ok=True)
            _link_or_copy(path, linked)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except FileExistsError:
        pass
    except OSError:  # another file system, or one without hard links
        shutil.copy2(source, target)


def _copy(source: Path, target: Path) -> None:
    """apt's lists with the index that was made of them, where the user's are newer or there are none."""
    index = source / "kernels.json"
    if not index.is_file() or not (source / "lists").is_dir():
        return
    own = target / "kernels.json"
    if not own.is_file() or own.stat().st_mtime < index.stat().st_mtime:
        shutil.rmtree(target, ignore_errors=True)
        ignored = shutil.ignore_patterns("lock", "partial", "auxfiles", "*.bin")
        shutil.copytree(source, target, ignore=ignored)
