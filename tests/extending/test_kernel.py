# SPDX-License-Identifier: GPL-2.0-only
"""A kind of kernel reference from outside: its words are in errors, and its source is asked."""

from pathlib import Path

import pytest

from tests.extending.outside import Outside, outside

WORDS = '''
"""shelf:NAME: a kernel from the shelf."""

from kassay.model.kinds import Kind

KIND = Kind(name="shelf", order=90, grammar="shelf:NAME of a kernel on the shelf")
'''
SOURCE = '''
"""shelf:NAME: the shelf is empty."""

from kassay.errors import BadInput
from kassay.supply.kernels import KernelSource


class Shelf(KernelSource):
    name = "shelf"
    summary = "a kernel from the shelf"

    def resolve(self, ref, flavour, tell):
        raise BadInput(f"the shelf has no {ref.locator}", "buy one")


SOURCE = Shelf()
'''


@pytest.fixture
def added(tmp_path: Path) -> Outside:
    found = outside(tmp_path)
    found.add("kinds/shelf.py", WORDS)
    found.add("kernels/shelf.py", SOURCE)
    return found


def test_its_source_is_asked_and_its_words_are_shown(added: Outside) -> None:
    assert "the shelf has no 6.12" in added.kassay("kernels", "show", "shelf:6.12", status=2)
    assert "write shelf:NAME of a kernel on the shelf" in added.kassay("kernels", "show", "shelf:", status=2)
    assert "pacman:, shelf:" in added.kassay("kernels", "show", "shel", status=2)
