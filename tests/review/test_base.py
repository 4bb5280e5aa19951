# SPDX-License-Identifier: GPL-2.0-only
"""The base of a series: found in a real git repository, in the order in which people tell it."""

import subprocess
from pathlib import Path

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.labs.review import base as base_module
from kassay.labs.review.base import FoundBase, find_base
from kassay.labs.review.series import series_of
from kassay.model.progress import silent

pytestmark = pytest.mark.slow  # dozens of calls of git
MAKEFILE = "VERSION = 7\nPATCHLEVEL = 0\nSUBLEVEL = 0\nEXTRAVERSION =\n"
MAINTAINERS = """MEMORY MANAGEMENT
M:	A. Maintainer <m@example.org>
T:	git git://example.org/mm.git mm-unstable
F:	mm/
F:	include/linux/mm*.h

OTHERS
T:	git git://example.org/net.git
F:	net/
"""


def git(tree: Path, *words: str) -> str:
    named = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(("git", "-C", str(tree), *named, *words), capture_output=True, text=True, check=True).stdout


def write(tree: Path, text: str, message: str) -> str:
    (tree / "mm" / "x.c").write_text(text)
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", message)
    return git(tree, "rev-parse", "HEAD").strip()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """v7.0, v7.1-rc1 and v7.1, each with another mm/x.c, and a branch with one patch on v7.1-rc1."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(base_module, "listed_sources", _no_archive)
    tree = tmp_path / "linux"
    (tree / "mm").mkdir(parents=True)
    git(tree, "init", "-q", "-b", "main")
    (tree / "Makefile").write_text(MAKEFILE)
    (tree / "MAINTAINERS").write_text(MAINTAINERS)
    for tag, text in (("v7.0", "zero\n"), ("v7.1-rc1", "one\n"), ("v7.1", "two\n")):
        write(tree, text, tag)
        git(tree, "tag", tag)
    git(tree, "checkout", "-q", "-b", "work", "v7.1-rc1")
    write(tree, "one\nmore\n", "mm: more")
    git(tree, "checkout", "-q", "main")
    return tree


def _no_archive(tell: object) -> object:
    raise HostLacks("no archive")


def mbox(tree: Path, *options: str) -> Path:
    path = tree.parent / "series.mbx"
    path.write_text(git(tree, "format-patch", "--stdout", *options, "v7.1-rc1..work"))
    return path


def found(series: Path, tree: Path | None, base: str = "", options: str = "") -> FoundBase:
    return find_base(series, base=base, tree=tree, arch="x86_64", options=options, tell=silent)


def tries(answer: FoundBase) -> list[tuple[str, str, str]]:
    return [(one.how, one.what, one.outcome) for one in answer.tries]


def test_the_base_commit_of_the_mails_comes_first(tree: Path) -> None:
    commit = git(tree, "rev-parse", "v7.1-rc1").strip()
    answer = found(mbox(tree, "--base=v7.1-rc1"), tree)
    assert tries(answer) == [("base-commit", commit, "applies")]
    assert answer.ref == f"build:{tree}@{commit}"


def test_a_base_commit_that_the_tree_lacks_is_tried_and_reported(tree: Path) -> None:
    series = mbox(tree)
    series.write_text(series.read_text() + f"\nbase-commit: {'a' * 40}\nprerequisite-patch-id: {'b' * 40}\n")
    answer = found(series, tree)
    assert tries(answer)[:2] == [
        ("base-commit", "a" * 40, "absent"), ("prerequisites", "1 prerequisite-patch-id", "absent"),
    ]  # fmt: skip
    assert tries(answer)[-1] == ("tag", "v7.1-rc1", "applies")


def test_the_newest_tag_that_it_applies_to_is_taken_and_a_release_is_newer_than_its_candidates(tree: Path) -> None:
    answer = found(mbox(tree), tree)
    assert tries(answer) == [
        ("maintainers", "git://example.org/mm.git mm-unstable", "absent"), ("tag", "v7.1", "does-not-apply"),
        ("tag", "v7.1-rc1", "applies"),
    ]  # fmt: skip
    assert "mm/x.c" in answer.tries[1].detail


def test_the_tree_in_the_subject_is_a_branch_of_a_remote(tree: Path) -> None:
    git(tree, "update-ref", "refs/remotes/akpm/mm-unstable", "v7.1-rc1")
    git(tree, "remote", "add", "akpm", "https://example.org/other.git")
    answer = found(mbox(tree, "--subject-prefix=PATCH mm-unstable v2"), tree)
    assert tries(answer) == [("tree-tag", "akpm/mm-unstable", "applies")]


def test_the_tree_of_maintainers_is_a_remote_with_its_address(tree: Path) -> None:
    git(tree, "update-ref", "refs/remotes/mm/mm-unstable", "v7.1-rc1")
    git(tree, "remote", "add", "mm", "https://example.org/mm.git/")
    assert tries(found(mbox(tree), tree)) == [("maintainers", "mm/mm-unstable", "applies")]


def test_a_base_that_is_given_is_the_only_one(tree: Path) -> None:
    answer = found(mbox(tree), tree, f"build:{tree}@v7.1-rc1", "cc=gcc-13,config=distro")
    assert tries(answer) == [("given", f"build:{tree}@v7.1-rc1", "applies")]
    assert answer.ref == f"build:{tree}@v7.1-rc1,cc=gcc-13,config=distro"
    with pytest.raises(BadInput, match=r"given build:.*: does not apply: patch 1"):
        found(mbox(tree), tree, f"build:{tree}@v7.1")
    with pytest.raises(BadInput, match="not sources"):
        found(mbox(tree), tree, "debian:6.17")


def test_every_try_is_named_when_none_fits(tree: Path) -> None:
    series = mbox(tree)
    series.write_text(series.read_text().replace(" one", " eleven"))
    with pytest.raises(BadInput) as error:
        found(series, tree)
    for part in ("tag v7.1: does not apply", "tag v7.0: does not apply", "head HEAD", "archive sources: absent"):
        assert part in error.value.what
    assert "--base build:TREE@REV" in error.value.remedy


def test_without_a_tree_the_archive_is_left(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.parent)
    with pytest.raises(BadInput, match="archive sources: absent: no archive"):
        found(mbox(tree), None)
    with pytest.raises(BadInput, match=r"--tree .*: not a git tree"):
        found(mbox(tree), tree.parent)


def test_the_tree_of_the_current_directory_is_used(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    assert found(mbox(tree), None).ref.startswith(f"build:{tree}@")


def test_a_range_is_its_patches_and_the_commit_that_both_ends_have(tree: Path, tmp_path: Path) -> None:
    patches, ref = series_of("main..work", tree, tmp_path / "kept")
    assert ref == f"build:{tree}@{git(tree, 'rev-parse', 'v7.1-rc1').strip()}"
    assert [path.name for path in patches.iterdir()] == ["0001-mm-more.patch"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("v7.1..v7.1", "no commit lies in this range"),
        ("v7.1..nowhere", "no revision 'nowhere'"),
        ("20260522@example.org", "kassay fetches no mails"),
        ("https://lore.kernel.org/x", "kassay fetches no mails"),
        ("no-such-file.mbx", "no such file"),
    ],
)
def test_what_is_no_series_is_refused(tree: Path, tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(BadInput, match=part):
        series_of(text, tree, tmp_path / "kept")


def test_a_range_with_a_merge_is_refused(tree: Path, tmp_path: Path) -> None:
    git(tree, "merge", "-q", "-s", "ours", "-m", "merge", "work")
    with pytest.raises(BadInput, match="has merges"):
        series_of("v7.0..main", tree, tmp_path / "kept")
