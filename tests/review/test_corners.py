# SPDX-License-Identifier: GPL-2.0-only
"""Corners: their names, and the references that they make of a kernel."""

import pytest

from kassay.errors import BadInput
from kassay.labs.review.corners import CONFIGURATIONS, all_corners, check_corner, otherwise
from kassay.supply.building.config import FOLDER, lab_config, merged

REF = "build:debian-source:7.3,tree=" + "a" * 40


@pytest.mark.parametrize(
    ("corner", "built"),
    [
        ("cc=clang-19", f"build:debian-source:7.3,cc=clang-19,tree={'a' * 40}"),
        ("arch=arm64,cc=gcc-13", f"build:debian-source:7.3,cc=gcc-13,tree={'a' * 40}"),
        ("cc=gcc-13,config=distro", f"build:debian-source:7.3,cc=gcc-13,config=distro,tree={'a' * 40}"),
        ("config=distro", f"build:debian-source:7.3,config=distro,tree={'a' * 40}"),
        (
            "config=lab+CONFIG_PREEMPT=y",
            f"build:debian-source:7.3,config=lab+CONFIG_PREEMPT=y,tree={'a' * 40}",
        ),
    ],
)
def test_a_corner_is_the_same_source_built_otherwise(corner: str, built: str) -> None:
    assert otherwise(REF, corner, "x86_64") == built


def test_another_architecture_builds_the_same_reference() -> None:
    assert otherwise(REF, "arch=arm64", "arm64") == REF


@pytest.mark.parametrize("corner", all_corners("x86_64"))
def test_every_corner_of_the_list_can_be_named(corner: str) -> None:
    check_corner(corner, "x86_64")


@pytest.mark.parametrize("corner", CONFIGURATIONS[1:])
def test_every_changed_symbol_has_another_value_than_in_the_lab_configuration(corner: str) -> None:
    texts = [path.read_text("utf-8") for path in (FOLDER / "lab.config", lab_config("x86_64"))]
    usual = dict(line.split("  ")[0].split("=", 1) for line in merged(texts))
    for fragment in corner.split("+")[1:]:
        name, _, value = fragment.partition("=")
        assert usual.get(name, "n") != value


@pytest.mark.parametrize(
    "corner",
    ["gcc-12", "cc=", "cc=gcc-14,x", "cpu=zen4", "cc=rustc", "arch=sparc", "config=nope", "config=lab+PREEMPT=y"],
)
def test_other_words_are_refused(corner: str) -> None:
    with pytest.raises(BadInput):
        check_corner(corner, "x86_64")
