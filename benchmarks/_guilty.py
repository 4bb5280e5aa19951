# SPDX-License-Identifier: GPL-2.0-only
"""A git history with one guilty commit among real mm changes, one commit that does not build and one that panics."""

import subprocess
from pathlib import Path

from kassay.supply.building import git

EXAMPLES = Path(__file__).parent.parent / "examples"
# Small files that every configuration builds and no workload here executes.
_FILES = ("mm/msync.c", "mm/mlock.c", "mm/mremap.c", "mm/truncate.c", "mm/readahead.c", "mm/oom_kill.c", "mm/page_io.c",
          "mm/swapfile.c", "mm/vmstat.c", "mm/list_lru.c")  # fmt: skip
_ZERO, _PANIC = "zero_as_a_word", 'panic("too early"), 0'
_NOTE = """
static int __init kassay_note_{number}(void)
{{
	return {body};
}}
late_initcall(kassay_note_{number});
"""


def make(
    place: Path, base: str, *, commits: int = 32, guilty: int = 21, unbuildable: int = 16, unbootable: int = 24
) -> str:
    """A bare repository at `place` whose branch "main" has `commits` on top of tree `base`; the guilty commit's sha1.

    The two broken commits are put right by the ones after them.
    """
    subprocess.run(("git", "init", "-q", "--bare", "-b", "main", str(place)), check=True)
    (place / "objects" / "info" / "alternates").write_text(f"{git.store()}/objects\n")
    parent, tree, found = _commit(place, base, None, "Linux, as it was"), base, ""
    for number in range(1, commits + 1):
        tree, subject = _next(tree, number, guilty, unbuildable, unbootable)
        parent = _commit(place, tree, parent, subject)
        found = parent if number == guilty else found
    subprocess.run(("git", "-C", str(place), "update-ref", "refs/heads/main", parent), check=True)
    subprocess.run(("git", "-C", str(place), "tag", "good", _first(place, parent)), check=True)
    return found


def _next(tree: str, number: int, guilty: int, unbuildable: int, unbootable: int) -> tuple[str, str]:
    if number == guilty:
        return git.with_patch(tree, EXAMPLES / "mprotect-general.patch"), "mm/mprotect: one way through present PTEs"
    if number - 1 in (unbuildable, unbootable):  # puts right what the commit before it broke
        path = _FILES[(number - 1) % len(_FILES)]
        text = str(git.read(tree, path)).replace(_ZERO if number - 1 == unbuildable else _PANIC, "0")
        return git.with_files(tree, {path: text}), f"{path[:-2]}: put right what {number - 1} broke"
    body = _ZERO if number == unbuildable else _PANIC if number == unbootable else "0"
    path = _FILES[number % len(_FILES)]
    text = str(git.read(tree, path)) + _NOTE.format(number=number, body=body)
    headers = "#include <linux/init.h>\n#include <linux/panic.h>\n"
    return git.with_files(tree, {path: text if headers in text else headers + text}), f"{path[:-2]}: note {number}"


def _commit(place: Path, tree: str, parent: str | None, subject: str) -> str:
    words = ("-c", "user.name=kassay", "-c", "user.email=kassay@localhost", "commit-tree", tree, "-m", subject)
    parents = ("-p", parent) if parent else ()
    env = {
        "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        ("git", "-C", str(place), *words, *parents), check=True, capture_output=True, text=True, env=env
    )
    return done.stdout.strip()


def _first(place: Path, commit: str) -> str:
    done = subprocess.run(("git", "-C", str(place), "rev-list", "--max-parents=0", commit), check=True,
                          capture_output=True, text=True)  # fmt: skip
    return done.stdout.strip()
