# SPDX-License-Identifier: GPL-2.0-only
"""The contract kassay-report/1: these names stay."""

import json
from typing import Any

import msgspec
import pytest

from kassay.errors import Defect
from kassay.model.report import Report
from kassay.report.formats.json import render
from tests.report.reports import HOSTILE, KERNELS, SAMPLES


def _parsed(sample: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(render(SAMPLES[sample]()))
    return parsed


def test_the_names_of_the_contract_are_there() -> None:
    report = _parsed("compare")
    assert report["schema"] == "kassay-report/1"
    assert {"name", "question", "workload", "order", "seed"} <= report["experiment"].keys()
    identity = {"ref", "release", "arch", "image_sha256", "compiler", "config_sha256", "source"}
    assert identity <= report["kernels"][0].keys()
    assert {"planned", "ok", "failed", "refused", "retried", "failures"} <= report["runs"].keys()
    names = (
        "workload settings machine metric unit definition better base head base_value head_value change interval "
        "n_base n_head verdict evidence scope reasons attribution"
    )
    assert set(names.split()) <= report["findings"][0].keys()


def test_a_finding_has_its_settings_and_machine_as_objects() -> None:
    finding = _parsed("compare")["findings"][0]
    assert finding["settings"] == {"size": "64MiB", "share": "shared"}
    assert finding["machine"] == {
        "arch": "x86_64", "cpus": 1, "memory_bytes": 1 << 30, "clock": "icount", "accelerator": "tcg",
    }  # fmt: skip


def test_an_attribution_adds_up_and_its_absence_is_null() -> None:
    attribution = _parsed("compare")["findings"][0]["attribution"]
    assert {"function", "base", "head", "delta", "context", "place", "group"} <= attribution["rows"][0].keys()
    assert attribution["groups"][0]["root"] == "change_protection" and attribution["sentence"].startswith("+371 ")
    assert sum(r["delta"] for r in attribution["rows"]) + attribution["unattributed"] == pytest.approx(371.0)
    assert _parsed("ladder")["findings"][0]["attribution"] is None


def test_the_ladder_is_the_primary_one_and_its_steps_say_from_and_to() -> None:
    report = _parsed("ladder")
    assert report["ladder"]["metric"] == "iteration"
    assert [point["kernel"] for point in report["ladder"]["points"]] == list(KERNELS)
    assert [point["value"] for point in report["ladder"]["points"]] == [301.6, 301.6, 672.6, 698.8, 703.0]
    step = report["ladder"]["steps"][0]
    assert set(step) == {"from", "to", "change", "verdict"}
    assert (step["from"], step["to"]) == KERNELS[1:3]
    assert [ladder["metric"] for ladder in report["ladders"]] == ["iteration", "protect", "touch"]


def test_what_is_absent_is_null() -> None:
    assert _parsed("compare")["ladder"] is None
    finding = _parsed("refused")["findings"][0]
    assert (finding["base_value"], finding["change"], finding["interval"]) == (None, None, None)
    assert _parsed("refused")["audits"][0]["fields"]["AnonHugePages"] is None


def test_hostile_names_come_back_as_they_were() -> None:
    report = _parsed("hostile")
    assert report["kernels"][0]["ref"] == HOSTILE
    assert report["runs"]["failures"][0]["detail"] == HOSTILE


def test_every_field_of_a_report_is_in_it() -> None:
    others = {"stacks", "lead", "shares", "times"}  # shares are called kernel_share; times are for one format
    assert set(Report.__struct_fields__) - others <= _parsed("empty").keys()


def test_call_stacks_are_left_to_the_exports() -> None:
    assert "stacks" not in _parsed("compare")


def test_a_figure_that_is_not_finite_is_a_defect() -> None:
    report = SAMPLES["compare"]()
    broken = msgspec.structs.replace(report.findings[0], change=float("inf"))
    with pytest.raises(Defect, match="not finite"):
        render(msgspec.structs.replace(report, findings=(broken,)))
