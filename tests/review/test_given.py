# SPDX-License-Identifier: GPL-2.0-only
"""A series as a user names it becomes a file of patches, or an error that says how to write it."""

import io
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kassay.errors import BadInput
from kassay.labs.review.given import range_in, series_of, uncommitted
from kassay.supply.building import git
from kassay.supply.building.patches import apply, read_patches
from tests.building._repository import run, series

pytestmark = pytest.mark.slow  # seconds for the whole file

_DIFF = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\xff\n"


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, tuple[str, ...]]:
    return series(tmp_path, monkeypatch)


def test_range_becomes_a_mailbox_on_its_base(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    run(repository, "config", "format.coverLetter", "true")
    for name, value in (("noprefix", "true"), ("mnemonicPrefix", "true"), ("srcPrefix", "x/"), ("context", "0")):
        run(repository, "config", f"diff.{name}", value)
    path, base, commits = series_of("HEAD~3..", repository, tmp_path / "into")
    first = run(repository, "rev-parse", "HEAD~3").strip()
    assert (path, base) == (tmp_path / "into" / "series.mbx", f"build:{repository}@{first}")
    assert apply(git.tree_of(repository, first), read_patches(path)) == trees[3]
    assert commits is not None
    assert commits.pinned == f"{first[:12]}..{run(repository, 'rev-parse', 'HEAD').strip()[:12]}"
    assert range_in(commits.pinned, repository)[2:] == commits[2:]


def test_changes_that_are_not_committed_are_told(linux: tuple[Path, tuple[str, ...]]) -> None:
    repository, _ = linux
    assert uncommitted(range_in("HEAD~1..", repository)) == ""
    (repository / "untracked").write_text("")
    assert uncommitted(range_in("HEAD~1..", repository)) == ""
    (repository / "mm/walk.c").write_text("changed\n")
    told = f"1 file of {repository} with uncommitted changes: the range does not have them"
    assert uncommitted(range_in("HEAD~1..", repository)) == told
    assert uncommitted(range_in("HEAD~2..HEAD~1", repository)) == ""


def test_range_starts_where_head_left_base(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, _ = linux
    run(repository, "checkout", "-q", "-b", "upstream", "HEAD~2")
    run(repository, "commit", "-q", "--allow-empty", "-m", "elsewhere")
    monkeypatch.chdir(repository / "mm")
    path, base, _ = series_of("upstream..main", None, tmp_path / "into")
    assert base == f"build:{repository}@{run(repository, 'rev-parse', 'main~2').strip()}"
    assert len(read_patches(path)) == 2


def test_path_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a..b").write_text("")
    assert series_of(str(tmp_path / "a..b"), None, tmp_path / "into") == (tmp_path / "a..b", "", None)
    assert not (tmp_path / "into").exists()


def test_standard_input_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(_DIFF)))
    path, base, commits = series_of("-", None, tmp_path / "into")
    assert (path.read_bytes(), base, commits) == (_DIFF, "", None)
    with pytest.raises(BadInput, match="standard input is empty"):
        series_of("-", None, tmp_path / "into")


def test_standard_input_without_a_patch_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"hello\n")))
    with pytest.raises(BadInput) as caught:
        series_of("-", None, tmp_path / "into")
    assert caught.value.what == "standard input: neither a mail nor a unified diff"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("HEAD..HEAD~1", "no commits in this range"),
        ("HEAD~1..nowhere", "no revision 'nowhere'"),
        ("HEAD~1...HEAD", "not a range of commits"),
        ("..HEAD", "not a range of commits"),
        ("alone..main", "no commit in common"),
        ("HEAD~3..merged", "is a merge"),
        ("20260402141628.3367596-1-a@example.org", "does not fetch mails"),
        ("<20260402141628.3367596-1-a@example.org>", "does not fetch mails"),
        ("https://lore.kernel.org/all/1@example.org/", "does not fetch mails"),
        ("missing.mbx", "no such file or directory"),
        ("../missing.mbx", "no such file or directory"),
        ("patches/../missing..mbx", "no such file or directory"),
    ],
)
def test_words_that_name_no_series(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path, text: str, problem: str
) -> None:
    repository, _ = linux
    run(repository, "checkout", "-q", "-b", "merged", "HEAD~2")
    run(repository, "commit", "-q", "--allow-empty", "-m", "side")
    run(repository, "merge", "-q", "-m", "merge", "main")
    run(repository, "checkout", "-q", "--orphan", "alone")
    run(repository, "commit", "-q", "--allow-empty", "-m", "alone")
    run(repository, "checkout", "-q", "main")
    with pytest.raises(BadInput, match=problem) as caught:
        series_of(text, repository, tmp_path / "into")
    if "fetch" in problem:
        assert f"b4 am -o - {shlex.quote(text)} > series.mbx" in caught.value.remedy


def test_range_outside_of_a_git_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(BadInput, match="not inside of a git tree"):
        series_of("a..b", tmp_path, tmp_path / "into")


def test_a_shallow_clone_is_named(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, _ = linux
    run(repository, "branch", "-f", "base", "HEAD~2")
    run(repository, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{repository}", str(tmp_path / "clone"))
    with pytest.raises(BadInput, match="no commit in common") as caught:
        range_in("origin/base..origin/main", tmp_path / "clone")
    assert "git fetch --unshallow" in caught.value.remedy


def test_a_commit_that_changes_no_file_is_no_patch(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    """`b4 prep` keeps the cover letter in such a commit, below the patches."""
    repository, trees = linux
    run(repository, "checkout", "-q", "-b", "b4/walk", "HEAD~2")
    run(repository, "commit", "-q", "--allow-empty", "-m", "EDITME: cover title")
    run(repository, "cherry-pick", "main~1", "main")
    given = series_of("main~2..b4/walk", repository, tmp_path / "into")
    patches = read_patches(given.patches)
    assert [patch.subject for patch in patches] == ["mm/walk: größere Schritte", "mm/walk: add nothing"]
    assert apply(git.tree_of(repository, "main~2"), patches) == trees[3]
    with pytest.raises(BadInput, match="no commit of this range changes a file"):
        series_of("main~2..b4/walk~2", repository, tmp_path / "into")
