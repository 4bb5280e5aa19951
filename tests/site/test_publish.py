# SPDX-License-Identifier: GPL-2.0-only
"""Publication: whole pages at every moment, revisions of corrected figures, states in order."""

import errno
import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from kassay.effects.lock import locked
from kassay.errors import BadInput, HostLacks
from kassay.labs.site.pages.addresses import step_path
from kassay.labs.site.pages.build import write_site
from kassay.labs.site.pages.publish import lock_of
from tests.site.made import content, first_shown, small_site, with_step, written

pytestmark = pytest.mark.slow  # seconds for the whole file


class _KilledError(BaseException):
    """Ends a publication as a kill would."""


def _kill_after(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The next publication ends after so many files were put in place."""
    left = iter(range(number))
    real = Path.replace

    def replace(self: Path, target: Any) -> Path:
        if next(left, None) is None:
            raise _KilledError
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)


def _address(site: Any) -> str:
    step = first_shown(site)
    return step_path(*step.pair)


@pytest.mark.slow
def test_killed_between_any_two_files_every_page_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_site = small_site()
    step = first_shown(old_site)
    new_site = with_step(small_site(made="2026-11-27"), step, after_value=1.0, change=-0.9)
    old = written(old_site, tmp_path / "old")
    written(old_site, tmp_path / "whole")
    new = written(new_site, tmp_path / "whole")
    changed = [path for path in new if old.get(path) != new[path]]
    assert len(changed) > 4
    directory, moments = tmp_path / "site", []
    _filled(directory, old)
    real = Path.replace

    def replace(self: Path, target: Any) -> Path:
        moments.append(content(directory))  # what a kill at this moment leaves
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        assert written(new_site, directory) == new
    assert len(moments) >= len(changed)
    for now in moments:
        assert all(text in (old.get(path), new.get(path)) for path, text in now.items())
        assert set(old) <= set(now)
    for number in (1, 2, 3, len(changed) - 1):  # among them the moment after the old revision moved
        killed = tmp_path / f"killed-{number}"
        _filled(killed, old)
        with monkeypatch.context() as patch, pytest.raises(_KilledError):
            _kill_after(patch, number)
            write_site(new_site, killed)
        assert content(killed) == moments[number]
        assert written(new_site, killed) == new


def _filled(directory: Path, files: dict[str, bytes]) -> None:
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(text)


def test_home_page_is_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[str] = []
    real = Path.replace

    def replace(self: Path, target: Any) -> Path:
        placed.append(str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    write_site(small_site(), tmp_path / "site")
    assert placed[-1] == str(tmp_path / "site" / "index.html")
    assert placed.index(str(tmp_path / "site" / "site.css")) == 0


def test_killed_for_real_leaves_nothing_that_a_server_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(_KilledError):
        _kill_after(patch, 3)
        write_site(small_site(), tmp_path / "site")
    write_site(small_site(), tmp_path / "site")
    assert {path.name for path in tmp_path.iterdir()} == {"site", ".site.lock"}


def test_full_disk_is_one_sentence_and_leaves_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = written(small_site(), tmp_path / "site")

    def full(self: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(HostLacks, match="the disk is full"):
        write_site(small_site(made="2026-11-28"), tmp_path / "site")
    assert content(tmp_path / "site") == before


def test_second_writer_is_refused(tmp_path: Path) -> None:
    with locked(lock_of(tmp_path / "site")), pytest.raises(HostLacks, match="in use by another kassay"):
        write_site(small_site(), tmp_path / "site")


def test_corrected_figures_are_a_new_revision_and_both_link(tmp_path: Path) -> None:
    site = small_site()
    step, address = first_shown(site), _address(site)
    first = written(site, tmp_path / "site")
    fixed = with_step(small_site(made="2026-11-30"), step, after_value=1.5, change=-0.5)
    files = written(fixed, tmp_path / "site")
    assert files[f"{address}/r1/index.json"] == first[f"{address}/index.json"]
    assert json.loads(files[f"{address}/index.json"])["revision"] == 2
    assert b'href="../../../../' in files[f"{address}/r1/index.html"]
    assert b"These figures were corrected" in files[f"{address}/r1/index.html"]
    assert b"r1/index.html" in files[f"{address}/index.html"]
    assert f"{address}/r1/index.html".encode() in files["corrections/index.html"]
    again = written(with_step(small_site(made="2026-12-01"), step, verdict="equivalent"), tmp_path / "site")
    assert again[f"{address}/r1/index.json"] == first[f"{address}/index.json"]
    assert json.loads(again[f"{address}/index.json"])["revision"] == 3
    assert again[f"{address}/r2/index.json"] == files[f"{address}/index.json"]


def test_equal_figures_are_no_revision(tmp_path: Path) -> None:
    site = small_site()
    step, address = first_shown(site), _address(site)
    written(site, tmp_path / "site")
    files = written(with_step(site, step, sentence="better words"), tmp_path / "site")
    assert json.loads(files[f"{address}/index.json"])["revision"] == 1
    assert b"better words" in files[f"{address}/index.html"]
    assert not [path for path in files if "/r1/" in path]


def test_first_verdict_is_no_correction(tmp_path: Path) -> None:
    site = small_site()
    step, address = first_shown(site), _address(site)
    written(with_step(site, step, verdict=""), tmp_path / "site")
    files = written(site, tmp_path / "site")
    assert json.loads(files[f"{address}/index.json"])["step"]["verdict"] == step.verdict
    assert json.loads(files[f"{address}/index.json"])["revision"] == 1


def test_steps_that_the_history_lost_keep_their_page(tmp_path: Path) -> None:
    site = small_site()
    address = _address(site)
    before = written(site, tmp_path / "site")
    files = written(msgspec.structs.replace(site, steps=(), cells=()), tmp_path / "site")
    assert files[f"{address}/index.json"] == before[f"{address}/index.json"]
    assert f"{address}/index.html" in files


def test_page_of_an_older_kassay_stays_readable(tmp_path: Path) -> None:
    site = small_site()
    address = _address(site)
    files = written(site, tmp_path / "site")
    stored = json.loads(files[f"{address}/index.json"])
    stored["step"]["field_of_the_future"] = 1
    stored["before"]["another"] = 1
    stored["step"]["after_value"] = 7.0
    (tmp_path / "site" / address / "index.json").write_text(json.dumps(stored))
    assert json.loads(written(site, tmp_path / "site")[f"{address}/index.json"])["revision"] == 2


def test_feed_has_one_entry_for_each_change_of_state(tmp_path: Path) -> None:
    site = small_site()
    step = first_shown(site)
    none = [msgspec.structs.replace(one, life="") for one in site.steps]
    site = msgspec.structs.replace(site, steps=tuple(none))
    step = first_shown(site)
    for day, life in (("01", "found"), ("02", "confirmed"), ("03", "confirmed"), ("04", "fixed"), ("05", "back")):
        now = msgspec.structs.replace(with_step(site, step, life=life), made_utc=f"2026-12-{day}T00:00:00Z")
        files = written(now, tmp_path / "site")
    feed = ElementTree.fromstring(files["feed.atom"])
    atom = "{http://www.w3.org/2005/Atom}"
    entries = feed.findall(f"{atom}entry")
    assert [(entry.findtext(f"{atom}updated") or "")[8:10] for entry in entries] == ["05", "04", "02"]
    assert len({entry.findtext(f"{atom}id") for entry in entries}) == 3


def test_ids_of_the_feed_stay_when_the_site_moves(tmp_path: Path) -> None:
    ids: list[list[str | None]] = []
    for address in ("https://one.example/", "https://two.example/kassay/", ""):
        site = msgspec.structs.replace(small_site(), address=address)
        feed = ElementTree.fromstring(written(site, tmp_path / str(len(ids)))["feed.atom"])
        ids.append([one.text for one in feed.iter("{http://www.w3.org/2005/Atom}id")])
    assert len(ids[0]) > 1 and ids[0] == ids[1] == ids[2]


def test_directory_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="other files"):
        written(small_site(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_foreign_files_stay(tmp_path: Path) -> None:
    (tmp_path / "site" / "bundle").mkdir(parents=True)
    (tmp_path / "site" / "bundle" / "a.kassay").write_bytes(b"bundle")
    assert written(small_site(), tmp_path / "site")["bundle/a.kassay"] == b"bundle"
