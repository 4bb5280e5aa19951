# SPDX-License-Identifier: GPL-2.0-only
"""Tables of the threads' pages, loops that are read from listings, and diffs that are taken out of mails."""

import pytest
from benchmarks.threads.from_mail import diff_of
from benchmarks.threads.loops import loop
from benchmarks.threads.measure import Kept
from benchmarks.threads.pages import table
from benchmarks.threads.questions import Question, Table, cell
from benchmarks.threads.select import Figure, select

LISTING = {
    "x86_64": [
        {"text": "movq (%rdi), %rax", "label": ".L1"},
        {"text": "testl $0x101, %eax"},
        {"text": "je .L3"},
        {"text": "movb $1, (%rsi)"},
        {"text": "addq $8, %rdi", "label": ".L2"},
        {"text": "cmpq %rdi, %rdx"},
        {"text": "jne .L1"},
        {"text": "retq"},
        {"text": "callq lookup", "label": ".L3"},
        {"text": "jmp .L2"},
    ],
    "arm64": [
        {"text": "ldr x0, [x1], #8", "label": ".L1"},
        {"text": "tbz w0, #0, .L2"},
        {"text": "strb w2, [x3], #1"},
        {"text": "b .L1"},
        {"text": "ret", "label": ".L2"},
    ],
}


@pytest.mark.parametrize(("arch", "instructions"), [("x86_64", 7), ("arm64", 4)])
def test_loop_counts_the_shortest_way_from_the_store_of_a_one_to_itself(arch: str, instructions: int) -> None:
    assert loop(LISTING[arch]) == instructions
    assert select({"code": LISTING[arch]}, "code~") == instructions


def test_a_store_that_no_way_leads_back_to_is_no_loop() -> None:
    assert loop(LISTING["x86_64"][3:4] + LISTING["x86_64"][7:8]) is None


def test_select_takes_the_nth_entry_with_a_value() -> None:
    rows = [{"cc": "gcc", "v": 1}, {"cc": "clang", "v": 2}, {"cc": "gcc", "v": 3}]
    assert [select(rows, f"[cc=gcc#{number}].v") for number in (0, 1)] == [1, 3]
    with pytest.raises(ValueError, match="nothing at"):
        select(rows, "[cc=clang#1].v")


def test_a_cell_has_several_figures_and_a_row_fills_several_names() -> None:
    size, code = "{row}: [cc={row2}#{column}].size", "{row}: [cc={row2}#{column}].class"
    shape = Table(head=["source | by", "old", "new", "change"], rows=[["6.16 | gcc", "code", "gcc"]],
                  columns=["0", "1"], cell=size, more=[code], form="{0:.0f} {1}", changes=[[0, 1]])  # fmt: skip
    assert cell(shape, shape.rows[0], "1") == ["code: [cc=gcc#1].size", "code: [cc=gcc#1].class"]
    figures: dict[str, Figure] = {"[cc=gcc#0].size": 200, "[cc=gcc#0].class": "A"}
    figures |= {"[cc=gcc#1].size": 150, "[cc=gcc#1].class": "B"}
    asked = Question(who="", asked="", verdict="confirms", answer="", table=shape)
    last = table(shape, asked, {"code": Kept("", "", figures)}).splitlines()[-1]
    assert last == "| 6.16 | gcc | 200 A | 150 B | -25.0 % |"


MAIL = """Text.

diff --git a/f.c b/f.c
index 1111111..2222222 100644
--- a/f.c
+++ b/f.c
@@ -1,3 +1,3 @@
 int f(void)
-       return 1;
+               return 2;
 * text
--\x20
2.0
"""


def test_a_diff_of_a_mail_has_tabs_again_and_no_signature() -> None:
    diff = diff_of(MAIL, "1111111")
    assert diff.splitlines()[5:] == [" int f(void)", "-\treturn 1;", "+\t\treturn 2;", " * text"]
    with pytest.raises(ValueError, match="3333333"):
        diff_of(MAIL, "3333333")
