# SPDX-License-Identifier: GPL-2.0-only
"""Texts: lines of a page."""

import subprocess

import pytest

from kassay.model.texts import wrap, wrap_command


@pytest.mark.parametrize("width", range(24, 40))
def test_a_number_is_on_one_line(width: int) -> None:
    lines = wrap("It takes 1 177 738 against 2 188 424.5, or -46.2 % of 100 pages", width, "it  ", "    ")
    text = "\n".join(lines)
    assert "1 177 738" in text and "2 188 424.5" in text and "-46.2 %" in text
    assert max(map(len, lines)) <= width and lines[0].startswith("it  It")


COMMAND = "kassay compare mprotect_toggle 'a b  c' 6.17 --set size=2MiB --rounds 8 --perturb 6  # the step alone"


@pytest.mark.parametrize("width", range(30, 120))
def test_a_command_that_is_pasted_is_the_same_command(width: int) -> None:
    """A shell runs it as one command with the same arguments."""
    lines = wrap_command(COMMAND, width, "next  ", "      ")
    pasted = "\n".join(lines).removeprefix("next  ").replace("kassay", "printf '<%s>'", 1)
    shown = subprocess.run(("sh", "-c", pasted), capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    assert shown.stdout.startswith("<compare><mprotect_toggle><a b  c><6.17><--set><size=2MiB>")
    assert shown.stdout.endswith("<--perturb><6>")
    assert max(map(len, lines)) <= width and not any(line.endswith("--set \\") for line in lines)
    words = [word for line in lines for word in line.split() if word not in ("next", "\\", "#")]
    assert words == [word for word in COMMAND.split() if word != "#"]


def test_a_quoted_name_may_hold_what_begins_a_comment() -> None:
    command = "kassay run 'a  # b/spec.toml' --fresh"
    assert wrap_command(f"{command}  # anew", 80) == [f"{command}  # anew"]
    assert wrap_command(command, 80) == [command]
