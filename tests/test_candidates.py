# SPDX-License-Identifier: GPL-2.0-only
"""What a bisection searches: git ranges and lists. Ranges of the archive need its index: tests/boot/test_bisect.py."""

from pathlib import Path

import pytest

from kassay.candidates import between, listed
from kassay.errors import BadInput
from kassay.model.progress import silent
from tests.histories import commit, commits, git, line_of


def test_the_commits_of_a_line_come_oldest_first_with_their_options(tmp_path: Path) -> None:
    line = line_of(tmp_path / "t", 4)
    ends = (f"build:{tmp_path}/t@{line[0]},cc=clang-16", f"build:{tmp_path}/t@HEAD,cc=clang-16")
    found = between(*ends, "x86_64", "cloud", "version", silent)
    assert [one.name for one in found.candidates] == line
    assert [one.title for one in found.candidates] == [f"commit {n}" for n in range(5)]
    assert found.candidates[2].ref == f"build:{tmp_path}/t@{line[2]},cc=clang-16"
    assert found.candidates[2].author == "A Developer <a@example.org>"


def test_an_arch_prefix_stays_on_every_candidate(tmp_path: Path) -> None:
    line = line_of(tmp_path / "t", 2)
    ends = (f"arm64/build:{tmp_path}/t@{line[0]}", f"arm64/build:{tmp_path}/t@main")
    found = between(*ends, "x86_64", "cloud", "version", silent)
    assert all(one.ref.startswith("arm64/build:") for one in found.candidates)


def test_only_first_parents_are_candidates_and_a_merge_names_the_other(tmp_path: Path) -> None:
    line = line_of(tmp_path / "t", 2)
    git(tmp_path / "t", "checkout", "--quiet", "-b", "topic", line[1])
    topic = commit(tmp_path / "t", "topic", "topic")
    git(tmp_path / "t", "checkout", "--quiet", "main")
    git(tmp_path / "t", "merge", "--quiet", "--no-ff", "-m", "merge it", "topic")
    found = commits(tmp_path / "t", line[0], "main")
    assert [one.title for one in found.candidates] == ["commit 0", "commit 1", "commit 2", "merge it"]
    assert found.candidates[3].merged == topic


def test_where_the_good_one_is_no_ancestor_the_merge_base_stands_for_it(tmp_path: Path) -> None:
    line = line_of(tmp_path / "t", 3)
    git(tmp_path / "t", "checkout", "--quiet", "-b", "stable", line[1])
    stable = commit(tmp_path / "t", "a fix", "fix")
    found = commits(tmp_path / "t", stable, "main")
    assert found.candidates[0].name == line[1]
    assert "merge base" in found.notes[0]


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("build:{t}@HEAD", "build:{t}@HEAD~2", "not newer"),
        ("build:{t}@HEAD~2", "build:{t}@HEAD,cc=clang-16", "differ in more than the revision"),
        ("build:{t}", "build:{t}@HEAD", "no revision"),
        ("build:{t}@HEAD~2", "image:/x", "nothing is known to be between"),
        ("build:{t}@nowhere", "build:{t}@HEAD", "no revision 'nowhere'"),
        ("build:{t}/..@a", "build:{t}/..@b", "not a git repository"),
    ],
)
def test_ranges_that_are_none_are_refused(tmp_path: Path, good: str, bad: str, words: str) -> None:
    tree = tmp_path / "t"
    line_of(tree, 3)
    with pytest.raises(BadInput, match=words):
        between(good.format(t=tree), bad.format(t=tree), "x86_64", "cloud", "version", silent)


def test_a_list_keeps_its_order_and_has_every_kernel_once() -> None:
    assert [one.ref for one in listed(("image:/b", "image:/a")).candidates] == ["image:/b", "image:/a"]
    for refs in (("image:/a",), ("image:/a", "image:/b", "image:/a")):
        with pytest.raises(BadInput):
            listed(refs)
