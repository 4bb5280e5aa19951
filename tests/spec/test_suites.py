# SPDX-License-Identifier: GPL-2.0-only
"""Suites are files; an experiment takes one in place of workloads."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.spec.load import parse, suite_workloads
from kassay.spec.suites import suites
from kassay.supply.applications import application_names
from kassay.supply.guest import sources

_FILE = 'suite = "mm"\nkernels = ["debian:6.12", "debian:6.17"]\n'


@pytest.mark.parametrize("name", suites())
def test_every_suite_names_workloads_that_there_are(name: str) -> None:
    uses = suite_workloads(name)
    assert uses and {use.name for use in uses} <= {*sources.workload_names(), *application_names()}


_NOT_OF_ONE_CPU = {
    "calibrate": "checks the instrument",
    "numa_migrate": "needs two nodes",
    "tlb_shootdown": "needs two CPUs",
    "page_handover": "needs two CPUs",
    "pcp_idle": "sleeps, and what is executed meanwhile is no path of its own",
    "process_mix": "is for the page allocator on several CPUs; process_start has its paths",
}


def test_the_suite_of_mm_is_the_whole_catalogue_but_what_one_cpu_has_not() -> None:
    assert {use.name for use in suite_workloads("mm")} == set(sources.workload_names()) - _NOT_OF_ONE_CPU.keys()


def test_an_experiment_with_a_suite_has_its_workloads_in_full() -> None:
    assert parse(_FILE, "x.toml").workloads == suite_workloads("mm")


def test_a_suite_beside_workloads_is_refused() -> None:
    with pytest.raises(BadInput, match="suite: beside workloads"):
        parse(f'{_FILE}workloads = ["mincore_scan"]\n', "x.toml")


def test_an_unknown_suite_names_those_there_are() -> None:
    with pytest.raises(BadInput, match="unknown suite 'nn'") as caught:
        suite_workloads("nn")
    assert "mm" in caught.value.remedy


def test_a_suite_of_ones_own_is_a_file_and_its_problems_have_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "suites" / "mine.toml"
    file.parent.mkdir()
    file.write_text('summary = "two"\nworkloads = ["mincore_scan", "page_fault"]\n')
    monkeypatch.setenv("KASSAY_PATH", str(tmp_path))
    assert [use.name for use in suite_workloads("mine")] == ["mincore_scan", "page_fault"]
    file.write_text('summary = "two"\nworkload = ["mincore_scan"]\n')
    with pytest.raises(BadInput, match=r"mine.toml: workload: unknown key") as caught:
        suite_workloads("mine")
    assert "workloads: missing" in str(caught.value)
