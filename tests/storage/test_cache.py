# SPDX-License-Identifier: GPL-2.0-only
"""kassay cache: every entry once, its size and its use; what is freed, and what never."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.effects.lock import cache_alone, cache_shared, locked
from kassay.model.progress import Progress, silent
from kassay.supply.guest.compile import build
from kassay.tools.storage.areas import AREAS, MAKE, NEVER, kind_of, kinds
from kassay.tools.storage.free import Wish, chosen
from kassay.tools.storage.scan import Entry, entries
from tests.commands.conftest import Kassay
from tests.source import ROOT
from tests.storage.conftest import BUILT, GONE, LISTED, put


def shown(kassay: Kassay, *words: str) -> dict[str, Any]:
    status, out, err = kassay("cache", *words, "--format", "json")
    assert status == 0, err
    answer: dict[str, Any] = json.loads(out)
    return answer


def names(answer: dict[str, Any]) -> set[str]:
    return {entry["name"] for entry in answer["entries"]}


def files(directory: Path) -> set[str]:
    return {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}


def test_each_entry_has_its_kind_and_says_whether_it_can_be_had_again(kassay: Kassay, filled: Path) -> None:
    found = {entry["name"]: (entry["kind"], entry["again"]) for entry in shown(kassay, "show")["entries"]}
    assert found == {
        f"kernels/{LISTED}": ("kernels", "fetched"),
        f"kernels/{BUILT}.build": ("kernels", "made"),
        f"kernels/{GONE}": ("kernels", "no"),
        f"kernels/{LISTED}.file": ("kernels", "no"),
        "lines/key2.elf": ("leftovers", "made"),
        "packages/x86_64/linux-image-6.17_6.17-1.deb": ("packages", "fetched"),
        "packages/x86_64/redis_7-1.deb": ("packages", "no"),
        "apt/m": ("lists", "fetched"),
        "archive/n": ("lists", "fetched"),
        "sources/git": ("sources", "no"),
        "build/src-0": ("builds", "made"),
        "snapshots/e1": ("snapshots", "made"),
        "snapshots/e2": ("snapshots", "made"),
        "guest/x86_64/init-1": ("programs", "made"),
        "sources/trees/.6.17.partial": ("leftovers", "made"),
        "refs/build": ("inputs", "no"),
        "strange": ("other", "no"),
    }


def test_a_kernel_names_its_references_and_a_package_its_kernel(kassay: Kassay, filled: Path) -> None:
    note = filled / "refs" / "debian" / "x86_64" / "cloud" / "linux-image-6.17_6.17-1"
    put(note, 0)
    note.write_text(f"{LISTED}\n")
    needed = {entry["name"]: entry["needed_by"] for entry in shown(kassay, "show")["entries"]}
    assert needed[f"kernels/{LISTED}"] == ["debian:6.17-1"]
    assert needed[f"kernels/{BUILT}.build"] == ["build:"]
    assert needed["packages/x86_64/linux-image-6.17_6.17-1.deb"] == ["6.16"]


def test_an_unpacked_tree_is_made_again_only_from_its_own_release(cache: Path) -> None:
    put(cache / "sources/trees/6.16/Makefile", 10)
    put(cache / "packages/source/6.16.3.tar.xz", 10)
    assert {entry.name: entry.again for entry in entries(cache, silent)}["sources/trees/6.16"] == NEVER
    put(cache / "packages/source/6.16.tar.xz", 10)
    assert {entry.name: entry.again for entry in entries(cache, silent)}["sources/trees/6.16"] == MAKE


def test_sizes_are_those_of_the_disk_and_of_the_files(cache: Path) -> None:
    put(cache / "snapshots" / "whole", 1 << 20)
    with (cache / "snapshots" / "holes").open("wb") as file:
        file.truncate(1 << 20)
    put(cache / "guest" / "x86_64" / "a", 1 << 16)
    os.link(cache / "guest" / "x86_64" / "a", cache / "guest" / "x86_64" / "b")
    found = {entry.name: entry for entry in entries(cache, silent)}
    assert [found[f"snapshots/{name}"].apparent_bytes for name in ("whole", "holes")] == [1 << 20, 1 << 20]
    assert found["snapshots/whole"].bytes >= 1 << 20
    assert found["snapshots/holes"].bytes < 1 << 16
    assert sum(found[f"guest/x86_64/{name}"].apparent_bytes for name in "ab") == 1 << 16


def test_an_age_frees_what_was_not_used_since(kassay: Kassay, filled: Path) -> None:
    before = files(filled)
    planned = shown(kassay, "free", "--older", "30d", "--plan")
    assert files(filled) == before
    freed = shown(kassay, "free", "--older", "30d")
    assert freed["entries"] == planned["entries"]
    assert (planned["plan"], freed["plan"]) == (True, False)
    assert names(freed) == {
        f"kernels/{LISTED}", f"kernels/{BUILT}.build", "packages/x86_64/linux-image-6.17_6.17-1.deb", "build/src-0",
        "snapshots/e1", "guest/x86_64/init-1", "lines/key2.elf", "sources/trees/.6.17.partial",
    }  # fmt: skip
    assert files(filled) == {
        "apt/m/x86_64/kernels.json", "archive/n/x86_64/lists", f"kernels/{GONE}/image", f"kernels/{GONE}/kernel.json",
        f"kernels/{LISTED}.file/image", f"kernels/{LISTED}.file/kernel.json", "packages/x86_64/redis_7-1.deb",
        "sources/git/objects/pack", "snapshots/e2", "refs/build/key1", "strange", "use.lock",
    }  # fmt: skip
    assert shown(kassay, "show")["bytes"] <= freed["bytes_after"]


def test_a_size_frees_the_longest_unused_until_it_is_reached(kassay: Kassay, filled: Path) -> None:
    put(filled / "snapshots" / "e0", 50_000, 1_600_000_000)
    total = shown(kassay, "show")["bytes"]
    freed = shown(kassay, "free", "--to", f"{total - 1000}B")
    assert names(freed) == {"snapshots/e0"}
    assert freed["bytes_after"] <= total - 1000
    status, out, _ = kassay("cache", "free", "--to", "1KiB")
    assert status == 0
    assert "cannot be had again. Only --kind inputs --kind " in " ".join(out.split())
    assert {entry["again"] for entry in shown(kassay, "show")["entries"]} == {"no"}


def test_a_size_that_the_age_prevents_is_not_blamed_on_kinds(kassay: Kassay, filled: Path) -> None:
    put(filled / "snapshots" / "e0", 50_000)
    _, out, _ = kassay("cache", "free", "--older", "9000w", "--to", "1KiB")
    assert "the rest was used lately, or is of another kind" in " ".join(out.split())


def test_what_may_not_be_had_again_is_freed_only_by_its_kind(kassay: Kassay, filled: Path) -> None:
    freed = shown(kassay, "free", "--kind", "packages", "--kind", "sources")
    assert names(freed) == {
        "packages/x86_64/linux-image-6.17_6.17-1.deb", "packages/x86_64/redis_7-1.deb", "sources/git",
    }  # fmt: skip
    assert not (filled / "sources" / "git").exists()
    assert (filled / "strange").exists()


def test_nothing_is_freed_while_another_kassay_runs(kassay: Kassay, filled: Path) -> None:
    before = files(filled)
    with cache_shared(lambda _: None):
        status, _, err = kassay("cache", "free", "--older", "1d")
        assert (status, files(filled)) == (3, before)
        assert f"is in use by another kassay (process {os.getpid()})" in err
        assert shown(kassay, "free", "--older", "1d", "--plan")["entries"]


def test_a_command_waits_until_room_is_made(kassay: Kassay, filled: Path) -> None:
    """The command of another process; threads have locks of their own as well."""
    ended, waited = threading.Event(), threading.Event()

    def use() -> None:
        with cache_shared(lambda _: waited.set()):
            ended.set()

    with cache_alone():
        thread = threading.Thread(target=use)
        thread.start()
        assert waited.wait(20)
        assert not ended.is_set()
    thread.join(20)
    assert ended.is_set()


def test_every_command_keeps_the_cache_while_it_runs(
    kassay: Kassay, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = list[bool]()

    def probe(*_: object) -> None:
        try:
            with cache_alone():
                held.append(False)
        except Exception:
            held.append(True)

    monkeypatch.setattr("kassay.commands.doctor.arch_of", probe)
    monkeypatch.setattr("kassay.commands._doctor_probes.probes", lambda *_: [])
    kassay("doctor")
    assert held == [True]
    probe()
    assert held == [True, False]


@pytest.mark.slow
def test_what_was_freed_is_made_again(kassay: Kassay, cache: Path) -> None:
    program = build("init", "x86_64")
    content = program.read_bytes()
    assert kassay("cache", "free", "--kind", "programs").status == 0
    assert not files(cache / "guest")
    assert build("init", "x86_64").read_bytes() == content


def test_a_directory_without_permission_to_write_is_freed(kassay: Kassay, cache: Path) -> None:
    put(cache / "compilers" / "gcc-12" / "usr" / "bin" / "gcc", 10)
    (cache / "compilers" / "gcc-12" / "usr" / "bin").chmod(0o555)
    assert kassay("cache", "free", "--kind", "compilers").status == 0
    assert not list((cache / "compilers").iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("free",), "what is to be freed?"),
        (("free", "--older", "soon"), "not an age"),
        (("free", "--to", "small"), "is not a size"),
        (("free", "--to", "10"), "--to 10: a number without a unit"),
        (("free", "--kind", "snapshot"), "did you mean snapshots?"),
        (("show", "--kind", "kernel"), "did you mean kernels?"),
    ],
)
def test_wrong_words_are_named(kassay: Kassay, cache: Path, words: tuple[str, ...], said: str) -> None:
    status, _, err = kassay("cache", *words)
    assert (status, said in err) == (2, True), err


def test_an_empty_cache_is_shown_and_freed(kassay: Kassay, cache: Path) -> None:
    assert shown(kassay, "show")["entries"] == []
    assert shown(kassay, "free", "--older", "1d")["entries"] == []
    assert "0 KiB in" in kassay("cache").out


def test_a_long_walk_tells_of_itself(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, now = list[Progress](), iter(range(0, 10**6, 3))
    monkeypatch.setattr("kassay.effects.clock.monotonic_s", lambda: next(now))
    entries(filled, told.append)
    assert told
    assert {event.stage for event in told} == {"cache"}


def entry(number: int, used: int, size: int, again: str) -> Entry:
    return Entry(kind="snapshots", name=str(number), title="", bytes=size, apparent_bytes=size, used="", used_s=used,
                 needed_by=(), again=again, paths=())  # fmt: skip


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(1, 99), st.sampled_from(("made", "no"))), max_size=20),
    st.integers(0, 2000),
)
def test_no_entry_is_freed_needlessly(rows: list[tuple[int, int, str]], most: int) -> None:
    found = [entry(number, *row) for number, row in enumerate(rows)]
    freed = chosen(found, Wish(to_bytes=most))
    total = sum(one.bytes for one in found)
    assert all(one.again != NEVER for one in freed)
    left = total - sum(one.bytes for one in freed)
    assert left <= most or all(one in freed or one.again == NEVER for one in found)
    assert not freed or left + freed[-1].bytes > most
    kept = [one.used_s for one in found if one not in freed and one.again != NEVER]
    assert not freed or not kept or max(one.used_s for one in freed) <= min(kept)


def test_every_place_of_the_cache_has_a_kind() -> None:
    """A new directory of the cache must be added to the table, or nobody could free it."""
    places = {
        part
        for path in (ROOT / "src" / "kassay").rglob("*.py")
        for part in _places(path.read_text())
        if kind_of(part) == "other" and kind_of(f"{part}/x") == "other" and kind_of(f"{part}/x/y") == "other"
    }
    assert places == set()
    assert len(kinds()) == len(AREAS)


def _places(text: str) -> set[str]:
    import re

    return {name for name in re.findall(r'cache_directory\(\) / "([\w-]+)"', text) if not name.endswith("lock")}


def test_locks_are_no_entries(cache: Path) -> None:
    with locked(cache / "snapshots" / "e.lock"), locked(cache / "build" / "lock"), locked(cache / "host.lock"):
        assert entries(cache, silent) == ()


def test_a_cache_that_is_no_directory_and_a_user_without_a_home_are_named(
    kassay: Kassay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    refused = kassay("cache", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (refused.status, "no directory" in refused.err) == (3, True), refused.err
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    refused = kassay("cache")
    assert (refused.status, "set HOME, or XDG_CACHE_HOME" in refused.err) == (3, True), refused.err


def test_a_cache_that_may_not_be_read_is_empty(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def glob(path: Path, pattern: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    put(cache / "refs" / "build" / "key", 10)
    monkeypatch.setattr(Path, "glob", glob)
    assert [entry.kind for entry in entries(cache, silent)] == ["inputs"]


def test_options_of_all_kinds_need_no_further_word(kassay: Kassay, filled: Path) -> None:
    status, out, err = kassay("cache", "--kind", "kernels", "--format", "json")
    assert status == 0, err
    found, same = json.loads(out), shown(kassay, "show", "--kind", "kernels")
    assert (found["kinds"], found["entries"]) == (same["kinds"], same["entries"])
    assert [kind["kind"] for kind in found["kinds"]] == ["kernels"]
    status, _, err = kassay("cache", "--format", "json", "show")
    assert (status, "kassay cache show ..." in err) == (2, True)


def test_an_option_before_a_command_is_refused_whatever_its_value(kassay: Kassay, filled: Path) -> None:
    for option in (("--kind", "lists"), ("--format", "json"), ("--format", "terminal")):
        assert "an option stands before show" in kassay("cache", *option, "show").err
