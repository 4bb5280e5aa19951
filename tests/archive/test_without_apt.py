# SPDX-License-Identifier: GPL-2.0-only
"""A host without apt reads the archive: kassay checks signatures, dates and hashes by gpgv, gpg or sqv."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.commands._doctor_probes import _archive
from kassay.effects import process
from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.archive import apt as _apt
from kassay.supply.archive import keys, mirrors
from kassay.supply.archive.index import current_index, fetched_package
from kassay.supply.archive.mirrors import OWN_KEYS, host_mirrors
from kassay.supply.building import toolchain
from kassay.supply.kernels import fetch
from tests.archive.repository import DAY, Repository, repository
from tests.kernels.fakes import Told

pytestmark = pytest.mark.slow  # seconds for the whole file

_APT = ("apt-get", "apt-config", "apt-cache", "dpkg-deb", "dpkg")
_SUITES = ("stable", "testing", "unstable", "experimental")
VERIFIERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not on this host"))
    for name in keys._VERIFIERS
]


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with repository(tmp_path_factory.mktemp("archive")) as made:
        yield made


@pytest.fixture(params=["gpgv"])
def archive(
    signed: Repository, cache: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Repository]:
    """An archive with a good suite, and a host with one program that checks signatures, and no apt."""
    lacking = {*_APT, *keys._VERIFIERS} - {request.param}
    real = process.find
    monkeypatch.setattr(process, "find", lambda program: None if program in lacking else real(program))
    monkeypatch.setenv("KASSAY_MIRROR", f"file://{signed.base}")
    monkeypatch.setattr(mirrors, "keyring_of_host", lambda: signed.key)
    monkeypatch.setattr(_apt, "_SUITES", _SUITES)
    shutil.rmtree(signed.base, ignore_errors=True)
    signed.suite("stable", "6.12.9")
    host_mirrors.forget()
    _apt.apt_helper.forget()
    yield signed
    host_mirrors.forget()
    _apt.apt_helper.forget()


@pytest.mark.parametrize("archive", VERIFIERS, indirect=True)
def test_a_kernel_is_fetched_and_its_signature_is_checked(archive: Repository) -> None:
    archive.suite("unstable", "7.3.1", signed=False)
    told = Told()
    (kernel,) = fetch([parse_ref("debian:6.12")], "cloud", told)
    assert kernel.identity.release == "6.12.9-cloud-amd64"
    assert "unstable: left out: " in told.texts
    assert "not on this mirror: experimental" in told.texts
    index = current_index("x86_64", silent)
    assert [package.suite for package in index.packages] == ["stable"]


def test_a_stale_suite_and_another_suite_s_list_are_refused(archive: Repository) -> None:
    archive.suite("testing", "7.2.1", made=-9 * DAY, expires=-3 * DAY)
    archive.suite("unstable", "7.3.1")
    shutil.copytree(archive.base / "dists" / "unstable", archive.base / "dists" / "experimental")
    told = Told()
    index = current_index("x86_64", told)
    assert sorted(package.suite for package in index.packages) == ["stable", "unstable"]
    assert "testing: left out: Release file for testing is expired" in told.texts
    assert "experimental: left out: its file InRelease is that of unstable" in told.texts


@pytest.mark.parametrize("damage", ["main/binary-amd64/Packages.xz", "InRelease"])
def test_a_changed_file_is_refused(archive: Repository, damage: str) -> None:
    file = archive.base / "dists" / "stable" / damage
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(HostLacks, match="could not be fetched: stable: left out: ") as caught:
        current_index("x86_64", silent)
    assert "KASSAY_MIRROR" in caught.value.remedy


def test_a_changed_package_is_refused(archive: Repository) -> None:
    (package,) = current_index("x86_64", silent).packages
    file = archive.base / "pool" / package.uri.rpartition("/")[2]
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(HostLacks, match="Hash Sum mismatch"):
        fetched_package(package, "x86_64", silent)


def test_an_unchanged_list_is_not_fetched_again(archive: Repository) -> None:
    made = current_index("x86_64", silent).packages
    (archive.base / "dists" / "stable" / "main" / "binary-amd64" / "Packages.xz").unlink()
    assert current_index("x86_64", silent, refresh=True).packages == made


def test_without_a_keyring_the_archive_s_own_is_taken_by_fingerprint(
    archive: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirrors, "keyring_of_host", lambda: None)
    content = {f"usr/share/keyrings/{keys.NAMES[0]}": archive.key.read_bytes()}
    archive.add("debian-archive-keyring", "1", files=content)
    archive.suite("stable", "6.12.9")
    assert host_mirrors().main.signed_by == OWN_KEYS
    with pytest.raises(HostLacks, match=f"signed by {archive.fingerprint}, which is no key of the archive"):
        current_index("x86_64", silent)
    monkeypatch.setattr(keys, "FINGERPRINTS", frozenset({archive.fingerprint}))
    assert [package.version for package in current_index("x86_64", silent).packages] == ["6.12.9-1"]


def test_without_a_program_that_checks_signatures_nothing_is_read(
    archive: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "find", lambda program: None)
    with pytest.raises(HostLacks, match="neither gpgv, gpg nor sqv is on this host"):
        current_index("x86_64", silent)


def test_a_compiler_is_unpacked_with_what_it_depends_on(signed: Repository, archive: Repository) -> None:
    with pytest.raises(HostLacks, match=r"compiler gcc-9: neither on this host nor in .*: there is no gcc-9\)"):
        toolchain.fetched("gcc", 9, "x86_64", "gcc-9", silent)
    library, binutils = "usr/lib/x86_64-linux-gnu", "binutils-x86-64-linux-gnu"
    files = {f"usr/bin/x86_64-linux-gnu-{name}": b"" for name in toolchain._BINUTILS}
    signed.add(binutils, "2", "libc6", files)
    signed.add("libc6", "2", files={f"{library}/ld-linux-x86-64.so.2": b"", "lib/libc.so.6": b""})
    parts = {f"usr/libexec/gcc/x86_64-linux-gnu/9/{name}": b"" for name in ("cc1", "collect2")}
    signed.add("gcc-9", "9.5", "libc6, libgomp1", {"usr/bin/x86_64-linux-gnu-gcc-9": b"", **parts})
    signed.add("libgomp1", "9.5")
    signed.suite("stable", "6.12.9")
    current_index("x86_64", silent, refresh=True)
    program = toolchain.fetched("gcc", 9, "x86_64", "gcc-9", silent)
    assert "ld-linux-x86-64.so.2 --inhibit-cache" in program.read_text()
    packages = (program.parent.parent / "packages").read_text().splitlines()
    assert sorted(line.split()[0] for line in packages) == [binutils, "gcc-9", "libc6"]


def test_a_mirror_that_is_none_is_refused(archive: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KASSAY_MIRROR", "http://m.example/ubuntu")
    host_mirrors.forget()
    with pytest.raises(BadInput, match=r"KASSAY_MIRROR: .*/ubuntu is no mirror"):
        host_mirrors()
    monkeypatch.setenv("KASSAY_MIRROR", "http://m.example/debian http://m.example/debian-security")
    host_mirrors.forget()
    security = host_mirrors().security
    assert security is not None and security.uri == "http://m.example/debian-security"


@pytest.mark.parametrize("before", [True, False])
def test_text_outside_the_signed_part_is_refused(archive: Repository, before: bool) -> None:
    file = archive.base / "dists" / "stable" / "InRelease"
    text, other = file.read_text(), f"SHA256:\n {'0' * 64} 1 main/binary-amd64/Packages.xz\n"
    file.write_text(other + text if before else text + other)
    with pytest.raises(HostLacks, match="its file InRelease is not signed"):
        current_index("x86_64", silent)


@pytest.mark.parametrize("state", ["EXPKEYSIG", "REVKEYSIG", "EXPSIG"])
def test_a_valid_signature_by_an_expired_or_revoked_key_does_not_count(state: str) -> None:
    valid = f"VALIDSIG {'B' * 40} 2026-01-01 1 0 4 0 1 8 00 {'C' * 40}"
    status = "".join(f"[GNUPG:] {line}\n" for line in ("NEWSIG", f"{state} AAAA name", valid))
    assert keys._signers(process.Completed(0, status, "")) == (frozenset(), ())
    good = status.replace(state, "GOODSIG")
    assert keys._signers(process.Completed(0, good, "")) == (frozenset({"C" * 40}), ())
    bad = f"{good}[GNUPG:] BADSIG DDDD other\n"
    assert keys._signers(process.Completed(1, bad, "")) == (frozenset({"C" * 40}), ("BADSIG DDDD other",))


def test_a_mirror_is_asked_before_anything_is_fetched(archive: Repository) -> None:
    found = host_mirrors()
    root = _apt.root_for(found, "x86_64")
    assert _apt.unreachable(root, found, silent) is None
    shutil.rmtree(archive.base)
    assert "InRelease" in (_apt.unreachable(root, found, silent) or "")
    probe = _archive("x86_64", silent)
    assert (probe.usable, str(archive.base) in probe.detail) == (False, True)
