# SPDX-License-Identifier: GPL-2.0-only
"""`kassay notice` refuses wrong arguments before anything is measured."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.notice.commands._answer import answer
from kassay.labs.notice.commands._options import Noticing


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["change_protection"], "functions are looked for on one kernel, or on two"),
        (["change_protection", "6.12", "6.16", "6.17"], "functions are looked for on one kernel, or on two"),
        (["6.16", "6.17"], "functions are looked for"),
        (["change_protection", "6.17", "debian:6.17"], "the same kernel twice"),
        (["no/such/directory", "6.17"], "neither a directory of runs nor a function's name"),
    ],
)
def test_words_that_ask_nothing(words: list[str], part: str) -> None:
    with pytest.raises(BadInput, match=part):
        answer(words, Noticing(apps="mprot"))


def test_a_suite_that_is_not_there_and_no_runs(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="unknown suite"):
        answer(["do_wp_page", "6.17"], Noticing(suite="no_such_suite"))
    with pytest.raises(BadInput, match="no runs of applications"):
        answer(["do_wp_page", "6.17"], Noticing(suite="mm", measure=False))
    with pytest.raises(BadInput, match="not a run directory"):
        answer(["do_wp_page", "6.17"], Noticing(runs=[tmp_path]))
