# SPDX-License-Identifier: GPL-2.0-only
"""Claims held against measured settings: what counts confirm, contradict, or cannot tell."""

import pytest
from msgspec import structs

from kassay.labs.review.checks import checked
from kassay.labs.review.claims import Claim, claims_in
from kassay.labs.review.model import SCREENED, Cell, Corner, PredictedChange
from kassay.model.records import Setting
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


@pytest.mark.parametrize(
    ("claimed", "change", "outcome"),
    [(-0.004, 0.0005, "contradicted"), (-0.004, -0.0005, "not-reproduced"), (-0.004, -0.003, "reproduced"),
     (-0.02, -0.016, "reproduced"), (0.0, 0.003, "reproduced")],
)  # fmt: skip
def test_a_small_claim_is_reproduced_only_by_a_change_of_its_size(claimed: float, change: float, outcome: str) -> None:
    claim = Claim(sentence="fewer instructions", figure="x", kind="percent", value=claimed, unit="%", line=1)
    (found,) = checked((claim,), review(cell("regression", change)))
    assert found.outcome == outcome


def test_counts_do_not_confirm_a_time() -> None:
    assert outcome(-0.2, sentence="20% faster") == "not-measurable"
    assert outcome(-0.2, kind="time", sentence="from 100 ns to 80 ns") == "not-measurable"


def test_a_predicted_time_is_held_against_a_claim_of_time() -> None:
    slow = structs.replace(cell("improvement", -0.2), predicted=(PredictedChange(cpu="zen4", change=-0.05),))
    claim = Claim(sentence="5% faster", figure="5%", kind="percent", value=-0.05, unit="%", line=1)
    (found,) = checked((claim,), review(slow))
    assert (found.outcome, found.detail) == (
        "reproduced",
        "no setting is named, so of all that were measured (1 phase): nearest: folio_fork, -5.0 % predicted",
    )


def test_a_pair_of_counts_is_a_change_of_counts() -> None:
    assert outcome(-0.2, kind="count", sentence="from 100 instructions to 80 instructions") == "reproduced"
    assert outcome(-0.2, kind="throughput", sentence="from 100 ops/s to 80 ops/s") == "not-measurable"


def test_nothing_measured_confirms_nothing() -> None:
    claim = Claim(sentence="5% fewer instructions", figure="5%", kind="percent", value=-0.05, unit="%", line=1)
    assert checked((claim,), review())[0].outcome == "not-measurable"


def outcomes(text: str, *cells: Cell) -> list[tuple[str, str, str]]:
    return [(one.figure, one.outcome, one.detail) for one in checked(claims_in(text), review(*cells))]


SMALL, LARGE = cell("improvement", -0.2), cell("regression", 0.5, order="9")


@pytest.mark.parametrize(
    ("words", "setting"),
    [("order-9 folios", "order=9"), ("THP", "order=9"), ("huge pages", "order=9"), ("order=0", "order=0"),
     ("small folios", "order=0"), ("4 MiB", "size=4MiB")],
)  # fmt: skip
def test_a_claim_is_held_against_the_setting_that_its_sentence_names(words: str, setting: str) -> None:
    ((_, _, detail),) = outcomes(f"With {words} it executes 20% fewer instructions.", SMALL, LARGE)
    assert detail.startswith(f"of {setting}: ")


@pytest.mark.parametrize(
    ("text", "change", "outcome"),
    [
        ("This reduces the overhead by 12% in fork.", -0.12, "reproduced"),
        ("This patch reduces the overhead of fork by 12% instructions.", -0.12, "reproduced"),
        ("It increases performance by 7% on zen4.", -0.07, "not-measurable"),
        ("Performance is 7% higher.", -0.07, "not-measurable"),
        ("This improves performance: fork executes 12% fewer instructions.", -0.12, "reproduced"),
        ("This reduces performance by 7%.", -0.07, "not-measurable"),
        ("A 10% to 15% improvement in the time of a fork.", -0.12, "not-understood"),
        ("Time per fork improves by 10% to 12%.", -0.11, "not-understood"),
        ("This fixes a 40% regression in fork.", -0.2857, "not-understood"),
        ("The kernel test robot reported a 40% regression of fork; with this patch it is gone.", -0.2857,
         "not-understood"),
        ("fork is 100% faster.", -0.5, "not-understood"),
        ("fork is 150% faster.", -0.6, "not-understood"),
        ("The cost is less than 3% in fork.", -0.01, "not-understood"),
        ("The time of a fork improves by 12% ± 2%.", -0.12, "reproduced"),
        ("This saves 10 000 instructions.", -0.12, "not-reproduced"),
        ("There is no 12% slowdown any more.", -0.12, "not-understood"),
    ],
)  # fmt: skip
def test_a_true_claim_is_never_contradicted_nor_a_false_one_reproduced(text: str, change: float, outcome: str) -> None:
    predicted = (PredictedChange(cpu="zen4", change=change),)
    measured = structs.replace(cell("improvement", change), predicted=predicted)
    assert [found for _, found, _ in outcomes(text, measured)] == [outcome]


@pytest.mark.parametrize("text", ["Performance is 7% higher.", "Throughput rises from 100 ops/s to 107 ops/s."])
def test_a_rate_is_said_not_to_be_measured(text: str) -> None:
    ((_, found, detail),) = outcomes(text, SMALL)
    assert (found, detail.partition(": ")[2]) == (
        "not-measurable", "a rate is not measured; counts change by -20.0 % to -20.0 % in 1 phase",
    )  # fmt: skip


def test_the_named_setting_decides() -> None:
    text = "Forking order-{} folios takes 20% fewer instructions."
    assert outcomes(text.format(0), SMALL, LARGE)[0][1] == "reproduced"
    assert outcomes(text.format(9), SMALL, LARGE)[0][1] == "contradicted"
    assert outcomes(text.format(4), SMALL, LARGE)[0][1:] == ("not-measurable", "no setting that ran has order=4")


@pytest.mark.parametrize("word", ["arm64", "aarch64", "an Ampere Altra", "Graviton3"])
def test_a_claim_about_another_architecture_is_not_held_against_this_one(word: str) -> None:
    ((_, found, detail),) = outcomes(f"On {word} it executes 20% fewer instructions.", SMALL)
    assert (found, detail) == (
        "not-measurable",
        "the sentence is about arm64, where nothing was measured: --corner arch=arm64",
    )
    assert outcomes("On RISC-V it takes 20% fewer instructions.", SMALL)[0][2].endswith("nothing was measured")
    assert outcomes("On x86-64 it executes 20% fewer instructions.", SMALL)[0][1] == "reproduced"


def test_a_claim_about_another_architecture_is_held_against_its_corner() -> None:
    corner = Corner(name="arch=arm64,cc=gcc-13", cells=(LARGE,))
    found = structs.replace(review(SMALL), corners=(corner, Corner(name="cc=gcc-13", cells=(SMALL,))))
    claims = claims_in("It executes 20% fewer instructions on arm64. It executes 20% fewer instructions.")
    assert [one.outcome for one in checked(claims, found)] == ["contradicted", "reproduced"]


def test_a_parameter_that_the_named_workload_lacks_names_nothing() -> None:
    toggle = structs.replace(SMALL, workload="mprotect_toggle", settings=(Setting(name="share", value="private"),))
    text = "Forking private memory (folio_fork) takes 20% fewer instructions."
    assert outcomes(text, SMALL, toggle)[0][1:] == (
        "reproduced", "of folio_fork: nearest: folio_fork, -20.0 % counted",
    )  # fmt: skip


def test_a_workload_that_was_not_measured_is_not_replaced_by_another() -> None:
    text = "mprotect_toggle executes 20% fewer instructions."
    assert outcomes(text, SMALL)[0][1:] == ("not-measurable", "no setting that ran has mprotect_toggle")
    once = structs.replace(cell(SCREENED, 0.25, n=1), workload="mprotect_toggle", settings=())
    assert outcomes(text, SMALL, once)[0][1:] == (
        "contradicted", "of mprotect_toggle, run once: nearest: mprotect_toggle, +25.0 % counted",
    )  # fmt: skip


def test_a_figure_that_no_phase_has_is_held_against_the_whole() -> None:
    phase = cell("equivalent", 0.002, order="9", phase="protect")
    assert outcomes("It is 15% more instructions.", LARGE, phase)[0][2].endswith(
        "nearest: folio_fork order=9, +50.0 % counted"
    )


def test_several_settings_of_a_sentence_are_alternatives() -> None:
    ((_, _, detail),) = outcomes("Order 0 and order 9 take 20% fewer instructions.", SMALL, LARGE)
    assert detail.startswith("of order=0 and order=9: ")


def test_differences_are_held_against_differences() -> None:
    found = outcomes("This saves 20 instructions/page and saves 40 ns. It adds 33 instructions/page.", SMALL, LARGE)
    assert [(figure, outcome) for figure, outcome, _ in found] == [
        ("20 instructions/page", "reproduced"), ("40 ns", "not-measurable"), ("33 instructions/page", "not-reproduced"),
    ]  # fmt: skip
    assert found[0][2].endswith("nearest: folio_fork, -20 instructions/page counted")


def test_every_number_has_a_row() -> None:
    found = outcomes("A call takes 336 ns, 70% of it in memcpy. Memory use drops by 12 MiB.", SMALL)
    assert [(figure, outcome) for figure, outcome, _ in found] == [
        ("336 ns", "not-understood"), ("70%", "not-understood"), ("12 MiB", "not-measurable"),
    ]  # fmt: skip


OPEN = structs.replace(cell("inconclusive", 0.09, order="2"), floor=0.2)
UNSTABLE = structs.replace(OPEN, evidence="unstable")
REFUSED = cell("different-work", None, order="2")


@pytest.mark.parametrize(
    ("found", "why"),
    [(OPEN, "inconclusive"), (UNSTABLE, "unstable"), (REFUSED, "different-work"),
     (structs.replace(cell("regression", 0.09, order="2"), evidence="unstable"), "unstable")],
)  # fmt: skip
@pytest.mark.parametrize("text", ["Order 2 takes 9 % more instructions.", "It takes 9 % fewer instructions."])
def test_a_setting_without_a_verdict_confirms_and_contradicts_nothing(found: Cell, why: str, text: str) -> None:
    ((_, result, detail),) = outcomes(text, found)
    assert result == "not-decided"
    assert detail.endswith(f"folio_fork order=2 has no verdict ({why})")


def test_a_claim_is_contradicted_only_if_every_setting_is_decided() -> None:
    text = "It takes 20% fewer instructions."
    assert outcomes(text, LARGE)[0][1] == "contradicted"
    ((_, result, detail),) = outcomes(text, LARGE, OPEN)
    assert (result, detail.rpartition("; ")[2]) == ("not-reproduced", "1 phase is not decided")
    assert outcomes(text, SMALL, OPEN)[0][1] == "reproduced"


def test_a_claim_is_not_decided_by_a_part_of_a_setting_that_has_no_verdict() -> None:
    part = cell("equivalent", 0.002, order="2", phase="protect")
    assert outcomes("Order 2 takes 20% fewer instructions.", OPEN, part)[0][1] == "not-decided"
    same = structs.replace(part, change=-0.2, verdict="improvement")
    assert outcomes("Order 2 takes 20% fewer instructions.", OPEN, same)[0][1] == "reproduced"
