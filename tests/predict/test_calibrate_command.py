# SPDX-License-Identifier: GPL-2.0-only
"""`kassay calibrate` refuses a wrong file before it measures anything."""

from pathlib import Path

import pytest

from tests.commands.conftest import Kassay
from tests.commands.conftest import kassay as kassay


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--out", "x.json"), "--out x.json: a timing file's name ends in .toml"),
        (("zen4", "--pairs", "/nowhere"), "/nowhere: No such file"),
        (("nonesuch", "--check"), "no timing file for CPU 'nonesuch'"),
        (("zen4", "--check"), "zen4: from published data, of no machine"),
    ],
)
def test_a_wrong_file_is_named(kassay: Kassay, words: tuple[str, ...], what: str) -> None:
    status, _, err = kassay("calibrate", *words)
    assert status == 2 and what in err, err


def test_a_file_that_holds_no_changes_is_named(kassay: Kassay, tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text('{"schema": "kassay-pairs/9", "cpu": "zen4", "pairs": []}')
    status, _, err = kassay("calibrate", "zen4", "--pairs", str(path))
    assert status == 2 and "schema 'kassay-pairs/9'" in err and "known: kassay-pairs/1" in err, err
