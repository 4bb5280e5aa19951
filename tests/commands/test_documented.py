# SPDX-License-Identifier: GPL-2.0-only
"""Does every command line that the pages show exist, with each of its options?"""

from functools import cache
from typing import Any

import pytest
import typer

from kassay.cli import build_app
from tests.commands.documented import CommandLine, command_lines, problem
from tests.source import ROOT

PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))

ADDED = {"kassay verdicts DIR...", "kassay report DIR --format org --level 2"}
"""Command lines of docs/how-to/extending.md that its own examples add."""


@cache
def program() -> Any:
    return typer.main.get_command(build_app())


def test_every_command_line_of_the_pages_exists() -> None:
    lines = {(str(path.relative_to(ROOT)), line) for path in PAGES for line in command_lines(path.read_text("utf-8"))}
    assert len(lines) > 200
    wrong = [(page, line.text, problem(line, program())) for page, line in sorted(lines) if line.text not in ADDED]
    assert [each for each in wrong if each[-1]] == []


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("Type `kassay compair a b`.", "no command 'compair'"),
        ("Type `kassay compare a b\n--sett c=1`.", "no option '--sett'"),
        ("```\n$ kassay history shew\n```\n", "no command 'shew'"),
        ("```\nA=1 kassay compare a \\\n   --clok kvm | less --wide\n```\n", "no option '--clok'"),
        ("```\ngit bisect run kassay bisect --stop a   as --step\n```\n", "no option '--stop'"),
        ("```\nkassay compare --cflags -O1 a b [--fresh]      with --all of it  # --x\n```\n", ""),
        ('```\nkassay history sql "SELECT a\n  FROM b" --formed json\n```\n', "no option '--formed'"),
        ("```python\nkassay compair\n```\n```\nwhile a kassay measures here\n```\nSee `kassay COMMAND --help`.", ""),
    ],
)
def test_wrong_command_line_is_named(page: str, expected: str) -> None:
    found = [problem(line, program()) for line in command_lines(page)]
    assert found and [each for each in found if each] == ([expected] if expected else [])


def test_command_line_ends_before_the_next_one() -> None:
    page = "```\nkassay bundle verify a.zst && kassay bundle rerun 'b c' --out d > e\n```\n"
    assert list(command_lines(page)) == [CommandLine("kassay bundle verify a.zst", begins=True)]
