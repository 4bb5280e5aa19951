# SPDX-License-Identifier: GPL-2.0-only
"""The robot's table line by line: squeezed or in columns, quoted or not, and what does not fit is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.tools.imports.lkp_table import LkpTable, read_table
from tests.imports.files import MAIL, imported, one, refused

HEADER = [
    "=" * 89,
    "mode/test/testcase:",
    "process/brk1/will-it-scale",
    "commit:",
    'v6.1 ("old")',
    'aaaaaaaaaa ("new "quoted" thing")',
    "v6.1 aaaaaaaaaabbbbbbbbbb1234567",
    "---------------- ---------------------------",
    "%stddev %change %stddev",
    "\\ | \\",
]


def table(*rows: str) -> LkpTable:
    return read_table([*HEADER, *rows, ""], 0, "mail")


def test_the_header_is_kept_as_it_stands() -> None:
    found = table("1.00 +1.0% 1.01 a.b")
    assert found.header.axes == (("mode", "process"), ("test", "brk1"), ("testcase", "will-it-scale"))
    assert (found.header.base_id, found.header.head_id) == ("v6.1", "aaaaaaaaaabbbbbbbbbb1234567")
    assert (found.header.base_subject, found.header.head_subject) == ("old", 'new "quoted" thing')
    assert found.commits == ("v6.1", "aaaaaaaaaa")


NUMBERS = st.one_of(
    st.floats(0, 999).map(lambda x: f"{x:.2f}"),
    st.integers(1000, 10**8).map(str),
    st.floats(1e8, 1e12).map(lambda x: f"{x:.4g}"),
    st.floats(-99, -0.1).map(lambda x: f"{x:.2f}"),
)
DEVIATIONS = st.none() | st.integers(2, 999)
CHANGES = st.sampled_from(["+0.0", "-0.0", "+4.9", "-83.9%", "+2e+05%", "-12345.0", "+6e+102%"])
BLANKS = st.integers(1, 12)


@given(base=NUMBERS, head=NUMBERS, deviations=st.tuples(DEVIATIONS, DEVIATIONS), change=CHANGES, gap=BLANKS, pad=BLANKS)
def test_a_row_in_any_spacing_gives_the_text_that_was_printed(
    base: str, head: str, deviations: tuple[int | None, int | None], change: str, gap: int, pad: int
) -> None:
    sides = [
        text if deviation is None else f"{text}{' ' * (gap % 2)}±{' ' * (pad % 3)}{deviation}%"
        for text, deviation in zip((base, head), deviations, strict=True)
    ]
    (row,) = table((" " * gap).join((sides[0], change, sides[1], "x.[unknown].y%"))).rows
    assert (row.base.mean_text, row.head.mean_text, row.key) == (base, head, "x.[unknown].y%")
    assert (row.base.change_text, row.head.change_text) == ("", change)
    for spread, deviation in zip((row.base, row.head), deviations, strict=True):
        assert spread.deviation == (None if deviation is None else deviation / 100) and spread.n is None
        assert spread.deviation_text == ("" if deviation is None else f"{deviation}%")
        assert spread.mean == float(spread.mean_text)


def test_failures_are_shares_of_known_n() -> None:
    (row,) = table(":6 16% 1:6 dmesg.BUG:soft_lockup").rows
    assert (row.base.mean, row.base.n, row.head.mean, row.head.n) == (0.0, 6, 1 / 6, 6)
    assert (row.base.mean_text, row.head.mean_text) == (":6", "1:6")


def test_rows_of_failures_stand_above_those_of_means() -> None:
    failures = ("fail:runs %reproduction fail:runs", "| | |", ":6 16% 1:6 dmesg.BUG:soft_lockup")
    rows = read_table([*HEADER[:-2], *failures, *HEADER[-2:], "1.00 +1.0% 1.01 a.b", ""], 0, "mail").rows
    assert [row.key for row in rows] == ["dmesg.BUG:soft_lockup", "a.b"]


def test_the_table_ends_where_rows_end() -> None:
    found = table("1.00 +1.0% 1.01 a.b", "Disclaimer:", "2.00 +1.0% 2.02 a.c")
    assert len(found.rows) == 1 and found.end == len(HEADER) + 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1.00 +1.0% 1.01", "'1.00 +1.0% 1.01' is not a row"),
        ("1.00 1.0% 1.01 a.c", "is not a row"),
        ("1.00 +1.0% nan a.c", "is not a row"),
        ("-inf +1.0% 1.00 a.c", "is not a row"),
        ("20.10 ± 3% +4.9", "is not a row"),
        ("1e999 +1.0% 1.00 a.c", "is not a row"),
        ("1e+999 +1.0% 1.00 a.c", "too large"),
        ("1.00 ±99999999% +1.0% 1.00 a.c", "too large"),
        ("7:6 16% 1:6 dmesg.x", "no count of failures"),
        (":0 16% 1:6 dmesg.x", "no count of failures"),
        ("1.00 +1.0% 1.02 a.b", "a.b again, first at mail: line 11"),
    ],
)
def test_a_damaged_row_is_refused_with_its_line(row: str, said: str) -> None:
    with pytest.raises(BadInput, match="mail: line 12: ") as caught:
        table("1.00 +1.0% 1.01 a.b", row)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        (2, "process/brk1", "line 3: 2 values for 3 axes"),
        (3, "commits", "line 4: 'commit:' should stand here"),
        (7, "----", "no line of dashes"),
        (6, "v6.1 aaaaaaaaaa bbbbbbbbbb", "3 columns and 2 commits"),
    ],
)
def test_a_damaged_header_is_refused_with_its_line(line: int, text: str, said: str) -> None:
    lines = [*HEADER, "1.00 +1.0% 1.01 a.b", ""]
    lines[line] = text
    with pytest.raises(BadInput) as caught:
        read_table(lines, 0, "mail")
    assert said in str(caught.value)


def test_a_header_may_name_one_release_twice() -> None:
    lines = [*HEADER, "1.00 +1.0% 1.01 a.b", ""]
    lines[5] = "v6.1"
    assert read_table(lines, 0, "mail").commits == ("v6.1", "v6.1")


@pytest.mark.parametrize("end", range(1, len(HEADER) + 1))
def test_a_table_cut_off_in_its_header_is_refused(end: int) -> None:
    with pytest.raises(BadInput):
        read_table(HEADER[:end], 0, "mail")


def test_a_mail_cut_off_in_a_row_is_refused(tmp_path: Path) -> None:
    text = MAIL.read_text()
    cut = tmp_path / "cut.txt"
    cut.write_text(text[: text.index("+4.9 25.02") + 4])
    line = cut.read_text().count("\n") + 1
    assert f"cut.txt: line {line}: '20.10 ± 3% +4.9' is not a row" in refused(str(cut))


def test_a_mail_cut_off_inside_its_last_row_is_refused_wherever_the_cut_is(tmp_path: Path) -> None:
    text = MAIL.read_text()
    start = text.index("20.10 ± 3% +4.9 25.02")
    cut = tmp_path / "cut.txt"
    for end in range(start + 1, text.index("\n", start) + 1):
        cut.write_text(text[:end])
        refused(str(cut))
        key = text[start:end].split(" ")[-1]
        if "." not in key:
            cut.write_text(text[:end] + "\n")
            refused(str(cut))


def test_a_quoted_mail_in_columns_reads_the_same(tmp_path: Path) -> None:
    lines = []
    for line in MAIL.read_text().splitlines():
        words = line.split()
        wide = "     ".join(words) if words and "perf-" in words[-1] else line
        lines.append(f"> > {wide}")
    (tmp_path / "reply.txt").write_text("\r\n".join(lines))
    assert imported(str(tmp_path / "reply.txt")).series == imported(str(MAIL)).series
    assert one(imported(str(MAIL)), "ba6149e960", "mpstat.cpu.all.usr%").unit == "%"
