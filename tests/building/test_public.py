# SPDX-License-Identifier: GPL-2.0-only
"""Which public sources a user's tree comes from, and how they are fetched by their hash."""

import re
from pathlib import Path

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.model.build import BuildRef, PublicSource
from kassay.model.progress import silent
from kassay.supply.building import git, public
from kassay.supply.building.public import fetch_public, public_source
from tests.building._repository import run, series

pytestmark = pytest.mark.slow  # seconds for the whole file

ADDRESS = "https://git.kernel.org/pub/scm/linux.git"


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, tuple[str, ...]]:
    """base, three patches on it; base and the first patch were fetched from a public remote."""
    repository, trees = series(tmp_path, monkeypatch)
    run(repository, "remote", "add", "origin", ADDRESS)
    run(repository, "update-ref", "refs/remotes/origin/master", "HEAD~2")
    return repository, trees


def found(repository: Path, revision: str = "") -> PublicSource:
    return public_source(BuildRef(tree=str(repository), revision=revision), "", silent)


def test_the_newest_fetched_commit_is_the_public_source(linux: tuple[Path, tuple[str, ...]]) -> None:
    repository, trees = linux
    fetched = run(repository, "rev-parse", "HEAD~2").strip()
    for revision in ("", "HEAD~1", "HEAD~2"):
        assert found(repository, revision) == PublicSource(name=ADDRESS, version=fetched, tree=trees[1])
    assert found(repository, "HEAD~3").tree == trees[0]


def test_the_remote_that_has_most_of_a_tree_is_named(linux: tuple[Path, tuple[str, ...]]) -> None:
    repository, trees = linux
    run(repository, "remote", "add", "mm", "git://git.kernel.org/mm.git")
    run(repository, "update-ref", "refs/remotes/mm/unstable", "HEAD~1")
    assert (found(repository).name, found(repository).tree) == ("git://git.kernel.org/mm.git", trees[2])


@pytest.mark.parametrize(
    ("tag", "public"), [("v6.17", True), ("v6.17.3-rc1", True), ("v6.17-mine", False), ("v2-of-my-series", False)]
)
def test_only_the_tag_of_a_release_is_public(linux: tuple[Path, tuple[str, ...]], tag: str, *, public: bool) -> None:
    repository, trees = linux
    run(repository, "tag", tag, "HEAD")
    assert found(repository).tree == trees[3 if public else 1]


def test_only_the_remote_s_own_tags_are_public_where_they_are_known(linux: tuple[Path, tuple[str, ...]]) -> None:
    repository, trees = linux
    run(repository, "tag", "v6.17", "HEAD")
    run(repository, "update-ref", "refs/remotes/origin/tags/v6.16", "HEAD~1")
    assert found(repository).tree == trees[2]


@pytest.mark.parametrize(
    "address", ["me@host:linux.git", "ssh://host/linux", "/srv/linux", "file:///srv/linux", "https://me:secret@host/x"]
)
def test_an_address_of_one_user_is_not_public(linux: tuple[Path, tuple[str, ...]], address: str) -> None:
    repository, _ = linux
    run(repository, "remote", "set-url", "origin", address)
    with pytest.raises(BadInput, match="no commit of it is known to be in a public repository") as caught:
        found(repository)
    assert "secret" not in str(caught.value)


def test_a_directory_has_no_public_sources(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no git tree, so it is not known"):
        found(tmp_path)


def test_sources_come_from_the_address_into_an_empty_cache(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, trees = linux
    monkeypatch.setattr(public, "_PUBLIC", re.compile("/.*"))
    run(repository, "remote", "set-url", "origin", str(repository))
    source = found(repository)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    assert not git.has_tree(source.tree)
    fetch_public(source, None, silent)
    assert git.has_tree(trees[1]) and not git.has_tree(trees[3])


def test_given_sources_count_by_their_hash(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, trees = linux
    source = PublicSource(
        name="debian-source:7.3.4", version="linux-source-7.3 7.3.4-1", tree=trees[0], sha256="a" * 64
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    with pytest.raises(HostLacks) as caught:
        fetch_public(source, tmp_path / "linux" / "mm", silent)
    assert "other files" in caught.value.what and f"sha256 {'a' * 64}; git tree {trees[0][:12]}" in caught.value.what
    fetch_public(source, repository, silent)  # an older commit of the repository has them
    assert git.has_tree(trees[0])
    run(repository, "checkout", "-q", "HEAD~3")
    (tmp_path / "plain" / "mm").mkdir(parents=True)
    (tmp_path / "plain" / "mm" / "walk.c").write_text((repository / "mm" / "walk.c").read_text())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty too"))
    fetch_public(source, tmp_path / "plain", silent)
    assert git.has_tree(trees[0])


def test_an_archive_without_the_sources_says_what_was_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def gone(exact: str, tell: object, sha256: str) -> tuple[str, str]:
        raise HostLacks("the mirror does not give it", "x")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(public, "release", gone)
    source = PublicSource(
        name="debian-source:7.3.4", version="linux-source-7.3 7.3.4-1", tree="a" * 40, sha256="b" * 64
    )
    with pytest.raises(HostLacks) as caught:
        fetch_public(source, None, silent)
    for words in ("the mirror does not give it", "linux-source-7.3 7.3.4-1", "b" * 64):
        assert words in caught.value.what
    assert "--source DIR" in caught.value.remedy


def test_the_recorded_file_of_a_release_is_the_public_source(monkeypatch: pytest.MonkeyPatch) -> None:
    provenance = f"7.3.4: linux-source-7.3 7.3.4-1; sha256 {'b' * 64}"
    asked: list[tuple[str, str]] = []

    def release(exact: str, tell: object, sha256: str) -> tuple[str, str]:
        asked.append((exact, sha256))
        return "a" * 40, provenance

    monkeypatch.setattr(public, "release", release)
    source = public_source(BuildRef(tree="debian-source:7.3"), provenance, silent)
    assert source == PublicSource(
        name="debian-source:7.3.4", version="linux-source-7.3 7.3.4-1", tree="a" * 40, sha256="b" * 64
    )
    monkeypatch.setattr(public, "exact_version", lambda version, tell: "7.3.5")
    public_source(BuildRef(tree="debian-source:7.3"), "", silent)
    assert asked == [("7.3.4", "b" * 64), ("7.3.5", "")]


@pytest.mark.parametrize(("address", "commit"), [("ext::sh -c touch% x", "a" * 40), (ADDRESS, "--upload-pack=x")])
def test_an_address_that_executes_something_is_not_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, commit: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(HostLacks, match="neither a release of the archive nor a commit of a public repository"):
        fetch_public(PublicSource(name=address, version=commit, tree="a" * 40), None, silent)
