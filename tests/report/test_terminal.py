# SPDX-License-Identifier: GPL-2.0-only
"""The answer on one screen."""

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from kassay.model.finding import Counter
from kassay.model.printed_values import PrintedRow
from kassay.model.reason import reason
from kassay.report.formats import format_named
from tests.report.predicted_reports import several
from tests.report.reports import HOSTILE, KERNELS, SAMPLES

FORMAT = format_named("terminal")


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_line_fits_the_terminal(sample: str) -> None:
    # A wide character that stands in running text may carry a wrapped line over by a few columns.
    slack = 4 if sample == "hostile" else 0
    assert max(cell_len(line) for line in FORMAT.render(SAMPLES[sample]()).splitlines()) <= 96 + slack


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_answer_fits_one_screen(sample: str) -> None:
    # Four places of a matrix are shown, the others counted; a series has a line for each row, and one that explains it.
    groups = {"matrix": 4, "series": 2}.get(sample, 1)
    assert len(FORMAT.render(SAMPLES[sample]()).splitlines()) <= 37 + 8 * groups


def test_counters_between_cpus_have_a_unit_and_no_time_from_before_the_region() -> None:
    report = SAMPLES["compare"]()
    first = report.findings[0]
    names = ("cpu1.ran", "cpu1.turns", "ran.kworker.cpu1")
    counters = tuple(Counter(name=name, definition="x", base=0.0, head=3260.3) for name in names)
    cpus = replace(first, machine=replace(first.machine, cpus=2), counters=counters)
    text = FORMAT.render(replace(report, findings=(cpus,)))
    assert "Between CPUs, per page (ran: ns)" in text
    assert "cpu1.turns" in text and "ran.kworker.cpu1" in text and "cpu1.ran" not in text
    left = FORMAT.render(replace(report, findings=(replace(cpus, counters=counters[:1]),)))
    assert "Between CPUs" not in left


def test_steps_are_marked_where_they_are_and_nowhere_else() -> None:
    lines = [line for line in FORMAT.render(SAMPLES["ladder"]()).splitlines() if "█" in line]
    assert [line.split()[0] for line in lines] == list(KERNELS)
    assert ["◄ step" in line for line in lines] == [False, False, True, True, False]
    assert "+123.0 %" in lines[2] and "2 + 2" in lines[2]


def test_bars_are_as_long_as_the_values() -> None:
    lines = [line for line in FORMAT.render(SAMPLES["ladder"]()).splitlines() if "█" in line]
    lengths = [line.count("█") for line in lines]
    assert lengths[0] == lengths[1] < lengths[2] < lengths[4]
    assert abs(lengths[0] / lengths[4] - 301.6 / 703.0) < 0.05


def test_a_refused_comparison_shows_the_differing_fields_side_by_side() -> None:
    lines = FORMAT.render(SAMPLES["refused"]()).splitlines()
    row = next(line for line in lines if line.split()[:1] == ["AnonHugePages"])
    assert row.split() == ["AnonHugePages", "before", "0", "kB", "16384", "kB"]


def test_failures_beyond_five_are_counted() -> None:
    lines = FORMAT.render(SAMPLES["one_side_missing"]()).splitlines()
    assert sum("(attempt " in line for line in lines) == 5
    assert "  and 3 more: see --format markdown" in lines


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_coloured_answer_has_the_same_words(sample: str) -> None:
    report = SAMPLES[sample]()
    assert FORMAT.screen is not None
    assert "".join(f"{line.text.rstrip()}\n" for line in FORMAT.screen(report)) == FORMAT.render(report)


def test_a_hostile_name_stays_on_its_line() -> None:
    text = FORMAT.render(SAMPLES["hostile"]())
    assert HOSTILE not in text
    assert r"\n\x1b[31m\u202e" in text


def test_the_share_of_deferred_work_is_on_the_screen() -> None:
    """It was in the page and in JSON alone, so a user who asked for it with --deferred did not find it."""
    told = reason(
        "deferred-work", "debian:6.17", share=0.04, part="part of the value", counts=(("timer", 9),), outstanding=()
    )
    shown = format_named("terminal").render(replace(SAMPLES["compare"](), disclosures=(told,)))
    assert "4.0% of the instructions in the measured region are work" in " ".join(shown.split())


def test_evidence_names_the_workload_of_each_way_in_which_rounds_became_numbers() -> None:
    report = several("zen3")
    assert "; mode of 4/5 rounds state" in " ".join(FORMAT.render(report).split())
    first, second = report.findings
    other = replace(second, sides=tuple(replace(side, method="median of 20 rounds") for side in second.sides))
    text = " ".join(FORMAT.render(replace(report, findings=(first, other))).split())
    assert "; mprotect mode of 4/5 rounds; unmap median of 20 rounds" in text


def test_evidence_has_the_rounds_of_all_kernels() -> None:
    report = several("zen3")
    first, second = report.findings
    base, head = first.sides
    sides = (replace(base, method="mode: 17 of 20 rounds"), replace(head, method="mode: 12 of 20 rounds"))
    text = " ".join(FORMAT.render(replace(report, findings=(replace(first, sides=sides), second))).split())
    assert "; mprotect mode: 12 to 17 of 20 rounds; unmap mode of 4/5 rounds" in text


def test_cycles_that_a_program_prints_may_be_a_count() -> None:
    report = SAMPLES["compare"]()
    first = report.findings[0]
    rows = tuple(
        PrintedRow(workload=first.workload, settings=first.settings, machine=first.machine, name=name, kind="time",
                   values=(("a", "5"),), steady=True)
        for name in ("cycles", "gc.cycles", "ns_per_page")
    )  # fmt: skip
    lines = FORMAT.render(replace(report, printed=rows)).splitlines()
    shown = {line.split()[0]: line for line in lines if line.split()[:1] and line.split()[0] in {r.name for r in rows}}
    assert [("virtual time" in line, "if of a clock" in line) for line in shown.values()] == [
        (False, True), (False, True), (True, False),
    ]  # fmt: skip
