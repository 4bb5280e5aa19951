# SPDX-License-Identifier: GPL-2.0-only
"""Functions that ran on one kernel only explain why two kernels worked on unequal states."""

from msgspec.structs import replace

from kassay.analysis.one_sided import MOST, one_sided
from kassay.model.finding import OneSided
from kassay.report.sections.refused import one_sided_table
from tests.analysis.profiles import profile
from tests.report.reports import SAMPLES

BASE = replace(profile({"do_anonymous_page": (9000, 20), "madvise_walk_vmas": (300, 2), "folded": (50, 1)}), kernel="a")
HEAD = replace(
    profile({"do_huge_pmd_anonymous_page.isra.0": (700, 1), "madvise_walk_vmas": (310, 2), "brand_new": (90, 1),
             "main@user": (5, 1)}),
    kernel="b",
)  # fmt: skip
KNOWN = ({"do_anonymous_page", "do_huge_pmd_anonymous_page", "madvise_walk_vmas", "folded"},
         {"do_anonymous_page", "do_huge_pmd_anonymous_page", "madvise_walk_vmas", "brand_new"})  # fmt: skip


def test_functions_that_both_kernels_have_and_one_executed_are_listed_largest_first() -> None:
    assert one_sided(BASE, HEAD, KNOWN) == (
        OneSided(function="do_anonymous_page", kernel="a", value=900.0, calls=2.0),
        OneSided(function="do_huge_pmd_anonymous_page", kernel="b", value=70.0, calls=0.1),
    )


def test_a_long_list_is_cut_behind_the_largest() -> None:
    many = {f"f{number}": (100 + number, 1) for number in range(MOST + 5)}
    found = one_sided(profile(many), HEAD, (set(many), set(many)))
    assert len(found) == MOST and found[0].function == f"f{MOST + 4}"


def test_report_names_differing_state_and_one_sided_functions() -> None:
    report = SAMPLES["refused"]()
    finding = replace(report.findings[0], verdict="state-mismatch", one_sided=one_sided(BASE, HEAD, KNOWN))
    other = replace(finding, metric="touch", primary=False, one_sided=finding.one_sided[:1])
    made = one_sided_table(replace(report, findings=(finding, other)), finding)
    assert made is not None and [row[0].text for row in made.rows] == [
        "do_anonymous_page", "do_anonymous_page", "do_huge_pmd_anonymous_page",
    ]  # fmt: skip
    assert {row[1].text for row in made.rows} == {finding.metric, "touch"}
    assert one_sided_table(report, replace(finding, one_sided=())) is None
