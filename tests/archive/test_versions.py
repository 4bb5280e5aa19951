# SPDX-License-Identifier: GPL-2.0-only
"""Version order and choice."""

import itertools
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.supply.archive.versions import choose, series_of, unknown_version, upstream_of, version_key

_LISTED = ("6.12.90-1", "6.12.90-2", "6.12.94-1~bpo12+1", "6.12.94-1", "6.17.8-1~bpo13+1", "6.17.13-1~bpo13+1",
           "7.3~rc7-1~exp1", "7.3.4-1", "6.1.190-1")  # fmt: skip
_VERSIONS = st.from_regex(r"\A([0-9]:)?[0-9][0-9a-c.+~]{0,6}(-[0-9a-c.+~]{1,4})?\Z")


def _dpkg_says(left: str, operator: str, right: str) -> bool:
    return subprocess.run(("dpkg", "--compare-versions", left, operator, right)).returncode == 0


@given(_VERSIONS, _VERSIONS)
def test_the_order_is_that_of_dpkg(left: str, right: str) -> None:
    assert (version_key(left) < version_key(right)) == _dpkg_says(left, "lt", right)
    assert (version_key(left) == version_key(right)) == _dpkg_says(left, "eq", right)


def test_kernel_versions_are_ordered_as_released() -> None:
    ordered = [
        "6.1.190-1",
        "6.12.94-1~bpo12+1",
        "6.12.94-1~deb12u1",
        "6.12.94-1",
        "6.12.113-1",
        "7.3~rc7-1~exp1",
        "7.3-1",
        "7.3.4-1",
    ]
    assert all(version_key(a) < version_key(b) for a, b in itertools.pairwise(ordered))


@pytest.mark.parametrize(
    ("locator", "chosen"),
    [
        ("6.17", "6.17.13-1~bpo13+1"),
        ("6.17.8", "6.17.8-1~bpo13+1"),
        ("6.12.90", "6.12.90-2"),
        ("6.12.90-1", "6.12.90-1"),
        ("6.12.94", "6.12.94-1"),
        ("7.3", "7.3.4-1"),
        ("7.3-rc7", "7.3~rc7-1~exp1"),
        ("7.3~rc7", "7.3~rc7-1~exp1"),
        ("6.1", "6.1.190-1"),
        ("6.15", None),
        ("6.17.9", None),
        ("6", None),
    ],
)
def test_a_locator_chooses_the_newest_package_it_names(locator: str, chosen: str | None) -> None:
    assert choose(locator, _LISTED) == chosen


def test_package_versions_give_up_their_kernel_version() -> None:
    assert upstream_of("6.17.8-1~bpo13+1") == "6.17.8"
    assert upstream_of("7.3~rc7-1~exp1") == "7.3~rc7"
    assert series_of("7.3~rc7-1~exp1") == "7.3"


def test_an_unknown_version_of_a_known_series_lists_the_series() -> None:
    error = unknown_version("debian:6.17.9", "6.17.9", "cloud x86_64", _LISTED)
    assert "'debian:6.17.9'" in error.what
    assert error.remedy == "of 6.17 it has 6.17.8, 6.17.13"


def test_an_unknown_series_lists_every_series() -> None:
    listed = ["6.1.190-1", *(f"6.{minor}.9-1" for minor in range(12, 20)), *(f"7.{minor}.4-1" for minor in range(4))]
    every = "6.1, 6.12, 6.13, 6.14, 6.15, 6.16, 6.17, 6.18, 6.19, 7.0, 7.1, 7.2, 7.3"
    assert unknown_version("debian:6.9", "6.9", "cloud x86_64", listed).remedy == f"series it has: {every}"
    assert "none" in unknown_version("debian:6.9", "6.9", "cloud x86_64", ()).remedy
