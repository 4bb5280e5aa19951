# SPDX-License-Identifier: GPL-2.0-only
"""Texts: lines of a page."""

import pytest

from kassay.model.texts import wrap


@pytest.mark.parametrize("width", range(24, 40))
def test_a_number_is_on_one_line(width: int) -> None:
    lines = wrap("It takes 1 177 738 against 2 188 424.5, or -46.2 % of 100 pages", width, "it  ", "    ")
    text = "\n".join(lines)
    assert "1 177 738" in text and "2 188 424.5" in text and "-46.2 %" in text
    assert max(map(len, lines)) <= width and lines[0].startswith("it  It")
