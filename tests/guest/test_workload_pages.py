# SPDX-License-Identifier: GPL-2.0-only
"""docs/reference/workloads/ says what the programs say."""

from tests.guest.workload_pages import DIRECTORY, pages


def test_the_pages_are_those_of_the_programs_as_they_are() -> None:
    written = {path.name: path.read_text("utf-8") for path in DIRECTORY.glob("*.md")}
    assert written == pages(), "run `make pages`"
