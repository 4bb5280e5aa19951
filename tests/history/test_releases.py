# SPDX-License-Identifier: GPL-2.0-only
"""Kernel releases sort as they were made."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.tools.history.query import release_order

IN_ORDER = (
    "2.6.39", "5.10.0-30-amd64", "6.9.12", "6.12-rc1", "6.12.0-rc2-00017-g0123456789ab", "6.12.0-rc10",
    "6.12.94+deb13-cloud-amd64", "6.16.12", "6.17-rc2-next-20250820", "6.17-rc2-next-20250821", "6.17-rc3", "v6.17",
    "6.17.1", "6.17.13+deb13-cloud-amd64", "7.0.0-rc1", "7.0.13", "7.3~rc7-1~exp1", "7.3.4", "10.0",
)  # fmt: skip


def test_releases_come_in_the_order_in_which_they_were_made() -> None:
    keys = [release_order(release) for release in IN_ORDER]
    assert None not in keys
    for (older, a), (newer, b) in pairwise(zip(IN_ORDER, keys, strict=True)):
        assert a is not None and b is not None
        assert a < b, (older, newer)


@pytest.mark.parametrize("same", [("6.17", "6.17.0"), ("6.17-rc3", "6.17.0-rc3"), ("v6.17.8", "6.17.8-cloud-amd64")])
def test_two_spellings_are_one_release(same: tuple[str, str]) -> None:
    assert release_order(same[0]) == release_order(same[1])


@pytest.mark.parametrize("text", [None, "", "mainline", "f3a9c", "6", "rc3", "next-20250820"])
def test_what_is_no_release_has_no_place(text: str | None) -> None:
    assert release_order(text) is None


@given(st.text(max_size=60))
def test_any_text_is_a_release_or_none(text: str) -> None:
    key = release_order(text)
    assert key is None or (len(key) == 6 and all(part >= 0 for part in key))
