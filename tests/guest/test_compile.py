# SPDX-License-Identifier: GPL-2.0-only
"""Programs are built once, the same everywhere, and what is missing is named."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.errors import BadInput, Defect, HostLacks
from kassay.supply.guest import compile, sources

GUEST = sources.directory()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources in another folder, and an empty cache."""
    copy = tmp_path / "some" / "other" / "place"
    shutil.copytree(GUEST, copy, ignore=shutil.ignore_patterns("build"))
    monkeypatch.setattr(sources, "directory", lambda: copy)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return copy


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_folder_and_make_builds_the_same(elsewhere: Path) -> None:
    here = compile.build("calibrate", "x86_64")
    subprocess.run(("make", "-s", "-C", str(elsewhere), "../build/guest/gcc/calibrate"), check=True)
    made = elsewhere.parent / "build" / "guest" / "gcc" / "calibrate"
    assert here.read_bytes() == made.read_bytes()
    assert here.stat().st_mode & 0o111


def test_a_program_is_compiled_again_only_when_its_sources_changed(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []

    def record(program: Any) -> bytes:
        compiled.append(program.name)
        return b"program"

    monkeypatch.setattr(compile, "_compile", record)
    first = compile.build("init", "x86_64")
    assert compile.build("init", "x86_64") == first
    assert compiled == ["init"]
    with (elsewhere / "quiet.c").open("a") as source:
        source.write("/* changed */\n")
    assert compile.build("init", "x86_64") != first
    compile.build("calibrate", "x86_64")
    assert compiled == ["init", "init", "calibrate"]


def test_a_damaged_program_is_compiled_again(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "_compile", lambda program: b"program")
    path = compile.build("init", "x86_64")
    path.write_bytes(b"prog")
    assert compile.build("init", "x86_64").read_bytes() == b"program"
    brought = compile.received_programs({"init": b"brought"}, "gcc", ()).files[0][1]
    brought.write_bytes(b"")
    assert compile.received_programs({"init": b"brought"}, "gcc", ()).files[0][1].read_bytes() == b"brought"


@pytest.mark.slow
def test_common_files_are_compiled_once_for_all_programs(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    run = process.run

    def record(argv: tuple[str, ...], **words: Any) -> process.Completed:
        compiled.extend(argv[-1:] if "-c" in argv else ())
        return run(argv, **words)

    monkeypatch.setattr(process, "run", record)
    compile.build("calibrate", "x86_64")
    assert sorted(compiled) == sorted(sources.files_of("calibrate", "x86_64"))
    compiled.clear()
    compile.build("mincore_scan", "x86_64")
    assert compiled == ["workloads/mincore_scan.c"]
    with (elsewhere / "script.c").open("a") as source:
        source.write("/* changed */\n")
    compiled.clear()
    compile.build("calibrate", "x86_64")
    assert compiled == ["script.c"]


def test_adding_a_workload_leaves_the_others_alone(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "_compile", lambda program: b"program")
    before = compile.build("calibrate", "x86_64")
    shutil.copy(elsewhere / "workloads" / "calibrate.c", elsewhere / "workloads" / "another.c")
    assert "another" in sources.workload_names()
    assert compile.build("calibrate", "x86_64") == before
    assert compile.build("another", "x86_64") != before


@pytest.mark.slow
def test_what_is_missing_is_named_with_what_to_install(elsewhere: Path) -> None:
    with pytest.raises(HostLacks, match=re.escape(install("gcc", "libc6-dev"))):
        compile.build("init", "x86_64", compiler="no-such-compiler")
    with pytest.raises(BadInput, match="unknown workload 'nope'"):
        compile.build("nope", "x86_64")
    (elsewhere / "workloads" / "broken.c").write_text("int main(void) { return unknown; }\n")
    with pytest.raises(Defect, match=r"broken.*unknown"):
        compile.build("broken", "x86_64")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang on this host")
@pytest.mark.parametrize("name", ["init", *sources.workload_names()])
def test_clang_has_no_warning_either(name: str) -> None:
    assert compile.build(name, "x86_64", compiler="clang").is_file()
