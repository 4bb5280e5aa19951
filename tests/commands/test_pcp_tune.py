# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp tune at the command line."""

from pathlib import Path

import pytest

from kassay.labs.pcp.tune import CONSTANTS
from tests.commands.conftest import Kassay

TRACE = Path(__file__).parent.parent / "data" / "pages" / "handover-6.12.pages.zst"
ASKED = ("pcp", "tune", str(TRACE), "--set", "decay_shift=1")


def test_it_answers_in_every_form(kassay: Kassay, tmp_path: Path) -> None:
    made = kassay(*ASKED, "--out", str(tmp_path / "out"))
    assert made.status == 0 and "the kernel's" in made.out, made.err
    assert f"report: {tmp_path / 'out' / 'report.html'}" in made.out
    assert (tmp_path / "out" / "report.html").is_file()
    assert '"schema": "kassay-pcp-tuning/1"' in kassay(*ASKED, "--format", "json").out
    assert "| the kernel's" in kassay(*ASKED, "--format", "markdown").out


@pytest.mark.parametrize(
    ("words", "wrong"),
    (
        (("--set", "decay_shift=x"), "not whole numbers"),
        (("--set", "decay_shift="), "write NAME=VALUE"),
        (("--set", "nothing=1"), "no constant of a policy"),
        (("--set", "batch=1", "--set", "batch=2"), "given twice"),
        (("--set", "batch=0"), "--set batch=0: not possible"),
        (("--policy", "nothing"), "unknown policy"),
    ),
)
def test_what_is_wrong_is_named(kassay: Kassay, words: tuple[str, ...], wrong: str) -> None:
    refused = kassay("pcp", "tune", str(TRACE), *words)
    assert refused.status == 2 and wrong in refused.err


def test_the_help_names_every_constant(kassay: Kassay) -> None:
    assert all(name in kassay("pcp", "tune", "--help").out for name in CONSTANTS)
