# SPDX-License-Identifier: GPL-2.0-only
"""A kit is checked file by file before any of it is taken, and a cache of its own takes what the usual one has."""

import os
import re
import subprocess
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from kassay.effects.files import cache_directory, sha256_bytes
from kassay.effects.second_cache import cache_in, take_from_usual
from kassay.model.progress import silent
from kassay.supply.archive import index
from kassay.tools.offline import further, kit
from tests.commands.conftest import Kassay

CONTENT = {"kernels/k1/image": b"an image", "refs/debian/x86_64/cloud/p_1": b"k1\n", "packages/x86_64/p_1.deb": b"deb"}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A small kit."""
    out = tmp_path / "kit"
    further_files = ("ccache/x", "use.lock", "kernels/.k1.lock", "build/lock", "apt/m/x86_64/kernels.json")
    for name, data in (*CONTENT.items(), *((name, b"") for name in further_files)):
        path = out / "kassay" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (out / "kassay" / "kernels" / "k1" / "image").chmod(0o444)
    os.utime(out / "kassay" / "kernels" / "k1" / "image", (1_700_000_000, 1_700_000_000))
    (out / "experiment.toml").write_text("schema = 1\n")
    kit.seal(out, silent)
    return out


def test_a_sealed_kit_has_only_what_another_host_needs(made: Path) -> None:
    files = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert files == {*(f"kassay/{name}" for name in CONTENT), "experiment.toml", "README", "SHA256SUMS"}
    checked = subprocess.run(("sha256sum", "-c", "--quiet", "SHA256SUMS"), cwd=made, check=False)
    assert checked.returncode == 0
    assert "kassay kernels use kit " in (made / "README").read_text()


def test_a_kit_is_taken_with_times_and_modes_and_what_is_there_stays(kassay: Kassay, cache: Path, made: Path) -> None:
    there = cache / "packages" / "x86_64" / "p_1.deb"
    there.parent.mkdir(parents=True)
    there.write_bytes(b"mine")
    status, out, err = kassay("kernels", "use", str(made))
    assert status == 0, err
    assert "2 files are new in the cache" in out
    image = cache / "kernels" / "k1" / "image"
    assert (image.read_bytes(), image.stat().st_mtime, image.stat().st_mode & 0o777) == (
        b"an image", 1_700_000_000, 0o444,
    )  # fmt: skip
    assert there.read_bytes() == b"mine"
    assert "0 files are new" in kassay("kernels", "use", str(made)).out


def damage(made: Path) -> None:
    (made / "kassay" / "refs" / "debian" / "x86_64" / "cloud" / "p_1").write_bytes(b"k2\n")


def lose(made: Path) -> None:
    (made / "experiment.toml").unlink()


def escape(made: Path) -> None:
    (made.parent / "outside").write_bytes(b"")
    with (made / "SHA256SUMS").open("a") as sums:
        sums.write(f"{sha256_bytes(b'')}  kassay/../../outside\n")


def foreign(made: Path) -> None:
    (made / "kassay" / "build").mkdir()
    (made / "kassay" / "build" / "x").write_bytes(b"")
    with (made / "SHA256SUMS").open("a") as sums:
        sums.write(f"{sha256_bytes(b'')}  kassay/build/x\n")


def cut(made: Path) -> None:
    sums = made / "SHA256SUMS"
    sums.write_text("".join(sums.read_text().splitlines(keepends=True)[2:]))


def unseal(made: Path) -> None:
    (made / "SHA256SUMS").unlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (damage, "p_1: damaged: its sha256 is"), (lose, "experiment.toml: missing"), (escape, "not a file of a kit"),
        (foreign, "not a file of a kit"), (cut, "the kit is not complete"), (unseal, "no kit, it has no SHA256SUMS"),
    ],
)  # fmt: skip
def test_nothing_is_taken_of_a_kit_with_one_wrong_file(
    kassay: Kassay, cache: Path, made: Path, change: Callable[[Path], None], said: str
) -> None:
    change(made)
    status, _, err = kassay("kernels", "use", str(made))
    assert (status, said in err) == (2, True), err
    assert not [path for path in cache.rglob("*") if path.is_file() and path.name != "use.lock"]


def test_a_cache_of_its_own_takes_equal_files_of_the_usual_one(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = list[str]()
    monkeypatch.setattr(index, "_download", lambda subject, *_: fetched.append(subject))
    usual = cache / "packages" / "x86_64" / "p_1.deb"
    usual.parent.mkdir(parents=True)
    usual.write_bytes(b"deb")
    for lists in ("apt", "archive"):
        (cache / lists / "m").mkdir(parents=True)
        (cache / lists / "m" / "kernels.json").write_text("{}")
    with cache_in(tmp_path / "kit", "apt", "archive", "absent"):
        assert cache_directory() == tmp_path / "kit" / "kassay"
        assert len(list(cache_directory().glob("*/m/kernels.json"))) == 2
        path = index.fetched_file("p", "1", "uri", sha256_bytes(b"deb"), "x86_64", silent)
        assert (path.read_bytes(), fetched) == (b"deb", [])
        index.fetched_file("p", "1", "uri", sha256_bytes(b"other"), "x86_64", silent)
        assert fetched == ["p 1"]
    assert cache_directory() == cache
    assert not take_from_usual(usual, sha256_bytes(b"deb"))


def test_all_packages_of_python_that_kassay_needs_are_named_with_their_versions() -> None:
    needed = set(further._needed("kassay"))
    direct = [re.split(r"[=<>;]", text)[0].lower() for text in metadata.requires("kassay") or () if "extra" not in text]
    assert {f"{name}=={metadata.version(name)}" for name in direct} <= needed
    assert f"markupsafe=={metadata.version('markupsafe')}" in needed  # of jinja2
    assert not any(name.startswith(("pytest", "kassay")) for name in needed)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name kernels, or an experiment with --for"),
        (("6.17", "--out", "x"), "belong to --for"),
        (("6.17", "--for", "/nowhere.toml"), "name kernels, or an experiment with --for"),
        (("--for", "SPEC"), "name the directory to make with --out"),
        (("--for", "SPEC", "--out", "FULL"), "holds something else"),
        (("--for", "SPEC", "--out", "SPEC"), "not a directory"),
    ],
)
def test_wrong_words_of_fetch_are_named(kassay: Kassay, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis").touch()
    (tmp_path / "spec.toml").touch()
    places = {"SPEC": str(tmp_path / "spec.toml"), "FULL": str(tmp_path / "full")}
    status, _, err = kassay("kernels", "fetch", *(places.get(word, word) for word in words))
    assert (status, said in err) == (2, True), err


def test_packages_of_a_distribution_without_apt_are_refused_before_anything_is_fetched(
    kassay: Kassay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kassay.effects.process.find", lambda name: None)
    (tmp_path / "spec.toml").touch()
    words = ("--for", str(tmp_path / "spec.toml"), "--out", str(tmp_path / "kit"), "--with-qemu")
    status, _, err = kassay("kernels", "fetch", *words)
    assert (status, "--with-qemu: this host has no apt" in err) == (3, True), err
    assert not (tmp_path / "kit").exists()
