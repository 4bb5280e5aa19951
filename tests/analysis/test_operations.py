# SPDX-License-Identifier: GPL-2.0-only
"""A comparison refused for its amount of work has the cost of one operation that the program prints."""

import pytest
from msgspec import structs

from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import PrintedOperations
from kassay.report.sections.programs import calls_text
from tests.analysis.works import ADAPTIVE, FEWER, kernels, two


def printing(name: str, *values: float, rate: bool = False) -> PrintedOperations:
    return PrintedOperations(name=name, rate=rate, values=values)


def prints(run: Measurement, operations: PrintedOperations) -> Measurement:
    assert run.work is not None
    return structs.replace(run, work=structs.replace(run.work, operations=operations))


@pytest.mark.parametrize(
    ("base", "head", "kind", "times"),
    [
        (printing("ops", 5, 5, 5), printing("ops", 4, 4, 4), "operation", "5 and 4 operations per round"),
        # 904 000 ns a loop of the base, 999 725 of the head
        (printing("ops/s", *[1e9 / 904_000] * 3, rate=True), printing("ops/s", *[1e9 / 999_725] * 3, rate=True),
         "operation by its rate", "1 106.2 and 1 000.3 operations per second of guest time"),
    ],
)  # fmt: skip
def test_different_work_is_divided_by_operations_that_the_program_prints(
    base: PrintedOperations, head: PrintedOperations, kind: str, times: str
) -> None:
    older, newer = kernels(ADAPTIVE, FEWER)
    finding = two(printed_by(older, base), printed_by(newer, head))
    operation = finding.calls[0]
    assert (finding.verdict, operation.kind, operation.text) == ("different-work", kind, f"operation ({base.name})")
    assert (round(operation.base), round(operation.head)) == (904_000, 999_725)
    assert (operation.base_times, operation.head_times) == (base.values[0], head.values[0])
    assert (operation.verdict, operation.evidence) == ("regression", "partial")
    text = calls_text(finding, "a", "b")
    assert "Per operation (" in text and times in text


def printed_by(side: CellEvidence, operations: PrintedOperations) -> CellEvidence:
    return structs.replace(side, measurements=tuple(prints(run, operations) for run in side.measurements))


def test_a_printed_number_that_does_not_explain_the_work_is_not_divided_by() -> None:
    base, head = kernels(ADAPTIVE, FEWER)
    for number in (5, 8):
        finding = two(printed_by(base, printing("ops", 5, 5, 5)), printed_by(head, printing("ops", *[number] * 3)))
        assert [cost.kind for cost in finding.calls] == ["fault", "system call"]
