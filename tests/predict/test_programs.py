# SPDX-License-Identifier: GPL-2.0-only
"""The page of programs: what is beside a prediction, and how it is scored."""

from benchmarks import predict_programs

from kassay.labs.predict.here import TimedHere


def row(name: str, predicted: float, measured: float) -> predict_programs.Row:
    timed = TimedHere(workload=name, n=100, ns=measured, low=measured - 1000, high=measured + 1000)
    return predict_programs.Row(name, predicted, (("width", predicted / 2), ("l1", predicted / 4)), (), timed)


def test_every_program_is_one_file_with_its_purpose() -> None:
    programs = sorted(predict_programs.FOLDER.glob("*.c"))
    assert len(programs) == 10
    assert all(path.read_text().splitlines()[1].startswith("/* ") for path in programs)


def test_error_is_that_of_the_prediction_and_the_score_counts_those_within_a_tenth() -> None:
    rows = [row("a", 1_090_000, 1_000_000), row("b", 950_000, 1_000_000), row("c", 1_400_000, 1_000_000)]
    text = predict_programs.table(rows)
    assert "| `a` | 1 090 | 1 000 | 999 to 1 001 | 100 | +9% | width 50%, l1 25% |" in text
    assert "3 programs: median error 9%, 2 within 10%, largest 40%." in text


def test_the_machine_is_named_with_its_hypervisor() -> None:
    assert "under KVMKVMKVM" in predict_programs.machine("zen5")
    assert "Predicted for: zen5." in predict_programs.machine("zen5")
