# SPDX-License-Identifier: GPL-2.0-only
"""Figures that claim a change are found; other numbers of a mail are not."""

import pytest

from kassay.labs.review.claims import UNKNOWN, claims_in, missing_in

CHANGELOG = """Subject: [PATCH v2 3/5] mm: walk 50% less

Walking small folios is slow on v6.16.3. On a machine with 64 GiB and
224 CPUs the walk takes 8.7 % less time, and its cost drops from 671.6
to 303.6 ns/page. Shared pages are 2.2x slower. Memory is 50% full.

CPU  base   patched  change  gap closed
1    336.1  497.0    6.6% faster  17.9%

will-it-scale  -18.3%
> quoted: 12% faster
Fixes: 123456789abc ("mm: 30% faster")
---
 mm/walk.c | 10 +++++-----
diff --git a/mm/walk.c b/mm/walk.c
+ * this is 40% faster
--
2.53.0, 10% faster
"""


def test_claims_of_a_changelog() -> None:
    found = [(one.line, one.figure, one.kind, one.value, one.unit) for one in claims_in(CHANGELOG)]
    assert found == [
        (4, "8.7 %", "percent", -0.087, ""),
        (4, "from 671.6 to 303.6 ns/page", "time", -0.547945, "ns/page"),
        (5, "2.2x", "factor", 1.2, ""),
        (5, "50%", "unknown", None, "%"),
        (8, "6.6%", "percent", -0.066, ""),
        (8, "17.9%", "unknown", None, "%"),
        (10, "-18.3%", "percent", None, ""),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The build time decreases 3.5%.", -0.035),
        ("This is a 14% speedup in mprotect.", -0.14),
        ("A 1.6x longer toggle.", 0.6),
        ("The toggle is 10 percent slower.", 0.1),
        ("Faults are 2 times faster.", -0.5),
        ("The cost was reduced from 5 percent to\n3 percent.", -0.4),
        ("The time was reduced from 2.5 ms to 900 us.", -0.64),
        ("It shows a +5% regression in fork.", 0.05),
        ("Faults are 2x faster.", -0.5),
        ("Throughput improves by 12%.", None),
        ("Throughput changes by +12%.", None),
        ("It increases performance by 7% on zen4.", None),
        ("At a speed of -7%.", None),
        ("The time changes by +12%.", 0.12),
        ("This reduces the overhead by 12% in fork.", -0.12),
        ("A walk is improved by 5% with added pages.", -0.05),
        ("The time improves by 12% ± 2%.", -0.12),
        ("The time improves by 12% +/- 2%.", -0.12),
        ("The time changes by −5%.", -0.05),
        ("A lookup is removed, and fork gets 5% faster.", -0.05),
        ("Without THP nothing changes, but fork is 5% slower.", 0.05),
        ("Lock cycles fall from 11.0% to\n0.5%.", -0.954545),
        ("We see a regression of 5%.", 0.05),
        ("This improves performance: munmap executes 12% fewer instructions.", -0.12),
        ("Performance improves as munmap takes 12% fewer CPU cycles.", -0.12),
        ("It is good for performance, as the instructions of a call drop by 12%.", -0.12),
        ("Throughput improves by 12% with fewer instructions.", None),
        ("With fewer instructions the throughput improves by 12%.", None),
        ("The score rises by 12%, and instructions drop.", None),
        ("The speed is 12% more instructions per second.", None),
        ("mprotect without THP is 12% faster.", -0.12),
        ("munmap() is 20% faster and no longer takes the lock.", -0.2),
        ("munmap() no longer takes the lock and is 20% faster.", -0.2),
        ("order 9 takes 50 ns -> 40 ns", -0.2),
        ("A call takes 10\u202f000 ns -> 9\u202f000 ns.", -0.1),
    ],
)
def test_direction_is_what_the_text_says(text: str, value: float | None) -> None:
    assert [one.value for one in claims_in(text)] == [value]


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("A 10% to 15% improvement in the time of a fork.", "10% to 15%"),
        ("A 10%-15% improvement.", "10%-15%"),
        ("A 10–15% improvement.", "10–15%"),
        ("It saves 10 to 12 ns.", "10 to 12 ns"),
        ("The cost is less than 3% in fork.", "3%"),
        ("It is 3% slower at most.", "3%"),
        ("It is 3% slower or less.", "3%"),
        ("It is up to 30% faster.", "30%"),
        ("It shows a -5% regression in fork.", "-5%"),
        ("The rate goes from 900 KB/s to 2 pages/s.", "from 900 KB/s to 2 pages/s"),
        ("There is no 12% slowdown any more.", "12%"),
        ("This doesn't improve mprotect by 10%.", "10%"),
        ("This fixes a 40% regression in fork.", "40%"),
        ("The robot reported a 40% regression; it is gone.", "40%"),
        ("The robot reported a -40% regression.", "-40%"),
        ("The regression of 40%, which we saw, is fixed.", "40%"),
        ("It recovers 40% of the regression.", "40%"),
        ("It reduces the regression by 12%.", "12%"),
        ("This fixes the drop from 303 to 671 ns.", "from 303 to 671 ns"),
        ("fork is 150% faster.", "150%"),
        ("fork is 0.9x slower.", "0.9x"),
        ("fork is no longer 12% faster.", "12%"),
        ("It comes without a 12% slowdown.", "12%"),
        ("It comes without any slowdown of 12%.", "12%"),
        ("It comes without slower forks by 12%.", "12%"),
        ("Without this patch fork is 12% slower.", "12%"),
        ("fork is 12% faster without the patch.", "12%"),
        ("munmap() no longer takes the lock: 20% in fork.", "20%"),
        ("A speedup of 1.2x-1.5x in fork.", "1.2x-1.5x"),
        ("A speedup of 1.2–1.5x in fork.", "1.2–1.5x"),
        ("A speedup of 1.2x to 1.5x in fork.", "1.2x to 1.5x"),
        ("A speedup of 1.2 to 1.5x in fork.", "1.2 to 1.5x"),
        ("fork is 10% or 20% faster.", "10% or 20%"),
        ("fork is 10 or even 20% faster.", "10 or even 20%"),
        ("fork is between 10% and 20% faster.", "between 10% and 20%"),
        ("Between 3% and 5% fewer instructions.", "Between 3% and 5%"),
        ("fork is between 10 percent and 20 percent faster.", "between 10% and 20%"),
        ("fork is 10 percent to 20 percent faster.", "10% to 20%"),
        ("It is 3 percent or less slower.", "3%"),
        ("fork is 2 times to 3 times faster.", "2x to 3x"),
        ("The time drops by between 10 and 20 %.", "between 10 and 20 %"),
        ("fork is 10% - 20% faster.", "10% - 20%"),
        ("It saves 40 or 50 ns.", "40 or 50 ns"),
        ("A fork with order 9 128 ns -> 100 ns", "128 ns -> 100 ns"),
        ("It runs with 8 250 instructions less.", "250 instructions"),
    ],
)
def test_bounds_ranges_denials_and_losses_that_are_undone_are_not_understood(text: str, figure: str) -> None:
    assert [(one.figure, one.kind, one.value, one.amount) for one in claims_in(text)] == [(figure, UNKNOWN, None, None)]


def test_numbers_that_claim_nothing() -> None:
    text = (
        "Tested with 16 GiB on 2026-06-09, v6.19.9, mm/mprotect.c:117, PATCH 2/5.\nIt closes 18-37% of the gap, faster."
    )
    assert [(one.figure, one.kind, one.line) for one in claims_in(text)] == [("18-37%", "unknown", 2)]


@pytest.mark.parametrize(
    ("text", "kind", "amount", "unit"),
    [
        ("This saves 40 ns.", "time", -40, "ns"),
        ("A call is 1.5 us faster.", "time", -1.5, "us"),
        ("It adds 200 instructions to each call.", "count", 200, "instructions"),
        ("A fault costs -12 ns/page.", "time", -12, "ns/page"),
        ("Each boot saves 12 MiB.", "size", -12, "MiB"),
        ("This saves 10 000 instructions.", "count", -10000, "instructions"),
        ("This saves 1 234 567 instructions.", "count", -1234567, "instructions"),
        ("This saves 8\u00a0250 instructions.", "count", -8250, "instructions"),
        ("A call takes 336 ns.", "unknown", None, "ns"),
        ("It drops in half of the cases, and each call takes 336 ns.", "unknown", None, "ns"),
        ("It is done 3x.", "unknown", None, ""),
        ("Mappings of 4MiB gain, and 40 ns less per page.", "time", -40, "ns"),
    ],
)
def test_a_single_number_is_a_difference_or_is_not_understood(
    text: str, kind: str, amount: float | None, unit: str
) -> None:
    (one,) = claims_in(text)
    assert (one.kind, one.value, one.amount, one.unit) == (kind, None, amount, unit)


def test_an_arrow_makes_a_pair() -> None:
    (one,) = claims_in("Toggling: 671.6 ns -> 303.6 ns on one CPU.")
    assert (one.kind, one.value) == ("time", -0.547945)


def test_each_row_of_a_table_is_a_sentence() -> None:
    text = (
        "workload               base     patched   change\n"
        "folio_protect_shared   327.1    344.1     +5.2%\n"
        "| mprotect_toggle | 331.5 | 348.5 | +5.1% |\n"
        "  mprot 336.1 532.0 497.0 6.6% faster\n"
    )
    assert [(claim.sentence, claim.line) for claim in claims_in(text)] == [
        ("folio_protect_shared 327.1 344.1 +5.2%", 2),
        ("| mprotect_toggle | 331.5 | 348.5 | +5.1% |", 3),
        ("mprot 336.1 532.0 497.0 6.6% faster", 4),
    ]


def test_rows_below_words_on_instructions_claim_counts() -> None:
    table = "mprotect_toggle 331.5 348.5 +5.1%\n"
    kinds = [
        claims_in(text + table)[-1].kind
        for text in (
            "Numbers of instructions per page:\n\n",
            "Instructions per page:\n",
            "workload base patched instructions\n",
            "It saves instructions.\n\n",
            "Time per page, of 300 instructions each:\n\n",
            "",
        )
    ]
    assert kinds == ["count", "count", "count", "percent", "percent", "percent"]
    (row, prose) = claims_in(f"Instructions per page:\n{table}fork takes 7% less time.\n")
    assert (row.kind, prose.kind) == ("count", "percent")


def test_a_line_of_many_blanks_is_read_at_once() -> None:
    """A search that looks at each pair of blanks takes minutes."""
    assert len(claims_in(f"fork is 5% faster\n|{' ' * 100_000}|\n")) == 1


def test_sentence_is_one_line() -> None:
    (one,) = claims_in("First. The walk\nis 5% faster " + "and " * 90)
    assert one.sentence.startswith("The walk is 5% faster and")


def test_what_a_reader_has_to_ask_for() -> None:
    assert missing_in("mprotect is 5% faster.") == (
        "architecture", "CPU", "compiler", "configuration", "number of runs or spread", "state of the memory",
        "unit", "workload",
    )  # fmt: skip
    full = "x86_64, EPYC 7713, gcc 14.2, Debian's kernel, n = 9, order-0 folios, libmicro, 3 ns/call"
    assert missing_in(full) == ()
    assert "workload" not in missing_in("mprotect_toggle is faster")
    assert "compiler" in missing_in("> built with gcc 14.2")
