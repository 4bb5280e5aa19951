# SPDX-License-Identifier: GPL-2.0-only
"""Does docs/architecture.svg show the table of tests/test_layers.py, with the experiment's path in order?"""

from tests.layers_picture import PICTURE, STAGES, direct_needs, rows, svg
from tests.test_layers import ALLOWED


def test_picture_is_made_from_the_table() -> None:
    assert PICTURE.read_text("utf-8") == svg(), "run `make pages`"
    assert set(STAGES) <= ALLOWED.keys()


def test_each_part_stands_above_what_it_imports() -> None:
    needs = direct_needs()
    height = {part: level for level, row in enumerate(rows(needs)) for part in row}
    assert height.keys() == needs.keys()
    assert [(part, other) for part in needs for other in needs[part] if height[other] >= height[part]] == []
