# SPDX-License-Identifier: GPL-2.0-only
"""Settings at a glance, as people write them in a thread."""

import pytest
from msgspec.structs import replace

from kassay.report.formats import format_named
from kassay.report.tables import gap_closed, matrices
from tests.report.reports import SAMPLES


def test_a_setting_is_a_row_and_what_does_not_vary_is_no_column() -> None:
    (table,) = matrices(SAMPLES["matrix"]())
    assert table.columns == ("CPUs", "6.12.77", "6.19.9", "mm-unstable", "n", "6.19.9 vs 6.12.77",
                             "mm-unstable vs 6.19.9", "gap closed")  # fmt: skip
    rows = [[cell.text for cell in row] for row in table.rows]
    assert rows[0] == ["1", "336.1", "532.0", "497.0", "10", "+58.3 %", "-6.6 %", "17.9 %"]
    assert [row[0] for row in rows] == ["1", "2", "4"]


def test_two_kernels_have_the_change_with_its_interval_and_verdict() -> None:
    report = SAMPLES["timed"]()
    one = report.findings[0]
    other = replace(one, machine=replace(one.machine, cpus=4), n_base=9)
    (table,) = matrices(replace(report, findings=(one, other)))
    assert table.columns[-3:] == ("change", "interval", "verdict")
    assert [row[0].text for row in table.rows] == ["1", "4"] and table.rows[1][3].text == "9, 10"
    assert table.rows[0][-2].text == "+61.7 % to +71.7 %"


# The rows of "robot" are metrics, each of its own workload.
@pytest.mark.parametrize("sample", [name for name in SAMPLES if name not in ("matrix", "robot")])
def test_one_setting_alone_is_no_matrix(sample: str) -> None:
    assert matrices(SAMPLES[sample]()) == ()


def test_a_gap_is_closed_as_far_as_the_third_kernel_takes_off_what_the_second_added() -> None:
    assert gap_closed(336.1, 532.0, 497.0) == pytest.approx(0.1787, abs=1e-4)
    assert gap_closed(300.0, 600.0, 300.0) == 1.0
    assert gap_closed(300.0, 600.0, 660.0) == pytest.approx(-0.2)
    assert gap_closed(300.0, 250.0, 200.0) is None and gap_closed(None, 2.0, 1.0) is None


def test_markdown_shows_the_settings_before_everything_else() -> None:
    text = format_named("markdown_full").render(SAMPLES["matrix"]())
    assert text.index("| CPUs | 6.12.77 |") < text.index("## Result")
