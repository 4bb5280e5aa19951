# SPDX-License-Identifier: GPL-2.0-only
"""Kernel sources of the archive: which versions, which file, in what order."""

from pathlib import Path

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.model.progress import silent
from kassay.supply.archive.sources_list import SourceFile, SourceList, SourceVersion
from kassay.supply.building import debian_source as archive


def _version(version: str, *files: tuple[str, str | None]) -> SourceVersion:
    return SourceVersion(version=version, files=tuple(SourceFile(uri=u, sha256=s, provenance=u) for u, s in files))


LISTED = (
    _version("6.16.12-1~bpo13+1", ("p/linux-source-6.16_6.16.12.deb", None), ("p/linux_6.16.12.orig.tar.xz", "a" * 64)),
    _version("7.3.3-1", ("p/linux-source-7.3_7.3.3-1_all.deb", "c" * 64), ("q/linux-source-7.3_7.3.3-1_all.deb", None)),
    _version("7.3.4-1", ("p/linux_7.3.4.orig.tar.xz", "b" * 64)),
)


@pytest.fixture(autouse=True)
def _listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(archive, "listed_sources", lambda tell: SourceList(made="", versions=LISTED))


def test_a_series_is_its_newest_release() -> None:
    assert archive.exact_version("7.3", silent) == "7.3.4"
    assert archive.exact_version("7.3.3", silent) == "7.3.3"


def test_an_unknown_version_lists_those_there_are() -> None:
    with pytest.raises(BadInput) as caught:
        archive.exact_version("7.3.9", silent)
    assert "7.3.3, 7.3.4" in caught.value.remedy
    assert caught.value.what == "kernel 'debian-source:7.3.9': the archive has no kernel sources of this version"


def test_signed_sources_come_before_unsigned_ones() -> None:
    assert [file.sha256 is None for file in archive._files("6.16.12", silent)] == [False, True]


def test_a_package_that_a_list_has_is_not_fetched_without_its_hash() -> None:
    assert [file.uri for file in archive._files("7.3.3", silent)] == ["p/linux-source-7.3_7.3.3-1_all.deb"]


def test_of_a_recorded_hash_only_that_file_is_taken_or_one_whose_hash_no_list_has() -> None:
    assert [file.uri for file in archive._files("6.16.12", silent, "a" * 64)] == [
        "p/linux_6.16.12.orig.tar.xz",
        "p/linux-source-6.16_6.16.12.deb",
    ]
    with pytest.raises(HostLacks, match=r"the archive has other files of it now: p/linux_7\.3\.4.*, sha256 bbb"):
        archive._files("7.3.4", silent, "e" * 64)


@pytest.mark.parametrize("suffix", ["tar.xz", "deb"])
def test_the_file_of_a_later_release_of_the_series_is_not_taken(tmp_path: Path, suffix: str) -> None:
    held = tmp_path / "kassay/packages/source"
    held.mkdir(parents=True)
    for version in ("6.16.3", "6.16-rc7"):
        (held / f"{version}.{suffix}").write_bytes(b"")
    assert archive._packed("6.16") is None
    (held / f"6.16.{suffix}").write_bytes(b"")
    assert archive._packed("6.16") == held / f"6.16.{suffix}"
