# SPDX-License-Identifier: GPL-2.0-only
"""A real apt, and kassay on a host without apt, resolve and fetch packages of a signed archive in a directory."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import BadInput, HostLacks
from kassay.model.progress import silent
from kassay.supply.archive import apt as _apt
from kassay.supply.archive import index as _index
from kassay.supply.archive import packages as _packages
from kassay.supply.archive.mirrors import Mirrors
from kassay.supply.archive.packages import closure, fetched
from tests.archive.repository import Repository, repository

ARCH = "x86_64"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with repository(tmp_path_factory.mktemp("archive")) as made:
        made.add("tool", "1:2.0", "libtool (>= 1), data | nothing")
        made.add("libtool", "1.5", "base")
        made.add("base", "3")
        made.add("data", "1")
        made.add("broken", "1", "base (>= 9)")
        made.add("older", "1", provides="interface (= 1)")
        made.add("later", "2", provides="interface (= 2), unversioned")
        made.add("virtual", "1", "interface (>= 2), unversioned, missing (<< 4) | base (>> 2.9) | data")
        made.add("pinned", "1~rc1+b2", "later (= 2), absent | older (<= 1), data (<< 9)")
        made.add("circle", "1", "circle-data")
        made.add("circle-data", "1", "circle (>= 1)")
        made.add("unversioned-only", "1", "unversioned (>= 1)")
        made.suite("stable", "6.12.9")
        made.add("newer", "1")
        made.suite("testing", "6.12.9")
        yield made


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True, params=["apt", "without apt"])
def archive(
    signed: Repository, kept: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Repository:
    """apt's lists are read once for all of these tests. "copy:" copies as http does; "file:" would make links."""
    main = structs.replace(signed.mirrors.main, uri=f"copy:{signed.base}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    monkeypatch.setattr(_apt, "_SUITES", ("stable", "testing"))
    if request.param == "without apt":
        monkeypatch.setattr(_apt, "apt_helper", lambda: "")
    for module in (_index, _packages):
        monkeypatch.setattr(module, "host_mirrors", lambda: Mirrors(main=main, security=None))
    return signed


def test_a_closure_is_what_apt_installs_on_an_empty_system() -> None:
    found = closure(["tool"], ARCH, silent)
    assert [(p.name, p.version, p.suite) for p in found] == [
        ("base", "3", "stable"), ("data", "1", "stable"), ("libtool", "1.5", "stable"), ("tool", "1:2.0", "stable"),
    ]  # fmt: skip
    assert closure(["tool"], ARCH, silent, without=("dat*",)) == tuple(p for p in found if p.name != "data")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("virtual", ["base 3", "later 2", "virtual 1"]),
        ("pinned", ["data 1", "later 2", "older 1", "pinned 1~rc1+b2"]),
        ("circle", ["circle 1", "circle-data 1"]),
    ],
)
def test_versions_alternatives_and_provided_names_are_followed(name: str, found: list[str]) -> None:
    assert [f"{package.name} {package.version}" for package in closure([name], ARCH, silent)] == found


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tol", "package tol: stable has none for x86_64\n  did you mean tool?"),
        ("newer", "package newer: stable has none"),
        ("broken", "cannot be resolved in stable: broken : Depends: base (>= 9)"),
        ("unversioned-only", "cannot be resolved in stable: unversioned-only : Depends: unversioned (>= 1)"),
        ("Tool;x", "no name of a package"),
    ],
)
def test_a_package_that_cannot_be_had_is_refused_with_apt_s_reason(name: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        closure(["base", name], ARCH, silent)
    assert says in str(caught.value)


def test_files_are_fetched_once_checked_and_named_when_they_are_gone(
    archive: Repository, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = closure(["base", "data"], ARCH, silent)
    files = fetched(packages, ARCH, silent)
    aside = shutil.copytree(archive.base / "pool", tmp_path / "pool")
    try:
        for gone in (archive.base / "pool").glob("*.deb"):
            gone.unlink()
        assert fetched(packages, ARCH, silent) == files
        files[0].chmod(0o644)
        files[0].write_bytes(b"damaged")
        with pytest.raises(HostLacks, match=r"no longer has: base 3 \(stable\)\n") as caught:
            fetched(packages, ARCH, silent)
        assert "into " + str(files[0].parent) in caught.value.remedy
    finally:
        shutil.copytree(aside, archive.base / "pool", dirs_exist_ok=True)
    assert fetched(packages, ARCH, silent)[0].read_bytes() != b"damaged"
