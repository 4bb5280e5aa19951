# SPDX-License-Identifier: GPL-2.0-only
"""Packages files and the index made of them. The stanzas are as the archive writes them, shortened."""

import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from kassay.effects import clock
from kassay.errors import HostLacks
from kassay.model.progress import Tell, silent
from kassay.model.records import from_json
from kassay.supply.archive import apt as _apt
from kassay.supply.archive import index as _index
from kassay.supply.archive.index import Index, current_index, parse_stanza
from kassay.supply.archive.mirrors import Mirror, Mirrors
from tests.kernels.fakes import Told

_PACKAGES = """\
Package: linux-headers-6.17.8+deb13-cloud-amd64
Version: 6.17.8-1~bpo13+1
Filename: pool/main/l/linux/headers.deb
Size: 5000000
SHA256: aa

Package: linux-image-6.17.8+deb13-cloud-amd64
Source: linux-signed-amd64 (6.17.8+1~bpo13+1)
Version: 6.17.8-1~bpo13+1
Installed-Size: 50000
Depends: kmod, linux-base (>= 4.12~)
Description: Linux 6.17.8 for x86-64 cloud (signed)
 It goes on here.
Filename: pool/main/l/linux-signed-amd64/linux-image-6.17.8+deb13-cloud-amd64_6.17.8-1~bpo13+1_amd64.deb
Size: 50174620
SHA256: bb

Package: linux-image-6.17.8+deb13-cloud-amd64-unsigned
Version: 6.17.8-1~bpo13+1
Filename: pool/unsigned.deb
Size: 50000000
SHA256: cc

Package: linux-image-6.17.8+deb13-cloud-amd64-dbg
Version: 6.17.8-1~bpo13+1
Filename: pool/dbg.deb
Size: 352374116
SHA256: dd

Package: linux-image-6.17.8+deb13-rt-amd64
Version: 6.17.8-1~bpo13+1
Filename: pool/rt.deb
Size: 90000000
SHA256: ee

Package: linux-image-6.12-cloud-amd64
Version: 6.12.113-1~deb12u1
Description: Linux for x86-64 cloud (meta-package)
Filename: pool/meta.deb
Size: 1508
SHA256: ff

Package: linux-image-6.1.0-54-cloud-amd64
Version: 6.1.190-1
Filename: pool/old.deb
Size: 26639112
SHA256: 11

Package: linux-image-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Filename: pool/only-depends.deb
Size: 1916
SHA256: 22

Package: linux-binary-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Filename: pool/binary.deb
Size: 13885624
SHA256: 33

Package: linux-modules-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Filename: pool/modules.deb
Size: 21397624
SHA256: 44
"""
_MIRRORS = Mirrors(main=Mirror(uri="http://mirror.example/debian/", signed_by="/k.gpg"), security=None)


@pytest.fixture
def archive(cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An archive with one suite; the list says how often, and whether ("down"), it is asked."""
    asked: list[str] = []

    def update(root: _apt.AptRoot, mirrors: Mirrors, tell: object) -> tuple[_apt.UnreadSuite, ...]:
        asked.append("asked")
        if "down" in asked:
            raise HostLacks("the package lists could not be fetched: no route", "check the network")
        return (_apt.UnreadSuite(suite="experimental", reason="refused" if "refused" in asked else ""),)

    def lists(root: _apt.AptRoot, mirrors: Mirrors) -> tuple[_apt.PackageList, ...]:
        return (_apt.PackageList(path="list", uri=_MIRRORS.main.uri, suite="stable"),)

    monkeypatch.setattr(_index, "host_mirrors", lambda: _MIRRORS)
    monkeypatch.setattr(_apt, "apt_helper", lambda: "apt-helper")
    monkeypatch.setattr(_apt, "update", update)
    monkeypatch.setattr(_apt, "learn_codenames", lambda root, mirrors, tell: None)
    monkeypatch.setattr(_apt, "package_lists", lists)
    monkeypatch.setattr(_apt, "unpacked", lambda root, path, into: into.write_text(_PACKAGES))
    return asked


def test_only_packages_with_kernels_in_them_are_kernels(archive: list[str]) -> None:
    index = current_index("x86_64", Told())
    assert [(p.release, p.flavour, p.kind) for p in index.packages if p.is_kernel] == [
        ("6.17.8+deb13-cloud-amd64", "cloud-amd64", "image"),
        ("6.17.8+deb13-rt-amd64", "rt-amd64", "image"),
        ("6.1.0-54-cloud-amd64", "cloud-amd64", "image"),
        ("7.3-cloud-amd64", "cloud-amd64", "binary"),
    ]
    assert {p.name for p in index.packages}.isdisjoint({"linux-headers-6.17.8+deb13-cloud-amd64"})


def test_a_kernel_finds_its_companions(archive: list[str]) -> None:
    index = current_index("x86_64", Told())
    kernel = next(p for p in index.packages if p.kind == "binary")
    modules = index.companion(kernel, "modules")
    assert modules is not None
    assert modules.sha256 == "44"
    assert index.companion(kernel, "base") is None


def test_addresses_are_complete_and_quoted(archive: list[str]) -> None:
    package = current_index("x86_64", Told()).packages[0]
    assert package.uri == (
        "http://mirror.example/debian/pool/main/l/linux-signed-amd64/"
        "linux-image-6.17.8%2bdeb13-cloud-amd64_6.17.8-1%7ebpo13%2b1_amd64.deb"
    )


def test_a_stanza_without_its_hash_is_left_out() -> None:
    stanza = "Package: linux-image-6.1.0-54-cloud-amd64\nVersion: 6.1.190-1\nFilename: a\nSize: 9"
    assert parse_stanza(stanza, "u", "s") is None
    assert parse_stanza(stanza + "\nSHA256: 11", "u", "s") is not None


def test_a_fresh_index_asks_nobody(archive: list[str]) -> None:
    told = Told()
    first = current_index("x86_64", told)
    assert "not on this mirror: experimental" in told.texts
    assert current_index("x86_64", told) == first
    assert len(archive) == 1
    current_index("x86_64", told, refresh=True)
    assert len(archive) == 2


def test_a_refused_suite_is_asked_for_again_within_the_day(archive: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    archive.append("refused")
    made = datetime.fromisoformat(current_index("x86_64", Told()).made)
    for hours, asked in ((0.9, 1), (1.1, 2)):
        monkeypatch.setattr(clock, "utc_now", (made + timedelta(hours=hours)).isoformat)
        current_index("x86_64", Told())
        assert archive.count("asked") == asked


def test_an_old_index_is_refreshed_and_serves_when_the_network_is_down(
    archive: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = current_index("x86_64", Told())
    monkeypatch.setattr(clock, "utc_now", lambda: "2099-01-01T00:00:00Z")
    archive.append("down")
    told = Told()
    assert current_index("x86_64", told) == first
    assert "no route" in told.texts
    assert f"using the list of {first.made}" in told.texts
    with pytest.raises(HostLacks, match="no route"):
        current_index("x86_64", told, refresh=True)


def test_without_network_and_index_the_error_names_the_way_out(archive: list[str]) -> None:
    archive.append("down")
    with pytest.raises(HostLacks, match="no route") as caught:
        current_index("x86_64", Told())
    assert "check the network" in caught.value.remedy


def test_a_kernel_that_waited_for_the_lists_in_vain_does_not_try_them_again(
    archive: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, waits, failures = threading.Event(), threading.Event(), list[str]()

    def update(*_: object) -> tuple[_apt.UnreadSuite, ...]:
        archive.append("asked")
        begun.set()
        assert waits.wait(20)
        raise HostLacks("no route")

    def ask(tell: Tell) -> None:
        try:
            current_index("x86_64", tell)
        except HostLacks as error:
            failures.append(error.what)

    monkeypatch.setattr(_apt, "update", update)
    first = threading.Thread(target=ask, args=(silent,))
    first.start()
    assert begun.wait(20)
    second = threading.Thread(target=ask, args=(lambda progress: waits.set() if "waiting" in progress.text else None,))
    second.start()
    first.join()
    second.join()
    assert (failures, archive) == (["no route"] * 2, ["asked"])
    with pytest.raises(HostLacks, match="no route"):
        current_index("x86_64", silent)
    assert archive == ["asked"] * 2


def test_a_damaged_index_is_made_again(archive: list[str], cache: Path) -> None:
    current_index("x86_64", Told())
    (place,) = cache.glob("apt/*/x86_64/kernels.json")
    place.write_bytes(place.read_bytes()[:100])
    current_index("x86_64", Told())
    assert from_json(place.read_bytes(), Index).packages
    assert len(archive) == 2


def test_the_private_root_has_the_host_s_mirror_and_key_but_its_own_state(archive: list[str], cache: Path) -> None:
    current_index("arm64", Told())
    (base,) = cache.glob("apt/*/arm64")
    sources = (base / "sources" / "kassay.sources").read_text()
    assert "URIs: http://mirror.example/debian/\n" in sources
    assert "Signed-By: /k.gpg\n" in sources
    configuration = (base / "apt.conf").read_text()
    assert f'Dir::State "{base}"' in configuration
    assert 'APT::Architecture "arm64"' in configuration
    assert "Dir::Etc::parts" not in configuration
