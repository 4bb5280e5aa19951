# SPDX-License-Identifier: GPL-2.0-only
"""A change of the kernel, looked for in workloads that execute it and in one that does not."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.boot.conftest import NEW, Kassay

pytestmark = pytest.mark.boot

APPS = "process_exec,mprot,page_fault"
ASKED = ("--suite", "mm", "--apps", APPS, "--format", "json")
QUICK = (*ASKED, "--repeats", "1", "--boot", "snapshot")


@pytest.fixture(scope="module")
def noticed(kassay: Kassay, ladder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("notice") / "runs"
    found: dict[str, Any] = kassay("notice", str(ladder), "6.16", NEW, *QUICK, "--out", str(out)).json()
    again = kassay("notice", str(ladder), "6.16", NEW, *ASKED, "--runs", str(out), "--no-measure")
    assert again.status == 0, again.err
    assert again.json()["applications"] == found["applications"]
    assert json.loads((ladder / "notice.json").read_text()) == again.json()
    return found


def test_the_step_lies_in_one_function_with_what_it_calls(noticed: dict[str, Any]) -> None:
    subject = noticed["subject"]
    assert [(one["function"], one["whole"]) for one in subject["functions"]] == [("change_protection", True)]
    assert subject["explained"] == pytest.approx(1, abs=0.01)
    assert [one["entry"] for one in subject["entries"]] == ["mprotect"]


def test_who_calls_mprotect_notices_an_exec_hardly_and_faults_not_at_all(noticed: dict[str, Any]) -> None:
    by = {one["application"]: one for one in noticed["applications"]}
    assert {name: one["verdict"] for name, one in by.items()} == {
        "mprot": "noticed", "process_exec": "below", "page_fault": "unexecuted",
    }  # fmt: skip
    assert by["mprot"]["share"] == pytest.approx(
        0.924, rel=0.01
    )  # of all: change_protection with four callees and two more
    (whole,) = [one for one in by["mprot"]["sizes"] if one["what"] == "mprotect"]
    assert whole["largest"] == 1024  # 4 MiB at a time
    (entry,) = by["process_exec"]["entries"]
    assert (entry["entry"], entry["base_calls"]) == ("execve", 1)


def test_the_atlas_of_the_same_runs_gives_the_same_answers(
    kassay: Kassay, ladder: Path, noticed: dict[str, Any], tmp_path: Path
) -> None:
    own = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    (runs,) = {one["directory"] for one in noticed["applications"]}
    assert kassay("history", "add", runs, env=own).status == 0
    answered = kassay("notice", str(ladder), "6.16", NEW, *ASKED, "--no-measure", env=own).json()["applications"]
    measured = {one["application"]: one for one in noticed["applications"]}
    assert len(answered) == len(measured)
    for one in answered:
        before = measured[one["application"]]
        assert one["origin"]["runs"] == [1, 1] and not one["directory"]
        assert (one["verdict"], one["unit"], one["settings"]) == tuple(
            before[k] for k in ("verdict", "unit", "settings")
        )
        for name in ("share", "change", "base_value", "head_value"):
            assert one[name] == pytest.approx(before[name], rel=1e-5, abs=1e-7)
        for stored, path in zip(one["functions"], before["functions"], strict=True):
            assert stored["function"] == path["function"]
            for name in ("base", "head", "base_calls", "head_calls"):
                assert stored[name] == pytest.approx(path[name], rel=1e-5)
