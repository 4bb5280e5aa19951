# SPDX-License-Identifier: GPL-2.0-only
"""Messages of apt are understood."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.errors import HostLacks
from kassay.model.progress import Tell
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.mirrors import Mirror, Mirrors
from tests.kernels.fakes import Told

_LACKING = "E: The repository 'http://m.example/debian experimental Release' does not have a Release file.\n"
_NO_ROUTE = "E: Failed to fetch http://m.example/debian/dists/stable/InRelease  Could not connect to m.example\n"
_UNSIGNED = (
    "Err:1 http://m.example/debian stable InRelease\n  The key is not available: NO_PUBKEY 1234\n"
    "W: GPG error: http://m.example/debian stable InRelease: the key is not available: NO_PUBKEY 1234\n"
    "E: The repository 'http://m.example/debian stable InRelease' is not signed.\n"
)
_MIRRORS = Mirrors(main=Mirror(uri="http://m.example/debian", signed_by=""), security=None)
_KEY = " -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc"


@pytest.fixture
def root(tmp_path: Path) -> _apt.AptRoot:
    return _apt.AptRoot(directory=str(tmp_path), arch="x86_64", helper="apt-helper")


def _apt_says(monkeypatch: pytest.MonkeyPatch, status: int, log: str) -> None:
    def run(root: _apt.AptRoot, argv: Sequence[str], subject: str, tell: Tell) -> tuple[int, str]:
        return status, log

    monkeypatch.setattr(_apt, "_run_apt", run)


def test_a_suite_the_mirror_lacks_is_a_note(monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot) -> None:
    _apt_says(monkeypatch, 100, "Hit:1 http://m.example/debian stable InRelease\n" + _LACKING)
    (suite,) = _apt.update(root, _MIRRORS, Told())
    assert suite.text == "not on this mirror: experimental"


@pytest.mark.parametrize(
    ("status", "log", "says"),
    [
        (100, _NO_ROUTE, "stable: left out: Failed to fetch"),
        (100, _LACKING + _NO_ROUTE, "Could not connect"),
        (100, _UNSIGNED, "NO_PUBKEY"),
        (100, "E: Could not get lock /x/lists/lock\n", "Could not get lock"),
        (-9, "", "ended with -9"),
        (100, "E: Write error - write (28: No space left on device)\n", "the disk is full"),
    ],
)
def test_trouble_with_every_suite_or_with_apt_itself_is_an_error_in_apt_s_words(
    monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot, status: int, log: str, says: str
) -> None:
    monkeypatch.setattr(_apt, "_SUITES", ("stable", "experimental") if _LACKING in log else ("stable",))
    _apt_says(monkeypatch, status, log)
    with pytest.raises(HostLacks) as caught:
        _apt.update(root, _MIRRORS, Told())
    assert says in caught.value.what


def test_a_warning_about_a_suite_that_was_read_is_none_of_its_failures(
    monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot
) -> None:
    _apt_says(monkeypatch, 0, "W: http://m.example/debian/dists/stable/InRelease: Key is in the legacy keyring\n")
    assert _apt.update(root, _MIRRORS, Told()) == ()


def test_a_download_that_did_not_arrive_gives_its_reason(
    monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot, tmp_path: Path
) -> None:
    _apt_says(monkeypatch, 100, "E: Hash Sum mismatch\n")
    assert _apt.download(root, "http://m.example/x", "aa", tmp_path / "x", Told()) == "Hash Sum mismatch"
    _apt_says(monkeypatch, 0, "")
    assert _apt.download(root, "http://m.example/x", "aa", tmp_path / "x", Told()) is not None
    (tmp_path / "x").touch()
    assert _apt.download(root, "http://m.example/x", "aa", tmp_path / "x", Told()) is None


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot, tmp_path: Path) -> None:
    _apt_says(monkeypatch, 100, "E: write - write (28: No space left on device)\n")
    with pytest.raises(HostLacks, match="disk is full"):
        _apt.download(root, "http://m.example/x", "aa", tmp_path / "x", Told())


def test_an_embedded_key_reaches_the_private_sources(root: _apt.AptRoot, tmp_path: Path) -> None:
    main = Mirror(uri="http://m.example/debian", signed_by="\n" + _KEY)
    security = Mirror(uri="http://s.example/debian-security", signed_by="")
    _apt.prepare(root, Mirrors(main=main, security=security))
    first, second = (tmp_path / "sources" / "kassay.sources").read_text().split("\n\n")
    assert _KEY in first
    assert "Signed-By" not in second
    assert "stable-security oldstable-security" in second


def test_lists_are_found_for_their_own_suite(root: _apt.AptRoot, tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    for suite in ("stable", "stable-backports"):
        (lists / f"m.example_debian_dists_{suite}_main_binary-amd64_Packages.lz4").touch()
    (lists / "m.example_debian_dists_stable_InRelease").touch()
    assert [p.suite for p in _apt.package_lists(root, _MIRRORS)] == ["stable", "stable-backports"]


def test_suites_are_asked_for_by_the_names_the_mirror_gives_them(
    monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot, tmp_path: Path
) -> None:
    releases = {"stable": "Codename: trixie", "oldstable": "Codename: bookworm"}

    def fetched(_: _apt.AptRoot, argv: Sequence[str], subject: str, tell: object) -> tuple[int, str]:
        alias = argv[2].split("/")[-2]
        if alias in releases:
            Path(argv[3]).write_text(f"Origin: Debian\n{releases[alias]}\n")
            return 0, ""
        return 100, "E: not found"

    monkeypatch.setattr(_apt, "_run_apt", fetched)
    _apt.learn_codenames(root, _MIRRORS, Told())
    _apt.prepare(root, _MIRRORS)
    written = (tmp_path / "sources" / "kassay.sources").read_text()
    assert "Suites: trixie bookworm trixie-backports bookworm-backports testing unstable experimental" in written


def test_a_full_disk_is_found_before_the_lists_are_fetched(monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot) -> None:
    _apt_says(monkeypatch, 0, "")
    monkeypatch.setattr(_apt, "_ROOM_BYTES", 1 << 60)
    with pytest.raises(HostLacks, match="disk is full"):
        _apt.update(root, _MIRRORS, Told())


def test_apt_that_waits_for_room_is_ended(monkeypatch: pytest.MonkeyPatch, root: _apt.AptRoot, tmp_path: Path) -> None:
    partial = tmp_path / "lists" / "partial"
    partial.mkdir(parents=True)
    waits = "exec >/proc/self/fd/${4##*=}; while echo dlstatus:1:17.5:x; do sleep 0.05; done"
    monkeypatch.setattr(_apt, "_STALLED_S", 0.2)
    monkeypatch.setattr(_apt, "_full", lambda _: True)
    monkeypatch.setattr(_apt, "check_writable", lambda *_: None)
    start: Callable[..., process.Child] = process.start
    monkeypatch.setattr(process, "start", lambda argv, **options: start(("sh", "-c", waits, *argv), **options))
    told = Told()
    with pytest.raises(HostLacks, match="disk is full"):
        _apt.update(root, _MIRRORS, told)
    assert [event.done for event in told] == [0.175]
    assert not partial.exists()
