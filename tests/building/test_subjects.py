# SPDX-License-Identifier: GPL-2.0-only
"""Versions, numbers and titles of subjects, as people write them."""

import pytest

from kassay.supply.building.subjects import parse_subject


@pytest.mark.parametrize(
    ("subject", "version", "number", "title", "is_reply"),
    [
        ("[PATCH] mm: a", 1, None, "mm: a", False),
        ("[PATCH v2 3/5] mm: a", 2, (3, 5), "mm: a", False),
        ("[PATCHv3 03/12] mm: a", 3, (3, 12), "mm: a", False),
        ("[RFC 2/2] mm: a", 1, (2, 2), "mm: a", False),
        ("[RFC v2 0/2] mm: a", 2, (0, 2), "mm: a", False),
        ("[PATCH 2/2 v2] mm: a", 2, (2, 2), "mm: a", False),
        ("[v2 PATCH 1/2] mm: a", 2, (1, 2), "mm: a", False),
        ("[RFC][PATCH v2 1/2] mm: a", 2, (1, 2), "mm: a", False),
        ("[linux-mm] [PATCH 1/2] [media] mm: a", 1, (1, 2), "mm: a", False),
        ("[PATCH 4.19/5.4 net/ipv4 1/2] mm: a", 1, (1, 2), "mm: a", False),
        ("[PATCH v6.12 1/2] mm: a", 1, (1, 2), "mm: a", False),
        ("Re: [PATCH v2 1/2] mm: a", 2, (1, 2), "mm: a", True),
        ("SV: [PATCH] mm: a", 1, None, "mm: a", True),
        ("回复：[PATCH] mm: a", 1, None, "mm: a", True),
        ("Antw: [EXT] [PATCH] mm: a", 1, None, "mm: a", True),
        ("Re: mm: a", None, None, "mm: a", True),
        ("mm: a v2 1/2", None, None, "mm: a v2 1/2", False),
        ("[PATCH 1/2]", 1, (1, 2), "[PATCH 1/2]", False),
        ("Re[2]: [EXT] Fwd : [PATCH 1/2] mm: a", 1, (1, 2), "mm: a", True),
        ("[EXT] tr: [PATCH 1/2] mm: a", 1, (1, 2), "mm: a", True),
        ("***SPAM*** [PATCH 1/1] mm: a", 1, (1, 1), "mm: a", False),
        ("mm-unstable: [PATCH 1/2] mm: a", 1, (1, 2), "mm: a", False),
        ("net: [PATCH 1/2] mm: a", 1, (1, 2), "mm: a", False),
        ("[RFCv2 100/120] mm: a", 2, (100, 120), "mm: a", False),
        ("[RFC 100/120] mm: a", 1, (100, 120), "mm: a", False),
        ("net: follow [RFC6724] rules", None, None, "net: follow [RFC6724] rules", False),
        ("net: follow [RFC] rules", None, None, "net: follow [RFC] rules", False),
        ("[RFC 6724] rules", None, None, "rules", False),
        ('Revert "[PATCH] mm: a"', None, None, 'Revert "[PATCH] mm: a"', False),
    ],
)
def test_parts_of_a_subject(
    subject: str, version: int | None, number: tuple[int, int] | None, title: str, *, is_reply: bool
) -> None:
    found = parse_subject(subject)
    assert (found.version, found.number, found.title, found.is_reply) == (version, number, title, is_reply)


def test_words_of_a_tag_are_those_of_its_own_brackets() -> None:
    assert parse_subject("[linux-mm] [RFC] [PATCH mm-unstable 1/2] [media] a").words == [
        "RFC", "PATCH", "mm-unstable", "1/2",
    ]  # fmt: skip
