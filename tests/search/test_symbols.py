# SPDX-License-Identifier: GPL-2.0-only
"""Candidates between two configurations: each has the symbols of those before it, in the order of the menus."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from kassay.errors import BadInput
from kassay.model.build import parse_build
from kassay.model.experiment import KernelUse
from kassay.model.kernel import KernelRef, parse_ref
from kassay.model.progress import Tell, silent
from kassay.supply.building.config import applicable, merged
from kassay.tools.search import symbols
from kassay.tools.search.candidates import between
from kassay.tools.search.probe import kernel_use

WHOLE = """\
#
# Automatically generated file; DO NOT EDIT.
#
CONFIG_CC_IS_GCC=y

#
# General setup
#
CONFIG_CGROUPS=y
CONFIG_MEMCG=y
# CONFIG_PREEMPT is not set
CONFIG_PREEMPT_LAZY=y
CONFIG_HZ=250
# end of General setup

#
# Device Drivers
#

#
# Bus devices
#
CONFIG_MHI_BUS=y
# end of Bus devices
CONFIG_NVME=y
# end of Device Drivers
CONFIG_ZRAM=m
CONFIG_KSM=y
"""
GOOD = "CONFIG_HZ=250\nCONFIG_PREEMPT=y\nCONFIG_ZRAM=y\n"
TREE = "5b1b93321fb4c4dd9c489ce15c4f3caaadd798d7"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host that can build: the first kernel with GOOD, and a distribution with WHOLE."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "good").write_text(GOOD)
    whole = "".join(f"{line}  # base\n" for line in merged((WHOLE,)))

    def resolved(ref: KernelRef, tell: Tell) -> tuple[SimpleNamespace, str]:
        build = parse_build(ref.locator)
        text = whole if build.config == "distro" else "CONFIG_PREEMPT=y\n"
        text += "".join(f"{line}\n" for line in build.fragments)
        return SimpleNamespace(recipe=SimpleNamespace(requested=text, version="7.3.4", tree=TREE), build=build), ""

    monkeypatch.setattr(symbols, "release_config", lambda version, arch, tell: WHOLE)
    monkeypatch.setattr(symbols, "resolved_build", resolved)
    kernel = SimpleNamespace(config=str(tmp_path / "good"))
    monkeypatch.setattr("kassay.supply.kernels.fetch", lambda refs, flavour, tell: [kernel])
    return tmp_path


def found(fragments: str = "") -> tuple[list[str], list[list[str]]]:
    """Names of the candidates, and the symbols that the fragment of each asks for."""
    bad = f"build:debian-source:7.3,config=distro{fragments}"
    range_ = between("build:debian-source:7.3", bad, "x86_64", "cloud", "version", silent)
    assert range_.kind == "configuration"
    builds = [parse_build(parse_ref(one.ref, "x86_64").locator) for one in range_.candidates]
    assert {(build.tree, build.pin, build.config) for build in builds} == {("debian-source:7.3", TREE, "lab")}
    texts = ["".join(Path(path).read_text() for path in build.fragments) for build in builds]
    return [one.name for one in range_.candidates], [
        [f"{name}={value}" for name, (value, _) in applicable(text, "7.3.4").items()] for text in texts
    ]


def test_symbols_come_in_the_order_of_the_menus_without_drivers_modules_and_the_compilers(store: Path) -> None:
    names, asked = found()
    symbols_ = ["CGROUPS=y", "MEMCG=y", "PREEMPT=n", "PREEMPT_LAZY=y", "KSM=y"]
    assert names == ["good", *(f"CONFIG_{symbol}" for symbol in symbols_)]
    assert asked[0] == [] and asked[2] == ["CONFIG_PREEMPT=y", "CONFIG_CGROUPS=y", "CONFIG_MEMCG=y"]
    assert asked[5] == [f"CONFIG_{symbol}" for symbol in symbols_]


def test_symbols_of_fragments_are_candidates_in_any_menu_or_none(store: Path) -> None:
    (store / "good").write_text(WHOLE)
    assert found("+CONFIG_KASAN=y+CONFIG_NVME=n")[0] == ["good", "CONFIG_KASAN=y", "CONFIG_NVME=n"]


def test_optimisation_is_no_symbol_of_the_compilers(store: Path) -> None:
    (store / "good").write_text(WHOLE.replace("CONFIG_KSM", "# CONFIG_CC_OPTIMIZE_FOR_SIZE is not set\nCONFIG_KSM"))
    assert found("+CONFIG_CC_OPTIMIZE_FOR_SIZE=y")[0] == ["good", "CONFIG_CC_OPTIMIZE_FOR_SIZE=y"]


def test_a_symbol_whose_dependencies_are_off_is_no_failed_build(store: Path) -> None:
    """The mark says so: see config.unmet()."""
    found()
    fragments = list((store / "cache" / "kassay" / "fragments").iterdir())
    assert len(fragments) == 5
    lines = [line for path in fragments for line in path.read_text().splitlines()]
    assert all(line.endswith("  # base") for line in lines)


def test_configurations_without_a_difference_are_refused(store: Path) -> None:
    (store / "good").write_text(WHOLE)
    with pytest.raises(BadInput, match="no symbol that could change the code differs"):
        found()


def test_reports_call_a_candidate_by_its_symbol(store: Path) -> None:
    range_ = between(
        "build:debian-source:7.3", "build:debian-source:7.3,config=distro", "x86_64", "cloud", "version", silent
    )
    uses = [kernel_use(range_.kind, KernelUse(ref="x", cmdline="a"), one) for one in range_.candidates[:2]]
    assert [(use.name, use.cmdline) for use in uses] == [("config=lab", "a"), ("CONFIG_CGROUPS=y", "a")]


@pytest.mark.parametrize(
    ("bad", "alone"),
    [
        ("debian-source:7.3,config=distro", True),
        ("debian-source:7.3,config=lab+CONFIG_KSM=y", True),
        ("debian-source:7.3", False),
        ("debian-source:7.2,config=distro", False),
        ("debian-source:7.3,cc=gcc-12,config=distro", False),
    ],
)
def test_sources_and_compiler_must_be_the_same(bad: str, alone: bool) -> None:
    builds = parse_build("debian-source:7.3"), parse_build(bad)
    assert symbols.differ_in_configuration_alone(*builds) is alone
