# SPDX-License-Identifier: GPL-2.0-only
"""A change of the kernel, looked for in workloads that execute it and in one that does not."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.boot.conftest import NEW, Kassay

pytestmark = pytest.mark.boot

APPS = "process_exec,mprot,page_fault"
QUICK = ("--suite", "mm", "--apps", APPS, "--repeats", "1", "--boot", "snapshot", "--format", "json")


@pytest.fixture(scope="module")
def noticed(kassay: Kassay, ladder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("notice") / "runs"
    found: dict[str, Any] = kassay("notice", str(ladder), "6.16", NEW, *QUICK, "--out", str(out)).json()
    again = kassay("notice", str(ladder), "6.16", NEW, *QUICK, "--runs", str(out), "--no-measure")
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
