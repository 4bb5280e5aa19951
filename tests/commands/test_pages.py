# SPDX-License-Identifier: GPL-2.0-only
"""docs/reference/commands.md has the help texts as they are."""

from tests.commands.pages import PAGE, page


def test_the_page_is_that_of_the_commands_as_they_are() -> None:
    text = page()
    assert "## kassay review" in text
    assert text.count("`--percpu-high-fraction`") == 1  # what commands share stands once
    assert "those of `kassay compare`, except `--debug-symbols`.\n" in text  # kassay series
    assert PAGE.read_text("utf-8") == text, "run `make pages`"
