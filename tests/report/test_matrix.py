# SPDX-License-Identifier: GPL-2.0-only
"""Settings at a glance, as people write them in a thread."""

import pytest
from msgspec.structs import replace

from kassay.model.finding import REFUSED
from kassay.model.records import Setting
from kassay.model.report import Report
from kassay.report.formats import format_named
from kassay.report.tables import gap_closed, matrices
from tests.report.parts import KERNELS, finding, ladder_of, report_of
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


def _second_setting(*verdicts: str) -> Report:
    """The matrix whose second setting has these verdicts on its two steps."""
    report = SAMPLES["matrix"]()
    findings = list(report.findings)
    for i, verdict in enumerate(verdicts, 3):
        change = None if verdict in REFUSED else findings[i].change
        findings[i] = replace(findings[i], verdict=verdict, change=change, interval=None)
    return replace(report, findings=tuple(findings))


@pytest.mark.parametrize(
    ("verdicts", "texts"),
    [
        (("state-mismatch", "improvement"), ["- state-mismatch", "-13.5 %", "- state-mismatch"]),
        (("regression", "state-mismatch"), ["+57.6 %", "- state-mismatch", "- state-mismatch"]),
        (("regression", "inconclusive"), ["+57.6 %", "-13.5 % inconclusive", "37.0 % inconclusive"]),
        (("inconclusive", "improvement"), ["+57.6 % inconclusive", "-13.5 %", "- inconclusive"]),
    ],
)
def test_a_figure_that_no_verdict_supports_is_absent_or_marked(verdicts: tuple[str, str], texts: list[str]) -> None:
    (table,) = matrices(_second_setting(*verdicts))
    assert [cell.text for cell in table.rows[1]][-3:] == texts
    assert table.rows[0][-1].text == "17.9 %"


def test_ends_of_a_longer_ladder_are_compared_across_no_refused_step() -> None:
    values = (301.6, 672.6, 698.8, 703.0)
    small, large = (ladder_of("iteration", KERNELS[:4], values) for _ in range(2))
    large = replace(large, settings=(Setting(name="size", value="1GiB"),))
    refused = replace(large.steps[0], verdict="state-mismatch", change=None)
    large = replace(large, steps=(refused, *large.steps[1:]))
    pair = finding(*KERNELS[:2], (301.6, 672.6))
    (table,) = matrices(report_of(KERNELS[:4], findings=(pair,), ladders=(small, large)))
    assert [row[-1].text for row in table.rows] == ["+133.1 %", "- state-mismatch"]


def test_mail_says_why_kernels_of_a_setting_are_not_compared() -> None:
    text = format_named("mail").render(_second_setting("state-mismatch", "state-mismatch"))
    row = next(line.split() for line in text.splitlines() if line.split()[:2] == ["2", "369.2"])
    assert row[-2:] == ["-", "-"]
    flat = " ".join(text.split())
    assert (
        "v6.12.77 and v6.19.9 (2 CPUs" in flat and "cannot be compared, because they did not work on the same" in flat
    )


def test_markdown_shows_the_settings_before_everything_else() -> None:
    text = format_named("markdown_full").render(SAMPLES["matrix"]())
    assert text.index("| CPUs | 6.12.77 |") < text.index("## Result")
