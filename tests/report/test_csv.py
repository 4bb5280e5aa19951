# SPDX-License-Identifier: GPL-2.0-only
"""Every value of every run, a row each, as any program reads it."""

import csv
import io

import pytest
from msgspec.structs import replace

from kassay.model.report import Report
from kassay.report.formats.csv import COLUMNS, render
from tests.report.parts import finding, ladder_of, report_of
from tests.report.rendering import rendered
from tests.report.reports import KERNELS, SAMPLES


def _rows(sample: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(rendered("csv", sample))))


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_row_has_every_column(sample: str) -> None:
    table = list(csv.reader(io.StringIO(rendered("csv", sample))))
    assert tuple(table[0]) == COLUMNS
    assert {len(row) for row in table} == {len(COLUMNS)}


def test_a_ladder_has_each_run_once_however_many_comparisons_it_is_in() -> None:
    rows = [row for row in _rows("ladder") if row["metric"] == "iteration"]
    assert [(row["kernel"], row["kind"], row["run"]) for row in rows] == [
        (kernel, kind, str(run)) for kernel in KERNELS for kind in ("plain", "perturbed") for run in (1, 2)
    ]
    assert [row["value"] for row in rows if row["kernel"] == KERNELS[2] and row["kind"] == "plain"] == ["672.6"] * 2


def test_a_boots_block_and_machine_stand_beside_its_value() -> None:
    first, second, third, *_ = _rows("timed")
    assert [row["block"] for row in (first, second, third)] == ["0", "0", "1"]
    assert (first["value"], first["clock"], first["cpus"], first["memory_bytes"]) == (
        "346.8",
        "kvm",
        "1",
        str(14 << 30),
    )


def _refused(report: Report) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(render(report)))
    return {row["kernel"]: row["refused"] for row in rows if row["metric"] == "iteration"}


def test_kernels_behind_a_refused_step_are_marked() -> None:
    report = SAMPLES["ladder"]()
    found = tuple(
        replace(f, verdict="state-mismatch", change=None) if f.kernels == KERNELS[1:3] else f for f in report.findings
    )
    marks = _refused(replace(report, findings=found))
    assert list(marks.values()) == ["", "", *["state-mismatch"] * 3]


def test_a_refused_kernel_is_marked_in_its_other_comparisons() -> None:
    refused = replace(finding(*KERNELS[:2], (301.6, 672.6)), verdict="state-mismatch", change=None)
    report = report_of(KERNELS[:3], findings=(refused, finding(*KERNELS[1:3], (672.6, 450.0))))
    rows = list(csv.DictReader(io.StringIO(render(report))))
    assert {row["kernel"] for row in rows if not row["refused"]} == {KERNELS[0]}


def test_a_kernel_without_a_value_separates_no_others() -> None:
    findings = [finding(KERNELS[0], KERNELS[1], (301.6, None)), finding(KERNELS[1], KERNELS[2], (None, 301.6))]
    ladder = ladder_of("iteration", KERNELS[:3], (301.6, None, 301.6))
    marks = _refused(report_of(KERNELS[:3], findings=tuple(findings), ladders=(replace(ladder, steps=()),)))
    assert marks == {KERNELS[0]: "", KERNELS[1]: "incomplete", KERNELS[2]: ""}


def test_a_failed_run_has_a_row_and_no_value() -> None:
    failed = [row for row in _rows("one_side_missing") if row["kind"] == "failed"]
    assert len(failed) == 2 and {row["value"] for row in failed} == {""}


def test_what_is_known_by_its_mean_alone_is_called_so() -> None:
    rows = _rows("robot")
    assert {row["kind"] for row in rows} == {"mean"}
    by_key = {(row["metric"], row["kernel"]): row for row in rows}
    row = by_key["meminfo.DirectMap4k", "9f9d0b0869"]
    assert (row["value"], row["spread"], row["cpus"]) == ("213121.0", "0.05", "")


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@x"])
def test_a_text_that_a_spreadsheet_would_run_is_made_inert_and_numbers_are_not(name: str) -> None:
    report = SAMPLES["imported"]()
    first = replace(report.findings[0], workload=name, unit=name, change=-0.1)
    rows = list(csv.DictReader(io.StringIO(render(replace(report, findings=(first,))))))
    assert {row["workload"] for row in rows} == {row["unit"] for row in rows} == {f"'{name}"}
    assert not any(row["value"].startswith("'") for row in rows)
