# SPDX-License-Identifier: GPL-2.0-only
"""Other work is refused on every path: hosts of a cluster, itemised profiles (and notice), suites, bisections."""

from msgspec import structs

from kassay.analysis.itemised import chosen
from kassay.model.run import CellEvidence
from kassay.questions.bisect import _refused
from kassay.report.exit_status import exit_status
from tests.analysis.works import ADAPTIVE, FEWER, kernels, two
from tests.report.reports import SAMPLES


def on(host: str, side: CellEvidence) -> CellEvidence:
    return structs.replace(side, measurements=tuple(structs.replace(m, host=host) for m in side.measurements))


def test_hosts_of_a_cluster_do_not_hide_other_work() -> None:
    base, head = kernels(ADAPTIVE, FEWER)
    assert two(on("first", base), on("second", head)).verdict == "different-work"
    same = kernels(ADAPTIVE, ADAPTIVE)
    assert two(on("first", same[0]), on("second", same[1])).verdict == "equivalent"


def test_profiles_of_a_refused_pair_carry_the_refusal() -> None:
    """`kassay notice` and `kassay profile` take their sides from here, and give no verdict then."""
    for side in chosen([two(*kernels(ADAPTIVE, FEWER))], ("6.12", "7.3"), None, {}):
        assert (side.verdict, side.reasons[0].code) == ("different-work", "different-work")


def test_a_suite_and_a_bisection_with_other_work_do_not_pass() -> None:
    refused = two(*kernels(ADAPTIVE, FEWER))
    report = structs.replace(SAMPLES["compare"](), findings=(refused,))
    assert exit_status(report) == 1 and _refused(report)  # a single madvise() is a regression
    assert exit_status(structs.replace(report, findings=(structs.replace(refused, calls=()),))) == 4
