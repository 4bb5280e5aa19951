# SPDX-License-Identifier: GPL-2.0-only
"""Claims held against measured settings: what counts confirm, contradict, or cannot tell."""

from msgspec import structs

from kassay.labs.review.checks import checked
from kassay.labs.review.claims import Claim
from kassay.labs.review.model import PredictedChange
from tests.review.reviews import cell, review


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
    assert outcome(-0.2, kind="time", sentence="from 100 ns to 80 ns") == "not-measurable"


def test_a_predicted_time_is_held_against_a_claim_of_time() -> None:
    slow = structs.replace(cell("improvement", -0.2), predicted=(PredictedChange(cpu="zen4", change=-0.05),))
    claim = Claim(sentence="5% faster", figure="5%", kind="percent", value=-0.05, unit="%", line=1)
    (found,) = checked((claim,), review(slow))
    assert (found.outcome, found.detail) == ("reproduced", "nearest: folio_fork, -5.0 % predicted")


def test_a_pair_of_counts_is_a_change_of_counts() -> None:
    assert outcome(-0.2, kind="count", sentence="from 100 instructions to 80 instructions") == "reproduced"
    assert outcome(-0.2, kind="throughput", sentence="from 100 ops/s to 80 ops/s") == "not-measurable"


def test_nothing_measured_confirms_nothing() -> None:
    claim = Claim(sentence="5% fewer instructions", figure="5%", kind="percent", value=-0.05, unit="%", line=1)
    assert checked((claim,), review())[0].outcome == "not-measurable"
