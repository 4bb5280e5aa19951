# SPDX-License-Identifier: GPL-2.0-only
"""A document that kcidb-io's own schema accepts, and that says what the report says."""

import json
import sys
from typing import Any

import kcidb_io
import pytest
from msgspec.structs import replace

from kassay.errors import HostLacks
from kassay.model.build import BuildSource
from kassay.report.formats.kcidb import render
from tests.report.reports import SAMPLES


def _parsed(sample: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(render(SAMPLES[sample]()))
    return parsed


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_schema_accepts_it_and_nothing_in_it_refers_to_nothing(sample: str) -> None:
    found = _parsed(sample)
    assert kcidb_io.schema.V5_3.is_valid_exactly(found)
    checkouts = {one["id"] for one in found["checkouts"]}
    builds = {one["id"] for one in found["builds"]}
    assert {one["checkout_id"] for one in found["builds"]} <= checkouts
    assert {one["build_id"] for one in found["tests"]} <= builds
    tests = [one["id"] for one in found["tests"]]
    assert len(set(tests)) == len(tests)


def test_each_kernel_is_judged_against_the_one_before() -> None:
    tests = [one for one in _parsed("ladder")["tests"] if one["path"] == "kassay.mprotect.iteration"]
    assert [one["status"] for one in tests] == ["DONE", "PASS", "FAIL", "FAIL", "PASS"]
    assert [one["number"]["value"] for one in tests] == [301.6, 301.6, 672.6, 698.8, 703.0]
    assert {one["number"]["unit"] for one in tests} == {"instructions/page"}


def test_a_refused_comparison_is_an_error_of_the_test_and_has_no_number() -> None:
    tests = _parsed("refused")["tests"]
    assert [one["status"] for one in tests] == ["MISS", "ERROR"]
    assert not any("number" in one for one in tests)


def test_a_kernel_that_was_measured_beside_one_that_was_not_keeps_its_number() -> None:
    assert [one.get("number", {}).get("value") for one in _parsed("one_side_missing")["tests"]] == [301.6, None]


@pytest.mark.parametrize(("patches", "commit"), [((), "a" * 40), (("mm: walk less",), None)])
def test_a_patched_kernel_has_no_commit(patches: tuple[str, ...], commit: str | None) -> None:
    report = SAMPLES["compare"]()
    build = BuildSource(base="linux@v6.17", version=f"6.17: commit {'a' * 40}", tree="b" * 40, patches=patches)
    kernel = replace(report.kernels[0], source=f"built here from linux ({build.version})", build=build)
    document = json.loads(render(replace(report, kernels=(kernel, *report.kernels[1:]))))
    assert document["checkouts"][0].get("git_commit_hash") == commit


def test_emulated_time_decides_nothing() -> None:
    tests = _parsed("emulated_time")["tests"]
    assert [(one["status"], one["misc"].get("verdict")) for one in tests] == [("DONE", None), ("DONE", "regression")]


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kcidb_io", None)
    with pytest.raises(HostLacks, match="kcidb-io is not installed") as caught:
        render(SAMPLES["compare"]())
    assert caught.value.remedy == "pip install 'kassay[kcidb]'"
