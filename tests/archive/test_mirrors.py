# SPDX-License-Identifier: GPL-2.0-only
"""The host's apt sources in both formats."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.effects import process
from kassay.errors import HostLacks
from kassay.supply.archive.mirrors import Mirror, deb822_entries, host_mirrors, one_line_entries

_DEB822 = """\
# a comment
Types: deb deb-src
URIs: http://one.example/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/a.gpg

Types: deb
# inside
URIs: http://two.example/debian-security
  http://three.example/debian-security/
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----

Types: deb-src
URIs: http://source.example/debian

Enabled: no
Types: deb
URIs: http://off.example/debian
"""


def test_deb822_entries_keep_their_keys() -> None:
    found = tuple(deb822_entries(_DEB822))
    assert [m.uri for m in found] == [
        "http://one.example/debian",
        "http://two.example/debian-security",
        "http://three.example/debian-security/",
    ]
    assert found[0].signed_by == "/usr/share/keyrings/a.gpg"
    assert found[1].signed_by.splitlines()[1:3] == [" -----BEGIN PGP PUBLIC KEY BLOCK-----", " ."]


def test_one_line_entries_keep_their_keys() -> None:
    text = """\
    # deb http://comment.example/debian x main
    deb [arch=amd64 signed-by=/k/a.gpg,/k/b.gpg] http://one.example/debian bookworm main
    deb http://two.example/debian-security bookworm-security main # why
    deb-src http://three.example/debian bookworm main
    """
    assert tuple(one_line_entries(text)) == (
        Mirror(uri="http://one.example/debian", signed_by="/k/a.gpg /k/b.gpg"),
        Mirror(uri="http://two.example/debian-security", signed_by=""),
    )


@pytest.mark.parametrize("word", ["no", "No", "false", "off", "without", "disable", "0"])
def test_entries_that_apt_leaves_out_are_left_out(word: str) -> None:
    assert not [*deb822_entries(f"Types: deb\nURIs: http://off.example/debian\nEnabled: {word}\n")]


PARTS = ("deb ", "deb http://x/ s", "Types: deb\n", "URIs: http://x/ http://y/\n", "Enabled: no\n", "Signed-By:", " ",
         "\n", "[", "]", "signed-by=", "#", "é")  # fmt: skip


@example(["Types: deb\n", "URIs: http://x/ http://y/\n"], 2)
@example(["deb http://x/ s"], 1)
@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=20), max_size=12), st.none())
def test_no_text_breaks_the_parsers(parts: list[str], count: int | None) -> None:
    text = "".join(parts)
    found = [entry.uri for entry in (*deb822_entries(text), *one_line_entries(text))]
    assert "" not in found and count in (None, len(found))


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    """Each test has a host of its own, and leaves none behind."""
    host_mirrors.forget()
    yield
    host_mirrors.forget()


def _host_with(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    shown = f"L={shlex.quote(str(directory / 'sources.list'))}\nP={shlex.quote(str(directory))}\n"
    monkeypatch.setattr(process, "find", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(process, "run", lambda *a, **k: process.Completed(0, shown, ""))


def test_the_host_s_archive_is_found_among_other_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _host_with(monkeypatch, tmp_path)
    (tmp_path / "sources.list").write_text("deb http://other.example/apt x main\n")
    (tmp_path / "debian.sources").write_text(_DEB822)
    (tmp_path / "old.sources.save").write_text(_DEB822.replace("one", "saved"))
    mirrors = host_mirrors()
    assert mirrors.main.uri == "http://one.example/debian"
    assert mirrors.security is not None
    assert mirrors.security.uri == "http://two.example/debian-security"


def test_a_mirror_list_gives_its_first_mirror(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _host_with(monkeypatch, tmp_path)
    mirrors = tmp_path / "debian.list"
    (tmp_path / "cloud.sources").write_text(f"Types: deb\nURIs: mirror+file://{mirrors}\nSigned-By: /k.gpg\n")
    mirrors.write_text("# ours\nhttp://near.example/debian priority:1\nhttp://far.example/debian\n")
    assert host_mirrors().main == Mirror(uri="http://near.example/debian", signed_by="/k.gpg")
    mirrors.write_text("# none\n")
    host_mirrors.forget()
    with pytest.raises(HostLacks, match="names no mirror"):
        host_mirrors()


def test_a_host_without_the_archive_is_told_what_to_add(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _host_with(monkeypatch, tmp_path)
    (tmp_path / "ubuntu.list").write_text("deb http://one.example/ubuntu noble main\n")
    with pytest.raises(HostLacks, match="name a Debian archive") as caught:
        host_mirrors()
    assert "image:PATH" in caught.value.remedy


def test_a_host_without_apt_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find", lambda program: None)
    with pytest.raises(HostLacks, match="apt"):
        host_mirrors()
