# SPDX-License-Identifier: GPL-2.0-only
"""A small git history with a series of patches, as a contributor would have it."""

import os
import subprocess
from pathlib import Path

import pytest

from kassay.model.progress import silent
from kassay.supply.building import git

BASE = """// SPDX-License-Identifier: GPL-2.0-only
static int batch(int n)
{
	int i;

	for (i = 0; i < n; i++)
		touch(i);
	return n;
}

static int small(int n)
{
	return n;
}

static int middle(int n)
{
	int left = n;

	while (left)
		left--;
	return left;
}

int walk(int n)
{
	if (n == 1)
		return small(n);
	return batch(n);
}
"""
FIRST = BASE.replace("if (n == 1)", "if (likely(n == 1))")
SECOND = FIRST.replace("static int batch", "static __always_inline int batch").replace(
    "while (left)", "while (left > 0)"
)
THIRD = SECOND.replace("\treturn batch(n);", "\treturn batch(n + 0);")


def run(repository: Path, *arguments: str, words: str = "") -> str:
    """A git command of the contributor. words: its standard input."""
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "Änne Autor", "GIT_AUTHOR_EMAIL": "a@example.org",
           "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.org"}  # fmt: skip
    done = subprocess.run(
        ("git", *arguments), cwd=repository, env={**os.environ, **env}, check=True, capture_output=True,
        input=words.encode(),
    )  # fmt: skip
    return done.stdout.decode()


def commit(repository: Path, text: str, subject: str) -> str:
    """Writes mm/walk.c and commits it; the commit's tree."""
    (repository / "mm").mkdir(exist_ok=True)
    (repository / "mm" / "walk.c").write_text(text)
    run(repository, "add", "-A")
    run(repository, "commit", "-q", "-m", subject)
    return run(repository, "rev-parse", "HEAD^{tree}").strip()


def series(place: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, tuple[str, ...]]:
    """A repository with base and three patches on it, and the tree of each of the four; the store is `place`'s own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(place / "cache"))
    repository = place / "linux"
    repository.mkdir()
    run(repository, "init", "-q", "-b", "main")
    texts = (BASE, FIRST, SECOND, THIRD)
    subjects = ("base", "mm/walk: expect small ones", "mm/walk: größere Schritte", "mm/walk: add nothing")
    told = ""
    for text, subject in zip(texts, subjects, strict=True):
        who = "Änne Autor <a@example.org> 1700000000 +0000"
        told += f"commit refs/heads/main\nauthor {who}\ncommitter {who}\ndata <<.\n{subject}\n.\n"
        told += f"M 644 inline mm/walk.c\ndata <<.\n{text}.\n"
    run(repository, "fast-import", "--quiet", words=told)
    run(repository, "reset", "-q", "--hard")
    return repository, tuple(run(repository, "log", "--reverse", "--format=%T").split())


def tree_of(place: Path, files: dict[str, str]) -> str:
    """Writes files into a directory; returns its tree in the store."""
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    return git.tree_of_files(place, silent, subject="x")
