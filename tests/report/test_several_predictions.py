# SPDX-License-Identifier: GPL-2.0-only
"""Predicted time of several workloads on several booted CPUs: each comparison has a name of its own."""

from kassay.report.document import Section
from kassay.report.predictions import prediction_blocks
from kassay.report.sections.predicted import prediction_tables
from tests.report.predicted_reports import several


def test_each_comparison_is_named_by_its_workload_and_its_booted_cpu() -> None:
    report = several("zen3", "zen5")
    titles = [block.title for block in prediction_blocks(report) if isinstance(block, Section)]
    pair = "debian:6.16.12 to debian:6.17.13"
    assert titles == [f"{pair}, {name} cpu={cpu}" for name in ("mprotect", "unmap") for cpu in ("zen3", "zen5")]
    tables = [table.title for table in prediction_tables(report)]
    assert len({*tables}) == len(tables)
    assert f"iteration, {pair}, unmap cpu=zen5 on alderlake_p: by cause" in tables
