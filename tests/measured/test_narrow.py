# SPDX-License-Identifier: GPL-2.0-only
"""Generated pages: where a line of prose is broken."""

from benchmarks._pages import COLUMNS, narrow


def test_a_figure_stays_with_its_percent_sign() -> None:
    """At every place of the line, and so at its end."""
    for length in range(COLUMNS - 12, COLUMNS + 2):
        text = f"{'x' * (length // 2)} {'y' * (length - length // 2 - 1)} closes 35.9 %. The gain depends on it."
        assert not any(line.startswith("%") for line in narrow(text).split("\n"))
        assert narrow(text).replace("\n", " ") == text
