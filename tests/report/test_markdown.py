# SPDX-License-Identifier: GPL-2.0-only
"""Markdown that shows exactly what was said."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.formats import format_named
from kassay.report.writers.markdown import _escape, _fenced
from tests.report.reports import SAMPLES


def test_every_row_of_every_table_has_as_many_cells_as_its_head() -> None:
    for sample in SAMPLES.values():
        text = format_named("markdown").render(sample())
        tables = re.findall(r"(?m)(?:^\| .*\n?)+", text)
        assert tables
        for table in tables:
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


def test_no_name_becomes_a_tag() -> None:
    prose = re.sub(r"(?ms)^(`{3,})\n.*?^\1$", "", format_named("markdown").render(SAMPLES["hostile"]()))
    assert "<" not in prose


@given(st.text())
def test_escaped_text_reads_as_itself(text: str) -> None:
    flat = _escape(text)
    assert "\n" not in flat
    back = re.sub(r"\\([\\`*\[\]|~_])", r"\1", flat).replace("&lt;", "<").replace("&amp;", "&")
    if text.isprintable():
        assert back == text


@given(st.text(alphabet="`a\n"))
def test_no_text_leaves_its_fence(text: str) -> None:
    lines = _fenced(text).split("\n")
    assert lines[0] == lines[-1]
    assert all(not line.startswith(lines[0]) for line in lines[1:-1])


def test_a_function_name_keeps_its_underscores() -> None:
    assert _escape("change_pte_range") == "change_pte_range"
