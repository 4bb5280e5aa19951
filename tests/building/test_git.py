# SPDX-License-Identifier: GPL-2.0-only
"""The source store, with real git."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import BadInput, HostLacks
from kassay.model.build import parse_build
from kassay.model.progress import silent
from kassay.supply.building import git
from kassay.supply.building.source import source_tree

pytestmark = pytest.mark.slow  # seconds for the whole file


def files(place: Path, **texts: str) -> Path:
    place.mkdir(exist_ok=True)
    for name, text in texts.items():
        (place / name).write_text(text)
    return place


def repository(place: Path, **texts: str) -> Path:
    files(place, **texts)
    for argv in (("init", "-q"), ("add", "-A"), ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "one")):
        subprocess.run(("git", "-C", str(place), *argv), check=True)
    return place


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_same_files_are_the_same_tree_wherever_they_come_from(tmp_path: Path) -> None:
    plain, versioned = files(tmp_path / "plain", a="1\n", b="2\n"), repository(tmp_path / "git", a="1\n", b="2\n")
    tree = git.tree_of_files(plain, silent, subject="plain")
    assert git.tree_of_files(versioned, silent, subject="git") == tree
    assert git.tree_of(versioned, git.resolve(versioned, "HEAD")) == tree
    assert git.has_tree(tree)


def test_an_edit_that_nobody_committed_is_another_tree_and_the_users_index_stays(tmp_path: Path) -> None:
    place = repository(tmp_path / "git", a="1\n")
    before = git.tree_of_files(place, silent, subject="git")
    (place / "a").write_text("2\n")
    after = git.tree_of_files(place, silent, subject="git")
    assert git.changed(before, after) == ("a",)
    status = subprocess.run(("git", "-C", str(place), "status", "--porcelain"), check=True, capture_output=True)
    assert status.stdout == b" M a\n"
    assert not list((place / ".git" / "objects").glob(f"{after[:2]}/{after[2:]}"))


def test_a_link_out_of_the_sources_is_refused(tmp_path: Path) -> None:
    place = files(tmp_path / "git", Makefile="VERSION = 7\nPATCHLEVEL = 3\n", a="1\n")
    for name, target in (("within", "../a"), ("loop", "loop"), ("mine.c", "../../mine.c")):
        files(place / "mm")
        (place / "mm" / name).symlink_to(target)
    (place / "out").symlink_to(tmp_path)  # of a build: no source
    build = parse_build(str(place))
    with pytest.raises(BadInput, match=r"mm/mine.c is a link to ../../mine.c, outside of the sources"):
        source_tree(build, silent)
    (place / "mm" / "mine.c").unlink()
    source_tree(build, silent)
    (place / "mm" / "mine").symlink_to(tmp_path)
    with pytest.raises(BadInput, match=r"mm/mine is a link"):
        source_tree(build, silent)


def test_a_users_attributes_and_options_of_diffs_play_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config" / "git").mkdir(parents=True)
    (tmp_path / "config" / "git" / "attributes").write_text("*.c text -diff\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=5")
    lines = [f"int v{number};\r\n" for number in range(9)]
    place = files(tmp_path / "plain", **{"a.c": "".join(lines)})
    before = git.tree_of_files(place, silent, subject="plain")
    assert git.read(before, "a.c") == "".join(lines)
    files(place, **{"a.c": "".join(("new\r\n", *lines[1:]))})
    after = git.tree_of_files(place, silent, subject="plain")
    difference = git.git(("diff-tree", "-r", "-p", "-U0", before, after))
    assert difference.count("\n+") == 2 and "\n@@ -1 +1 @@\n" in difference


def test_a_name_of_a_tag_and_of_another_branch_is_refused(tmp_path: Path) -> None:
    place = repository(tmp_path / "git", a="1\n")
    tagged = git.resolve(place, "HEAD")
    for words in (("tag", "-am", "x", "v1"), ("checkout", "-q", "-b", "v1"), ("tag", "v2")):
        subprocess.run(("git", "-C", str(place), "-c", "user.name=x", "-c", "user.email=x@y", *words), check=True)
    assert git.resolve(place, "v1") == tagged
    second = ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "two")
    subprocess.run(("git", "-C", str(place), *second), check=True)
    with pytest.raises(BadInput, match=r"'v1' is a tag and a branch, which differ\n  write tags/v1 or heads/v1"):
        git.resolve(place, "v1~0")
    assert git.resolve(place, "tags/v1") == git.resolve(place, "v2") == tagged != git.resolve(place, "heads/v1")


def test_a_tag_is_no_branch_whose_name_goes_on(tmp_path: Path) -> None:
    place = repository(tmp_path / "git", a="1\n")
    tagged = git.resolve(place, "HEAD")
    commit = ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "two")
    for words in (("tag", "topic"), commit, ("branch", "topic/one"), commit, ("branch", "topic/two")):
        subprocess.run(("git", "-C", str(place), *words), check=True)
    assert git.resolve(place, "topic") == tagged


def test_files_that_a_release_ignores_itself_belong_to_it(tmp_path: Path) -> None:
    place = files(tmp_path / "plain", **{".gitignore": "made.c\n", "made.c": "x\n"})
    tree = git.tree_of_files(place, silent, subject="plain")
    assert git.read(tree, "made.c") == "x\n"


def test_a_revision_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no revision 'v9'"):
        git.resolve(repository(tmp_path / "git", a="1\n"), "v9")
    with pytest.raises(BadInput, match="no revision 'HEAD'"):
        git.resolve(files(tmp_path / "plain", a="1\n"), "HEAD")


def test_a_patch_makes_a_tree_or_leaves_nothing(tmp_path: Path) -> None:
    tree = git.tree_of_files(files(tmp_path / "plain", a="1\n", b="2\n"), silent, subject="x")
    diff = tmp_path / "diff"
    diff.write_text("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n")
    made = git.with_patch(tree, diff)
    assert (git.read(made, "a"), git.read(made, "b")) == ("one\n", "2\n")
    with pytest.raises(git.GitFailed, match=r"patch failed: a:1"):
        git.with_patch(made, diff)


def test_text_can_be_replaced_and_its_mode_stays(tmp_path: Path) -> None:
    place = files(tmp_path / "plain", a="1\n")
    (place / "a").chmod(0o755)
    tree = git.tree_of_files(place, silent, subject="x")
    made = git.with_files(tree, {"a": "2\n"})
    assert git.read(made, "a") == "2\n"
    assert git.git(("ls-tree", made)).startswith("100755")
    assert git.with_files(made, {"a": "1\n"}) == tree


def test_repository_that_was_deleted_is_forgotten(tmp_path: Path) -> None:
    gone, stays = (repository(tmp_path / name, a=f"{name}\n") for name in ("gone", "stays"))
    for place in (gone, stays):
        git.link(place)
    shutil.rmtree(gone)
    with pytest.raises(git.GitFailed) as caught:
        git.git(("cat-file", "blob", f"{'0' * 40}:nowhere"))
    assert "alternate" not in caught.value.what
    listed = (git.store() / "objects" / "info" / "alternates").read_text().splitlines()
    assert listed == [f"{stays}/.git/objects"]


def test_sources_named_by_their_tree_are_read_again_after_their_repository_was_away(tmp_path: Path) -> None:
    makefile = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nEXTRAVERSION =\n"
    here, other = repository(tmp_path / "here", Makefile=makefile, a="1\n"), repository(tmp_path / "other", a="2\n")
    patch = tmp_path / "a.patch"
    patch.write_text("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n")
    build = parse_build(f"{here}@HEAD+{patch}")
    tree, _ = source_tree(build, silent)
    here.rename(tmp_path / "away")
    git.link(other)
    (tmp_path / "away").rename(here)
    again, _ = source_tree(structs.replace(build, pin=tree), silent)
    assert git.read(again, "Makefile") == makefile


def test_tree_has_tracked_files_that_are_ignored_and_no_excluded_files(
    tmp_path: Path,
) -> None:
    place = files(tmp_path / "git", **{".gitignore": "*.o\n", "firmware.o": "x\n"})
    for argv in (("init", "-q"), ("add", "-f", "-A"), ("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm1")):
        subprocess.run(("git", "-C", str(place), *argv), check=True)
    committed = git.tree_of(place, git.resolve(place, "HEAD"))
    (place / "notes").write_text("mine\n")
    (place / ".git" / "info" / "exclude").write_text("notes\n")
    (place / "made.o").write_text("y\n")
    assert git.tree_of_files(place, silent, subject="git") == committed
    (place / "firmware.o").write_text("z\n")
    assert git.changed(committed, git.tree_of_files(place, silent, subject="git")) == ("firmware.o",)
    (place / "firmware.o").unlink()
    assert git.read(git.tree_of_files(place, silent, subject="git"), "firmware.o") is None


def test_commands_that_begin_at_once_share_one_store(tmp_path: Path) -> None:
    def ask(_: int) -> str:
        return git.git(("count-objects",))

    for number in range(5):
        with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(4) as pool:
            patch.setenv("XDG_CACHE_HOME", str(tmp_path / f"cache-{number}"))
            assert len(list(pool.map(ask, range(4)))) == 4


def test_a_store_whose_making_was_killed_is_made_whole(tmp_path: Path) -> None:
    place = tmp_path / "cache" / "kassay" / "sources" / "git"
    place.mkdir(parents=True)
    (place / "HEAD").write_text("ref: refs/heads/main\n")
    tree = git.tree_of_files(files(tmp_path / "plain", a="1\n"), silent, subject="x")
    assert git.read(tree, "a") == "1\n"


def test_what_git_cannot_do_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    place = files(tmp_path / "worktree", a="1\n")
    (place / ".git").write_text(f"gitdir: {tmp_path}/gone\n")
    with pytest.raises(HostLacks, match="not a git repository") as caught:
        git.tree_of_files(place, silent, subject="x")
    assert caught.value.remedy
