# SPDX-License-Identifier: GPL-2.0-only
"""Calls of make, with a few lines that stand for the kernel's Makefile."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import HostLacks, NotBuilt
from kassay.model.progress import Progress, silent
from kassay.supply.building import git, kbuild, workspace
from kassay.supply.building.compilers import Compiler

MAKEFILE = """VERSION = 7
PATCHLEVEL = 3
ifneq ($(LLVM),)
LD = ld.lld
else
LD = $(CROSS_COMPILE)ld
endif
%config:
	{ echo "# Linux/x86 7.3.0 Configuration"; cat $(KCONFIG_ALLCONFIG); echo 'CONFIG_LD="$(LD)"'; } > $(O)/.config
vmlinux:
	echo '$(LD) $(KCFLAGS)' "$$CCACHE_COMPILERCHECK $$CCACHE_CONFIGPATH $$CCACHE_DISABLE" > $(O)/vmlinux
broken:
	echo 'mm/x.c:1:2: error: no' >&2; exit 1
killed:
	kill -9 $$PPID
oom:
	kill -9 $$$$
"""


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> workspace.Recipe:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Makefile").write_text(MAKEFILE)
    compiler = Compiler(
        path="/usr/bin/gcc", arch="x86_64", banner="gcc 1", identity="the-identity", make_arguments=("CC=gcc",),
        tools_prefix="",
    )  # fmt: skip
    return workspace.Recipe("0" * 40, "7.3.0", "x86_64", compiler, "GNU ld 2.40", "CONFIG_A=y\n", "allno", "linux")


def objects(place: Path, recipe: workspace.Recipe) -> Path:
    made = workspace.objects_in(place / "src", recipe)
    workspace.configure(place / "src", made, recipe, silent)
    return made


def test_an_object_whose_source_is_gone_is_removed(recipe: workspace.Recipe, tmp_path: Path) -> None:
    """make would take it for up to date, and link it where the Makefile still names it."""
    source = tmp_path / "src"
    (source / "mm").mkdir()
    for name in ("gone", "kept"):
        (source / "mm" / f"{name}.c").write_text("")
    recipe = recipe._replace(tree=git.tree_of_files(source, silent, subject="x"))
    made = objects(tmp_path, recipe)
    (made / "mm").mkdir()
    for name in ("gone", "kept"):
        (made / "mm" / f"{name}.o").write_text("")
    (source / "mm" / "gone.c").unlink()
    objects(tmp_path, recipe._replace(tree=git.tree_of_files(source, silent, subject="x")))
    assert [path.name for path in (made / "mm").iterdir()] == ["kept.o"]


def test_what_a_user_has_set_for_builds_of_his_own_plays_no_part(
    recipe: workspace.Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"LLVM": "1", "CROSS_COMPILE": "other-", "MAKEFLAGS": "-n", "KCFLAGS": "-O0",
                        "KCONFIG_CONFIG": "/nowhere/.config", "CCACHE_DISABLE": "1"}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    made = objects(tmp_path, recipe)
    assert 'CONFIG_LD="ld"' in (made / ".config").read_text()
    workspace.make(tmp_path / "src", made, recipe, "vmlinux", tmp_path / "log", silent)
    assert (made / "vmlinux").read_text().split() == [
        "ld",
        "-g1",
        "string:the-identity",
        "GNU",
        "ld",
        "2.40",
        "/dev/null",
    ]


def test_nothing_that_is_set_is_taken_away_again() -> None:
    assert not set(kbuild.variables("x")) & set(kbuild.argv())


def test_a_failure_of_the_sources_leaves_objects_that_can_be_used(recipe: workspace.Recipe, tmp_path: Path) -> None:
    made = objects(tmp_path, recipe)
    with pytest.raises(NotBuilt, match=r"mm/x\.c:1:2: error: no"):
        workspace.make(tmp_path / "src", made, recipe, "broken", tmp_path / "log", silent)
    workspace.fit(made, recipe, silent)
    assert (made / ".config").exists()


def test_when_make_itself_is_killed_the_sources_are_not_blamed_and_its_objects_not_believed(
    recipe: workspace.Recipe, tmp_path: Path
) -> None:
    made = objects(tmp_path, recipe)
    with pytest.raises(HostLacks, match="killed by signal 9"):
        workspace.make(tmp_path / "src", made, recipe, "killed", tmp_path / "log", silent)
    told: list[Progress] = []
    workspace.fit(made, recipe, told.append)
    assert not made.exists()
    assert any("interrupted" in event.text for event in told)


def test_a_compiler_that_is_killed_is_no_failure_of_the_sources(recipe: workspace.Recipe, tmp_path: Path) -> None:
    made = objects(tmp_path, recipe)
    with pytest.raises(HostLacks, match=r"(?s)a program of the build was killed.*memory ran out"):
        workspace.make(tmp_path / "src", made, recipe, "oom", tmp_path / "log", silent)


@pytest.mark.parametrize(
    "line",
    [
        "gcc: fatal error: Killed signal terminated program cc1",
        "clang: error: unable to execute command: Killed",
        "make[4]: *** [scripts/Makefile.build:287: mm/x.o] Error 137",
        "cc1: out of memory allocating 65536 bytes after a total of 1 bytes",
    ],
)
def test_words_of_killed_programs_are_known(line: str) -> None:
    assert kbuild.was_killed(f"  CC      mm/x.o\n{line}\nmake: *** [Makefile:1: mm] Error 2\n")
    assert not kbuild.was_killed("mm/killed.c:1:2: error: Killed\nmake: *** [Makefile:1: mm/x.o] Error 1\n")


def test_objects_of_another_linker_or_compiler_lie_elsewhere(tmp_path: Path, recipe: workspace.Recipe) -> None:
    one = recipe
    places = {workspace.objects_in(tmp_path, other) for other in (
        one, one._replace(linker="GNU ld 2.41"), one._replace(requested="CONFIG_B=y\n"), one._replace(arch="arm64"),
        one._replace(compiler=structs.replace(one.compiler, identity="another")),
    )}  # fmt: skip
    assert len(places) == 5
    assert workspace.objects_in(tmp_path, one._replace(tree="1" * 40)) == workspace.objects_in(tmp_path, one)
