# SPDX-License-Identifier: GPL-2.0-only
"""Predicted time of several workloads on several booted CPUs: each comparison has a name of its own."""

from msgspec.structs import replace

from kassay.model.reason import reason
from kassay.model.report import Report
from kassay.report.document import Fact, Facts, Section
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


def test_doubts_with_a_command_come_first_and_are_never_cut() -> None:
    report = several("zen3", "zen5")
    commands = [reason("kernel-mitigates", mitigations=((f"PTI {i}", 0),), cmdline=f"a={i}") for i in range(6)]
    few = [reason("rounds-spread", spread=0.01 * i) for i in range(1, 4)]
    doubts = (*few, reason("other-cpu-booted", booted="zen3"), *commands)
    doubtful = replace(report.findings[0].predictions[0], doubts=doubts)
    findings = (replace(report.findings[0], predictions=(doubtful,)), *report.findings[1:])
    texts = _doubt_texts(replace(report, findings=findings))
    where = "(mprotect cpu=zen3)"
    assert texts[0] == f"the kernel has PTI 0 on the emulated CPU only: --cmdline 'a=0' ends it {where}"
    assert len(texts) == 7 and all("--cmdline" in text for text in texts[:6])
    assert texts[6] == "and 5 more"


def test_a_doubt_of_all_comparisons_names_none() -> None:
    assert _doubt_texts(several("zen3", "zen5")) == [
        "zen3: the kernels booted on qemu64 and chose their code for it; on the predicted CPU some code may differ"
    ]


def _doubt_texts(report: Report) -> list[str]:
    rows = [row for block in prediction_blocks(report) if isinstance(block, Section) for row in _rows(block)]
    return [text for row in rows if row.name == "doubt" for text in row.texts]


def _rows(section: Section) -> tuple[Fact, ...]:
    return tuple(row for block in section.blocks if isinstance(block, Facts) for row in block.rows)
