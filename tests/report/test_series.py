# SPDX-License-Identifier: GPL-2.0-only
"""Findings and ladders as one kind of series."""

import msgspec

from kassay.report.sections.refused import refusals, unequal_findings
from kassay.report.series import all_series, groups
from kassay.report.tables import across_table, across_text
from kassay.report.words import interval_text, run_length, short_names
from tests.report.reports import KERNELS, SAMPLES, finding


def test_a_ladder_takes_its_words_from_the_findings_of_its_neighbours() -> None:
    lead = groups(SAMPLES["ladder"]())[0].lead
    assert lead.workload == "mprotect" and lead.better == "lower" and lead.definition
    assert [row.verdict for row in lead.rows] == ["", "equivalent", "regression", "regression", "equivalent"]
    assert lead.rows[2].evidence == "exact" and lead.rows[2].interval is not None


def test_neighbours_are_not_listed_twice_but_other_pairs_are() -> None:
    report = SAMPLES["ladder"]()
    assert len(all_series(report)) == 3
    ends = finding(KERNELS[0], KERNELS[4], (301.6, 703.0))
    wider = msgspec.structs.replace(report, findings=(*report.findings, ends))
    assert len(all_series(wider)) == 4


def test_a_ladder_without_findings_still_knows_its_changes() -> None:
    bare = msgspec.structs.replace(SAMPLES["ladder"](), findings=())
    rows = all_series(bare)[0].rows
    assert [row.verdict for row in rows] == ["", "equivalent", "regression", "regression", "equivalent"]
    assert rows[1].change == 0.0 and rows[4].change is not None


def test_the_phases_of_one_refused_pair_give_their_reason_once() -> None:
    report = SAMPLES["refused"]()
    phase = msgspec.structs.replace(report.findings[0], metric="protect", primary=False)
    both = msgspec.structs.replace(report, findings=(*report.findings, phase))
    assert len(refusals(both)) == 1
    assert len(unequal_findings(both)) == 1


def test_names_that_shorten_to_the_same_are_numbered() -> None:
    long = ["image:/a/" + "x" * 80 + f"{i}" + "y" * 80 for i in range(2)]
    first, second = short_names(long, 24)
    assert first != second and len(first) <= 24 and len(second) <= 24


def test_equal_neighbours_are_counted() -> None:
    assert run_length((608.1, 301.6, 301.6, 301.6)) == "608.1, 301.6 ×3"
    assert run_length(()) == "-"


def test_the_ends_of_a_ladder_belong_to_its_group() -> None:
    report = SAMPLES["ladder"]()
    ends = finding(KERNELS[0], KERNELS[4], (301.6, 703.0))
    (group,) = groups(msgspec.structs.replace(report, findings=(*report.findings, ends)))
    assert [tuple(row.kernel for row in pair.rows) for pair in group.across] == [(KERNELS[0], KERNELS[4])]
    assert across_text(group.across[0]).startswith(f"iteration from {KERNELS[0]} to {KERNELS[4]}: 301.6 to 703.0 ")
    assert [cell.text for cell in across_table(group).rows[0]][3:5] == ["301.6", "703.0"]


def test_an_interval_whose_ends_read_the_same_is_one_figure() -> None:
    assert interval_text((0.5, 0.5)) == "+50.0 %"
    assert interval_text((-0.01, 0.5)) == "-1.0 % to +50.0 %"
    assert interval_text(None) == "-"
