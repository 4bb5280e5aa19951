# SPDX-License-Identifier: GPL-2.0-only
"""Page faults that one kernel alone takes in a workload of kassay's: a call may have left its work out there."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from kassay.model.finding import Finding
from kassay.model.run import CellEvidence
from tests.analysis.sides import evidence, measurement
from tests.analysis.works import two

CODE = "faults-on-one-side"


def side(ref: str, ticks: int, faults: int | None, index: int) -> CellEvidence:
    runs = [measurement([ticks] * 8, repeat=n, perturbation=n // 2) for n in range(3)]
    counters = () if faults is None else (("pgfault", str(faults)),)
    return evidence(ref, *(structs.replace(run, counters=counters) for run in runs), index=index)


def compared(*sides: tuple[int, int | None]) -> Finding:
    base, head = (side(f"debian:6.{n}", ticks, faults, n) for n, (ticks, faults) in enumerate(sides))
    return two(base, head)


@pytest.mark.parametrize(
    ("sides", "verdict", "is_doubt"),
    [
        (((1000, 4097), (10, 1)), "inconclusive", True),  # a call that does nothing
        (((1000, 1), (500, 4097)), "inconclusive", True),  # a call that does half, and faults that do the rest
        (((1000, 1), (1200, 4097)), "regression", True),
        (((1000, 1), (1000, 4097)), "equivalent", True),
        (((1000, 4097), (800, 9)), "improvement", False),  # more pages to a fault
        (((1000, 1), (800, 3)), "improvement", False),
        (((1000, None), (800, 4097)), "improvement", False),
    ],
)
def test_a_gain_without_the_faults_of_the_other_kernel_is_no_verdict(
    sides: Sequence[tuple[int, int | None]], verdict: str, is_doubt: bool
) -> None:
    finding = compared(*sides)
    assert (finding.verdict, CODE in [why.code for why in finding.reasons]) == (verdict, is_doubt)
    assert finding.evidence == ("partial" if is_doubt else "exact")
