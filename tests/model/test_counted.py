# SPDX-License-Identifier: GPL-2.0-only
"""A number with its noun, which is in the plural unless there is one of it."""

import pytest

from kassay.model.texts import counted


@pytest.mark.parametrize("text", ["1 boot", "2 boots", "0 boots", "1 entry", "2 entries", "2 days"])
def test_nouns_have_their_plural(text: str) -> None:
    number, noun = text.split()
    singular = {"boots": "boot", "entries": "entry", "days": "day"}.get(noun, noun)
    assert counted(int(number), singular) == text
