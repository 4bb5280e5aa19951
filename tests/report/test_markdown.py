# SPDX-License-Identifier: GPL-2.0-only
"""Markdown that shows exactly what was said."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.report.document import Document, section
from kassay.report.formats import format_named
from kassay.report.writers import writer_named
from kassay.report.writers.markdown import SUMMARY
from kassay.report.writers.markdown_full import _fenced, escaped
from tests.report.reports import SAMPLES


def test_every_row_of_every_table_has_as_many_cells_as_its_head() -> None:
    for sample in SAMPLES.values():
        text = format_named("markdown_full").render(sample())
        tables = re.findall(r"(?m)(?:^\| .*\n?)+", text)
        assert tables
        for table in tables:
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


def test_no_name_becomes_a_tag() -> None:
    prose = re.sub(r"(?ms)^(`{3,})\n.*?^\1$", "", format_named("markdown").render(SAMPLES["hostile"]()))
    for mark in ("<details><summary>", "</summary>", "</details>"):
        prose = re.sub(f"(?m)^{mark}|{mark}$", "", prose)
    assert "<" not in prose


def parts(text: str) -> tuple[str, list[str]]:
    """The part seen at once, and each fold."""
    seen, *folds = re.split(r"(?m)^<details>", text)
    return seen, folds


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_page_to_paste_opens_with_a_summary_and_fits_into_a_comment(sample: str) -> None:
    whole, text = (format_named(name).render(SAMPLES[sample]()) for name in ("markdown_full", "markdown"))
    seen, folds = parts(text)
    assert len(seen.encode()) <= SUMMARY and len(text.encode()) < 65_536
    assert bool(folds) == (len(whole.encode()) > SUMMARY)
    assert not seen.rstrip().splitlines()[-1].startswith("#")
    assert "Too long for a comment" not in text
    assert {line for line in whole.splitlines() if line.startswith("| ")} <= set(text.splitlines())


def test_what_does_not_fit_is_named_with_the_way_to_it() -> None:
    long = tuple(section(f"part {i}", text=[f"{i} " + "word " * 6000]) for i in range(3))
    document = Document(title="Did it?", blocks=long, kicker="kassay", kassay_version="0")
    text = writer_named("markdown").render(document)
    assert [fold[:24] for fold in parts(text)[1]] == ["<summary>part 0</summary"]
    assert text.splitlines()[-1] == "Too long for a comment: part 1, part 2. See --format markdown_full."
    assert len(text.encode()) < 65_536


@given(st.text())
def test_escaped_text_reads_as_itself(text: str) -> None:
    flat = escaped(text)
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
    assert escaped("change_pte_range") == "change_pte_range"
