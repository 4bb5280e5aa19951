# SPDX-License-Identifier: GPL-2.0-only
"""Candidates of a bisection: git ranges and lists.

Ranges of the archive need its index: tests/boot/test_bisect.py.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest

from kassay.errors import BadInput, NotBuilt
from kassay.model.bisect import Step
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell, silent
from kassay.supply import kernels as kernel_store
from kassay.tools.search.candidates import between, introduced, listed, with_same_files
from tests.analysis.plans import plan_of
from tests.histories import commit, commits, git, line_of

pytestmark = pytest.mark.slow  # seconds for the whole file


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


def test_signatures_that_git_log_shows_are_no_candidates(tmp_path: Path) -> None:
    line = line_of(tmp_path / "t", 1)
    git(tmp_path / "t", "config", "log.showSignature", "true")
    signed = git(tmp_path / "t", "cat-file", "commit", "HEAD").split("\n\n", 1)
    text = f"{signed[0]}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\n{signed[1]}\n"
    (tmp_path / "commit").write_text(text)
    sha = git(tmp_path / "t", "hash-object", "-t", "commit", "-w", str(tmp_path / "commit"))
    assert [one.name for one in commits(tmp_path / "t", line[0], sha).candidates] == [line[0], sha]


def test_merge_base_replaces_a_good_commit_that_is_no_ancestor(tmp_path: Path) -> None:
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
        ("build:{t}@HEAD", "build:{t}@HEAD~0", "are one commit"),
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


@pytest.mark.parametrize("subject", ["carriage\rreturn", "a \u2028 separator", "form\x0cfeed"])
def test_a_subject_may_hold_what_ends_a_line_elsewhere(subject: str, tmp_path: Path) -> None:
    line = line_of(tmp_path / "t", 1)
    commit(tmp_path / "t", subject)
    found = commits(tmp_path / "t", line[0], "main")
    assert [one.title for one in found.candidates][:2] == ["commit 0", "commit 1"] and len(found.candidates) == 3


def test_merged_good_commit_is_replaced_by_its_fork_point(tmp_path: Path) -> None:
    """The first commit behind it on the line has another parent: it must not be held against it."""
    line = line_of(tmp_path / "t", 2)
    git(tmp_path / "t", "checkout", "--quiet", "-b", "topic", line[1])
    topic = commit(tmp_path / "t", "topic", "topic")
    git(tmp_path / "t", "checkout", "--quiet", "main")
    git(tmp_path / "t", "merge", "--quiet", "--no-ff", "-m", "merge it", "topic")
    commit(tmp_path / "t", "after")
    found = commits(tmp_path / "t", topic, "main")
    assert [one.title for one in found.candidates] == ["commit 1", "commit 2", "merge it", "after"]
    assert "came in by a merge" in found.notes[0]


def test_a_bad_end_without_a_revision_is_said_to_be_the_last_commit(tmp_path: Path) -> None:
    line = line_of(tmp_path / "t", 2)
    tree = f"build:{tmp_path}/t"
    (found,) = between(f"{tree}@{line[0]}", tree, "x86_64", "cloud", "version", silent).notes
    assert "without what is not committed" in found


def test_releases_are_named_so_that_a_later_update_is_not_taken_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {
        "6.12.9-1": "6.12.9",
        "6.17-1": "6.17",
        "6.17.8-1": "6.17.8",
        "7.3~rc7-1": "7.3~rc7",
        "7.3.4-1": "7.3.4",
    }
    known = [SimpleNamespace(version=version, upstream=upstream) for version, upstream in versions.items()]
    monkeypatch.setattr(kernel_store, "versions", lambda *_: known)
    found = between("debian:6.12", "debian:7.3.4-1", "x86_64", "cloud", "version", silent)
    refs = [one.ref for one in found.candidates]
    assert refs == ["debian:6.12.9", "debian:6.17-1", "debian:6.17.8", "debian:7.3-rc7", "debian:7.3.4-1"]


def test_two_packages_of_one_version_have_their_own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [SimpleNamespace(version=f"6.12.90-{revision}", upstream="6.12.90") for revision in (1, 2)]
    monkeypatch.setattr(kernel_store, "versions", lambda *_: known)
    found = between("debian:6.12.90-1", "debian:6.12.90", "x86_64", "cloud", "version", silent).candidates
    assert [(one.name, one.ref) for one in found] == [(one.version, f"debian:{one.version}") for one in known]
    assert introduced("releases", found, Step(last_without=0, first=1, before=1.0, after=2.0, change=1.0)) == ""


def test_a_fragment_on_the_command_line_is_no_file(tmp_path: Path) -> None:
    long = f'config=lab+CONFIG_CMDLINE="{"a" * 300}"'
    refs = [f"build:{tmp_path}/{name},{long}" for name in ("a", "b")]
    assert listed(refs).text == f"{refs[0]}..{refs[1]}"


def test_a_file_that_is_edited_while_a_search_runs_ends_it(tmp_path: Path) -> None:
    config, patches = tmp_path / "my.config", tmp_path / "patches"
    patches.mkdir()
    for file in (config, patches / "0001.patch"):
        file.write_text("CONFIG_A=y\n")
    made: list[Path] = []

    def measured(experiment: Experiment, directory: Path, tell: Tell) -> None:
        made.append(directory)
        if directory.name == "edited":
            config.write_text("CONFIG_A=n\n")

    refs = [f"build:/linux@{revision}+{patches},config=lab+{config}" for revision in ("a", "b")]
    run = with_same_files(measured, ["debian:6.12", *refs])
    run(plan_of(1).experiment, tmp_path / "first", silent)
    with pytest.raises(BadInput, match=r"patches, my.config \(sha256 \w+\): changed while the search ran") as caught:
        run(plan_of(1).experiment, tmp_path / "edited", silent)
    assert f"remove {tmp_path / 'edited'}" in caught.value.remedy
    with pytest.raises(BadInput, match="changed while the search ran"):
        run(plan_of(1).experiment, tmp_path / "next", silent)
    config.write_text("CONFIG_A=y\n")
    run(plan_of(1).experiment, tmp_path / "next", silent)
    (patches / "0001.patch").unlink()
    with pytest.raises(BadInput, match="changed while the search ran"):
        run(plan_of(1).experiment, tmp_path / "last", silent)
    assert [path.name for path in made] == ["first", "edited", "next"]


def test_a_kernel_is_not_skipped_for_a_patch_that_was_edited(tmp_path: Path) -> None:
    """The log would keep it as one that cannot be built."""
    patch = tmp_path / "0001.patch"
    patch.write_text("a\n")
    is_edited = False

    def built(*_: object) -> None:
        patch.write_text("b\n" if is_edited else "a\n")
        raise NotBuilt("0001.patch: does not apply")

    run = with_same_files(built, [f"build:/linux@{revision}+{patch}" for revision in ("a", "b")])
    with pytest.raises(NotBuilt):
        run(plan_of(1).experiment, tmp_path / "first", silent)
    is_edited = True
    with pytest.raises(BadInput, match="changed while the search ran"):
        run(plan_of(1).experiment, tmp_path / "next", silent)


@pytest.mark.parametrize(
    ("name", "is_part"),
    [(".0001.patch.swp", False), ("0001.patch~", False), ("0002.patch", True), ("listed/0001.patch", True)],
)
def test_only_files_that_a_build_reads_are_part_of_a_range(tmp_path: Path, name: str, is_part: bool) -> None:
    """An editor writes others beside them."""
    patch = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    (tmp_path / "0001.patch").write_text(patch)
    (tmp_path / "listed").mkdir()
    if "/" in name:
        (tmp_path / "listed" / "0001.patch").write_text(patch)
        (tmp_path / "series").write_text(f"{name}\n")
    refs = [f"build:/linux@{revision}+{tmp_path}" for revision in ("a", "b")]
    before = listed(refs).text
    (tmp_path / name).write_text(patch.replace("+b", "+c"))
    assert (listed(refs).text != before) == is_part
