# SPDX-License-Identifier: GPL-2.0-only
"""A diff taken apart and put together again is the same diff."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.supply.building.hunks import FileDiff, Hunk, hunks_of, parse, place_of, text_of

LINES = st.lists(st.sampled_from(["a", "b", "-- ", "--- x", "@@ y", "", "diff"]), max_size=30)
MAIL = """Some words
---
 mm/x.c | 2 +-
 1 file changed

diff --git a/mm/x.c b/mm/x.c
index 1..2 100644
--- a/mm/x.c
+++ b/mm/x.c
@@ -10,2 +10,2 @@ static int change_pte_range(struct mmu_gather *tlb,
 context
-old
+new
--{blank}
2.53.0

""".format(blank=" ")


def test_a_signature_is_no_removed_line() -> None:
    ((file, hunk),) = hunks_of(MAIL)
    assert hunk.lines == (" context", "-old", "+new")
    assert hunk.changes == (1, 1)
    assert place_of(file, hunk) == "mm/x.c: change_pte_range()"


def test_a_file_that_goes_away_has_the_name_it_had() -> None:
    (one,) = parse(
        "diff --git a/mm/x.c b/mm/x.c\ndeleted file mode 100644\n--- a/mm/x.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    assert (one.path, one.hunks[0].new) == ("mm/x.c", (0, 0))


def test_a_removed_file_has_no_line_0() -> None:
    hunk = Hunk(old=(1, 1), new=(0, 0), function="", lines=("-int x;",))
    assert place_of(FileDiff(path="mm/x.c", header=(), hunks=(hunk,)), hunk) == "mm/x.c:1"


def test_a_rename_without_a_hunk_is_a_file() -> None:
    (one,) = parse("diff --git a/x.c b/y.c\nsimilarity index 100%\nrename from x.c\nrename to y.c\n")
    assert (one.path, one.hunks) == ("y.c", ())


@given(LINES, LINES)
def test_parse_and_text_of_are_inverse(old: list[str], new: list[str]) -> None:
    text = "\n".join(difflib.unified_diff(old, new, "a/f", "b/f", lineterm=""))
    again = "".join(text_of(one, one.hunks) for one in parse(text + "\n"))
    assert parse(again) == parse(text + "\n")
    counts = [hunk.changes for one in parse(text) for hunk in one.hunks]
    lines = [line for line in text.split("\n")[2:] if not line.startswith("@@ -")]
    assert sum(added for added, _ in counts) == sum(line.startswith("+") for line in lines)


def test_a_hunk_that_changes_a_functions_first_line_is_in_that_function() -> None:
    text = (
        "--- a/mm/x.c\n+++ b/mm/x.c\n@@ -9,3 +9,3 @@ static int before(void)\n }\n \n"
        "-static void foo(int a)\n+static inline void foo(int a)\n"
    )
    ((file, hunk),) = hunks_of(text)
    assert place_of(file, hunk) == "mm/x.c: foo()"


@pytest.mark.parametrize(
    ("heading", "lines", "place"),
    [
        ("SYSCALL_DEFINE3(mprotect, unsigned long, start, size_t, len,", (" \tx;", "+\ty;"), ": __do_sys_mprotect()"),
        ("__attribute__((noinline)) static void two(void)", ("+\ty;",), ": two()"),
        ("static int before(void)", (" \treturn 0;", " }", " ", "+#define LIMIT 4"), ":7"),
        ("static int before(void)", (" \treturn 0;", "-}", "+}"), ": before()"),
        ("int declared(int x);", ("+#define LIMIT 4",), ":7"),
    ],
)
def test_a_place_names_the_function_that_is_compiled(heading: str, lines: tuple[str, ...], place: str) -> None:
    hunk = Hunk(old=(7, 9), new=(7, 9), function=heading, lines=lines)
    assert place_of(FileDiff(path="mm/x.c", header=(), hunks=(hunk,)), hunk) == f"mm/x.c{place}"
