# SPDX-License-Identifier: GPL-2.0-only
"""Hosts that count the same run otherwise are named, and nothing is merged of which both are a part."""

from msgspec import structs

from kassay.analysis.analyse import refusals_of
from kassay.analysis.host_disagreements import with_disagreements
from kassay.model.reason_texts import reason_text
from kassay.model.run import CellEvidence, Measurement
from tests.analysis.sides import evidence, measurement


def on(host: str, *ticks: int, repeat: int = 0, perturbation: int = 0) -> Measurement:
    return structs.replace(measurement(ticks, repeat=repeat, perturbation=perturbation), host=host)


def refusals(base: CellEvidence, head: CellEvidence, *others: CellEvidence) -> list[str]:
    base, head, *_ = with_disagreements((base, head, *others))
    return [refusal.verdict for refusal in refusals_of(base, head)]


GOOD = (on("alpha", 100, 101), on("beta", 100, 101, repeat=1))


def test_hosts_with_the_same_digits_are_merged() -> None:
    assert refusals(evidence("a", *GOOD), evidence("b", *GOOD, index=1)) == []


def test_hosts_that_disagree_are_named_with_both_counts() -> None:
    bad = evidence("a", on("alpha", 100, 101), on("beta", 100, 103, repeat=1))
    base, head = with_disagreements((bad, evidence("b", *GOOD, index=1)))
    (refusal,) = refusals_of(base, head)
    assert refusal.verdict == "hosts-disagree"
    assert reason_text(refusal.reason) == (
        "hosts alpha and beta counted the same run differently and are not merged: a: iteration, round 2: "
        "101 instructions in run-0 on alpha, "
        "103 in run-1 on beta"
    )


def test_comparisons_that_mix_disagreeing_hosts_are_refused() -> None:
    bad = evidence("c", on("alpha", 100), on("beta", 99, repeat=1), index=2)
    alone = [evidence(name, on("alpha", 100), on("alpha", 100, repeat=1), index=i) for i, name in enumerate("ab")]
    other = evidence("b", on("beta", 100), on("beta", 100, repeat=1), index=1)
    assert refusals(alone[0], alone[1], bad) == []
    assert refusals(alone[0], other, bad) == ["hosts-disagree"]
    assert refusals(evidence("a", *GOOD), alone[1], bad) == ["hosts-disagree"]


def test_this_host_can_be_one_of_them() -> None:
    bad = evidence("a", on("", 100), on("beta", 99, repeat=1))
    base, head = with_disagreements((bad, bad))
    assert refusals_of(base, head)[0].reason["host"] == "this host"


def test_perturbed_runs_and_repeats_of_one_host_show_no_disagreement() -> None:
    moved = evidence("a", on("alpha", 100), on("beta", 99, perturbation=1), on("alpha", 98, repeat=1))
    assert with_disagreements((moved,))[0].disagreements == ()
