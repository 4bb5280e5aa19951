# SPDX-License-Identifier: GPL-2.0-only
"""Figures in changelogs and mails, and what becomes of them."""

import pytest

from kassay.labs.review.checks import checked
from kassay.labs.review.claims import Claim, claims_in, missing_in
from kassay.labs.review.model import PredictedChange
from tests.review.reviews import cell, review


def figures(text: str) -> list[tuple[str, str, float | None]]:
    return [(claim.figure, claim.kind, claim.value) for claim in claims_in(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mprotect() becomes 20% faster.", [("20%", "percent", -0.2)]),
        ("It costs 3.5 % more on small folios.", [("3.5 %", "percent", 0.035)]),
        ("The loop is 2x slower.", [("2x", "factor", 1.0)]),
        ("A 4x speedup.", [("4x", "factor", -0.75)]),
        ("will-it-scale: -18.3%", [("-18.3%", "percent", -0.183)]),
        ("It takes 73,374 ns per call.", [("73,374 ns", "time", 73374.0)]),
        ("That is 671.6 instructions/page.", [("671.6 instructions/page", "count", 671.6)]),
        ("Throughput was 1.5 GB/s.", [("1.5 GB/s", "throughput", 1.5)]),
        ("Contention decreases from 11.0% to 0.5%.", []),
        ("Tested with 50% of the memory.", []),
        ("Since v6.17 and commit 2888ee638, mm/x.c:12, 2026-05-22.", []),
        ("The machine has 16384 MiB and 8 CPUs.", []),
    ],
)
def test_figures_of_a_sentence(text: str, expected: list[tuple[str, str, float | None]]) -> None:
    found = figures(text)
    assert [(figure, kind) for figure, kind, _ in found] == [(figure, kind) for figure, kind, _ in expected]
    assert [value for *_, value in found] == pytest.approx([value for *_, value in expected])


def test_a_sentence_that_gains_and_loses_says_neither() -> None:
    assert figures("It is 5% faster on one and slower on the other.") == [("5%", "percent", None)]


def test_headers_diffs_and_signatures_claim_nothing() -> None:
    mail = """From: A <a@example.org>
Subject: [PATCH] mm: 50% faster

This makes it 10% faster.

> On Friday somebody wrote that it is 7% slower.

diff --git a/mm/x.c b/mm/x.c
--- a/mm/x.c
+++ b/mm/x.c
@@ -1,2 +1,2 @@
-	/* 30% faster */
+	/* 40% faster */
--
made 60% faster by git
"""
    assert [(claim.figure, claim.line) for claim in claims_in(mail)] == [("10%", 4), ("7%", 6)]


def test_what_a_reader_would_have_to_ask_for() -> None:
    text = (
        "On an EPYC 7763 with gcc 14 the benchmark runs 5% faster (n = 9, anonymous memory, x86, defconfig, ns/page)."
    )
    assert missing_in(text) == ()
    assert missing_in("It is 5% faster.") == (
        "architecture", "CPU", "compiler", "configuration", "unit", "number of runs", "state of the memory",
        "workload or command",
    )  # fmt: skip
    assert missing_in("mm: rename a function") == ()


def outcome(value: float | None, *, kind: str = "percent", sentence: str = "fewer instructions") -> str:
    claim = Claim(sentence=sentence, figure="x", kind=kind, value=value, unit="%", line=1)
    (found,) = checked((claim,), review(cell("improvement", -0.2), cell("improvement", -0.1, order="9")))
    return found.outcome


def test_a_counted_change_is_reproduced_contradicted_or_neither() -> None:
    assert outcome(-0.19) == "reproduced"
    assert outcome(-0.5) == "not-reproduced"
    assert outcome(0.2) == "contradicted"
    assert outcome(None) == "not-measurable"


def test_counts_do_not_confirm_a_time() -> None:
    assert outcome(-0.2, sentence="20% faster") == "not-measurable"
    assert outcome(85967.0, kind="time") == "not-measurable"


def test_a_predicted_time_is_held_against_a_claim_of_time() -> None:
    from msgspec import structs

    slow = structs.replace(cell("improvement", -0.2), predicted=(PredictedChange(cpu="zen4", change=-0.05),))
    claim = Claim(sentence="5% faster", figure="5%", kind="percent", value=-0.05, unit="%", line=1)
    (found,) = checked((claim,), review(slow))
    assert (found.outcome, found.detail) == ("reproduced", "nearest: folio_fork, -5.0 % predicted")


def test_a_number_of_instructions_is_found_on_either_side() -> None:
    assert outcome(100.5, kind="count") == "reproduced"
    assert outcome(80.0, kind="count") == "reproduced"
    assert outcome(300.0, kind="count") == "not-reproduced"


def test_nothing_measured_confirms_nothing() -> None:
    claim = Claim(sentence="5% fewer instructions", figure="5%", kind="percent", value=-0.05, unit="%", line=1)
    assert checked((claim,), review())[0].outcome == "not-measurable"
