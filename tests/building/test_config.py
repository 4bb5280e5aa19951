# SPDX-License-Identifier: GPL-2.0-only
"""Options that a configuration was asked for, and those of them that it lacks."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.model.build import BuildRef
from kassay.model.progress import Tell, silent
from kassay.supply.building import git
from kassay.supply.building.config import (
    added_symbols,
    applicable,
    for_sources,
    merged,
    otherwise,
    requested,
    switched_off,
    undefined,
    unmet,
    values,
    version_in,
)

FINAL = "#\n# Linux/x86 6.18.2 Kernel Configuration\n#\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_N=250\n"


def never(version: str, arch: str, tell: Tell) -> str:
    raise AssertionError("only config=distro asks for the distribution's configuration")


def test_what_came_out_as_asked_is_met() -> None:
    assert unmet("CONFIG_A=y\nCONFIG_B=n\nCONFIG_N=250\nCONFIG_ABSENT=n\n", FINAL) == ()


def test_what_did_not_come_out_is_said_in_words() -> None:
    said = unmet("CONFIG_B=y\nCONFIG_NOSUCH=y\nCONFIG_A=n\n", FINAL)
    assert said == (
        "CONFIG_B=y: came out as n",
        "CONFIG_NOSUCH=y: no such symbol, or what it depends on is off",
        "CONFIG_A=n: came out as y",
    )


def test_what_distributions_are_asked_to_switch_off_may_be_asked_for() -> None:
    assert unmet('CONFIG_DEBUG_INFO_NONE=y\nCONFIG_MODULE_SIG_KEY=""\nCONFIG_RUST=n\n', FINAL) == ()
    assert unmet("CONFIG_RUST=y\n", FINAL) == ("CONFIG_RUST=y: no such symbol, or what it depends on is off",)


def test_a_marked_symbol_counts_only_in_its_versions() -> None:
    assert unmet("CONFIG_OLD=y  # until 6.17\nCONFIG_NEW=y  # from 6.19\n", FINAL) == ()
    assert len(unmet("CONFIG_OLD=y  # until 6.18\nCONFIG_NEW=y  # from 6.18\n", FINAL)) == 2


def test_each_version_has_the_last_line_that_is_for_it() -> None:
    request = "".join(
        f"{line}\n" for line in merged(("CONFIG_N=1\nCONFIG_N=2  # until 6.18", "CONFIG_N=3  # from 6.20"))
    )
    asked = {version: applicable(request, version)["CONFIG_N"][0] for version in ("6.18.2", "6.19.0", "6.20.1")}
    assert asked == {"6.18.2": "2", "6.19.0": "1", "6.20.1": "3"}
    assert merged((request, "CONFIG_N=4")) == ("CONFIG_N=4",)


def test_a_remark_that_begins_as_a_mark_is_none() -> None:
    assert merged(("CONFIG_N=1  # until 6.10 it was off",)) == ("CONFIG_N=1",)


def test_a_generated_base_is_told_apart_from_what_was_asked() -> None:
    request = "CONFIG_CC_HAS_X=y  # base\nCONFIG_A=y\n"
    assert unmet(request, FINAL) == ()
    assert len(otherwise(request, FINAL)) == 1


def test_the_last_mention_of_a_symbol_counts() -> None:
    assert merged(("CONFIG_A=y\nCONFIG_B=y", "# CONFIG_A is not set")) == ("CONFIG_B=y", "CONFIG_A=n")


def test_a_line_that_is_no_configuration_is_refused() -> None:
    with pytest.raises(BadInput, match="CONFIGA"):
        merged(("CONFIGA",))


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
def test_the_lab_asks_for_what_the_workloads_need(arch: str) -> None:
    text, base = requested(BuildRef(tree="x", fragments=("CONFIG_NUMA=y",)), arch, "7.3.4", never, silent)
    asked = applicable(text, "7.3.4")
    assert base == "allno"
    for symbol in ("ZRAM", "TRANSPARENT_HUGEPAGE", "PROC_PAGE_MONITOR", "SMP", "KALLSYMS", "NUMA"):
        assert asked[f"CONFIG_{symbol}"] == ("y", True)


def test_the_distribution_s_configuration_is_a_base_that_the_lab_s_deviations_change() -> None:
    def distro(version: str, arch: str, tell: Tell) -> str:
        assert (version, arch) == ("6.18.2", "x86_64")
        return "CONFIG_NUMA=y\nCONFIG_RUST=y\n"

    text, base = requested(BuildRef(tree="x", config="distro"), "x86_64", "6.18.2", distro, silent)
    asked = applicable(text, "6.18.2")
    assert base == "full"
    assert asked["CONFIG_NUMA"] == ("y", False)
    assert asked["CONFIG_RUST"] == ("n", True)


def test_a_config_file_of_another_compiler_is_a_base(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text('CONFIG_CC_VERSION_TEXT="gcc 99"\nCONFIG_A=y\n')
    text, base = requested(
        BuildRef(tree="x", config=str(file), fragments=("CONFIG_Q=y",)), "x86_64", "6.18.2", never, silent
    )
    assert base == "full"
    assert unmet(text, FINAL) == ("CONFIG_Q=y: no such symbol, or what it depends on is off",)


def test_a_missing_fragment_is_refused() -> None:
    with pytest.raises(BadInput, match="nosuch"):
        requested(BuildRef(tree="x", fragments=("/nosuch/file",)), "x86_64", "7.3", never, silent)


def test_the_version_is_read_from_the_makefile() -> None:
    assert version_in("VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION = -rc1\n", "here") == "7.4.0-rc1"


@given(st.dictionaries(st.from_regex(r"CONFIG_[A-Z0-9_]{1,8}", fullmatch=True), st.sampled_from(["y", "n", "12"])))
def test_merging_and_reading_agree(asked: dict[str, str]) -> None:
    assert values("\n".join(merged(["".join(f"{k}={v}\n" for k, v in asked.items())]))) == asked


def test_symbols_that_sources_do_not_define_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sources = tmp_path / "linux"
    (sources / "mm").mkdir(parents=True)
    (sources / "mm" / "Kconfig.debug").write_text(
        "config A\n\tbool\n\nmenuconfig B\n\tbool\nif A\n  config AB\nendif\n"
    )
    (sources / "mm" / "a.c").write_text("config TYPO\n")
    build = BuildRef(tree="x", fragments=("CONFIG_AB=n", "CONFIG_TYPO=n", "CONFIG_A=n", "CONFIG_Y=y", "CONFIG_B=n"))
    asked = switched_off(build, "6.18.2")
    assert asked == ("CONFIG_AB", "CONFIG_TYPO", "CONFIG_A", "CONFIG_B")
    assert undefined(git.tree_of_files(sources, silent, subject="x"), asked) == ()  # no sources of a kernel
    (sources / "Kconfig").write_text("menuconfig MODULES# loadable\n")
    assert undefined(git.tree_of_files(sources, silent, subject="x"), asked) == ("CONFIG_TYPO",)
    assert undefined("0" * 40, ()) == ()


def test_a_symbol_that_only_other_sources_define_is_not_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sources = tmp_path / "linux"
    for name, symbols in (("mm", ("OLD",)), ("kernel", ("MODULES", "COMMON")), ("arch/arm64", ("ARM",))):
        kconfig(sources / name, *symbols)
    base = git.tree_of_files(sources, silent, subject="x")
    kconfig(sources / "mm", "OLD", "NEW", "COMMON")  # another definition of COMMON
    kconfig(sources / "arch/arm64", "ARM", "NEWARM")
    kconfig(sources / "arch/x86", "ARM", "X86")
    head = git.tree_of_files(sources, silent, subject="x")
    new = ("CONFIG_ARM", "CONFIG_X86", "CONFIG_NEW")
    assert added_symbols(base, head, "x86_64") == new and added_symbols(head, base, "x86_64") == ()
    assert added_symbols(base, head, "arm64") == ("CONFIG_NEWARM", "CONFIG_NEW")
    old = ("CONFIG_OLD=y", "CONFIG_COMMON=y", "CONFIG_TYPO=y")
    build = BuildRef(tree="x", fragments=("CONFIG_NEW=y", "CONFIG_ARM=y", *old))
    assert for_sources(build, base, (base, head), "x86_64").fragments == old
    assert for_sources(build, head, (base, head), "x86_64") == build


PROMPTS = """
config SELECTED
\tbool
\thelp
\t  bool "x"

config ALONE
\tdef_bool y

choice
\tprompt "x"

config CHOSEN
\tdef_bool y
\tprompt "x" if A

  menuconfig LAST
  tristate 'x'
"""


def test_a_symbol_without_a_prompt_is_none_to_ask_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kconfig(tmp_path / "linux", "MODULES")
    base = git.tree_of_files(tmp_path / "linux", silent, subject="x")
    (tmp_path / "linux" / "Kconfig.mm").write_text(PROMPTS)
    head = git.tree_of_files(tmp_path / "linux", silent, subject="x")
    assert added_symbols(base, head, "x86_64") == ("CONFIG_CHOSEN", "CONFIG_LAST")


def kconfig(directory: Path, *symbols: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "Kconfig").write_text("".join(f'config {symbol} # remark\n\tbool "x"\n\n' for symbol in symbols))


def test_symbols_of_a_fragment_count_in_their_versions(tmp_path: Path) -> None:
    fragment = tmp_path / "f"
    fragment.write_text("CONFIG_A=n  # from 6.19\n# CONFIG_B is not set\nCONFIG_C=n  # base\n")
    assert switched_off(BuildRef(tree="x", fragments=(str(fragment),)), "6.18.2") == ("CONFIG_B",)
