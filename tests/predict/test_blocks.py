# SPDX-License-Identifier: GPL-2.0-only
"""Straight-line code on Skylake: beside what was measured, and blocks of the kernel beside uiCA."""

import statistics

import pytest
from benchmarks.predict_blocks import CPU, Row, predicted, rows

from kassay.labs.predict.timing import timing_for

pytestmark = pytest.mark.slow  # a second for the whole file


def errors(found: tuple[Row, ...]) -> list[float]:
    """Relative errors of the blocks that can be executed."""
    cycles = [(row.measured, predicted(row.code, [timing_for(CPU)])) for row in found]
    assert sum(one is not None for _, one in cycles) >= 0.9 * len(found)
    return [abs(one[0] / measured - 1) for measured, one in cycles if one]


def test_measured_blocks_are_predicted() -> None:
    """Every 30th of them; without decoders the median was 3.9 %, and 70 % were within 10 %."""
    found = errors(rows("skylake")[::30])
    assert statistics.median(found) < 0.05
    assert sum(error <= 0.1 for error in found) > 0.7 * len(found)


def test_blocks_of_the_kernel_take_what_uica_says() -> None:
    found = errors(rows("kernel")[::2])
    assert statistics.median(found) < 0.02
    assert sum(error <= 0.1 for error in found) > 0.75 * len(found)
