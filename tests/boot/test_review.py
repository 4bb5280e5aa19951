# SPDX-License-Identifier: GPL-2.0-only
"""Reviews of series that are wrong on purpose: one loses on large folios, one changes lines that nothing runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.boot.conftest import Kassay

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(3000)]
DATA = Path(__file__).parent.parent / "data" / "reviews"
SUITE = """
summary = "two workloads"

[[workloads]]
name = "folio_write_protect"
[workloads.set]
size = "2MiB"

[[workloads]]
name = "brk_cycle"
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite of two workloads for functions that no workload is known to execute."""
    (tmp_path / "more" / "suites").mkdir(parents=True)
    (tmp_path / "more" / "suites" / "tiny.toml").write_text(SUITE)
    monkeypatch.setenv("KASSAY_PATH", str(tmp_path / "more"))


def review(kassay: Kassay, series: str, out: Path, *more: str) -> tuple[int, dict[str, Any]]:
    words = ("review", str(DATA / series), "--base", "build:debian-source:7.3", "--suite", "tiny", "--settings", "2")
    ended = kassay(*words, "--format", "json", "--exit-code", "--out", str(out), *more)
    assert ended.out, ended.err
    return ended.status, json.loads(ended.out)


@pytest.mark.usefixtures("tiny")
def test_the_loss_on_large_folios_is_found_beside_the_gain_on_small_ones(kassay: Kassay, tmp_path: Path) -> None:
    status, found = review(kassay, "large-folios.mbx", tmp_path / "review")
    assert status == 1
    verdicts = {
        next(s["value"] for s in cell["settings"] if s["name"] == "order"): cell["verdict"]
        for cell in found["cells"]
        if cell["workload"] == "folio_write_protect" and cell["primary"] and cell["n_base"] > 1
    }
    assert (verdicts["9"], verdicts["0"]) == ("regression", "improvement")
    assert any(name.startswith("brk_cycle") for name in found["others"])
    ran = next(function for function in found["functions"] if function["function"] == "change_pte_range")
    assert (ran["state"], ran["patches"]) == ("executed", [1])
    assert {row["row"]: row["why"] for row in found["without_values"]}["whole"] == "the same kernel as 1"
    # Nothing is made again by the same command.
    again = kassay(
        "review", str(DATA / "large-folios.mbx"), "--base", "build:debian-source:7.3", "--suite", "tiny",
        "--settings", "2", "--format", "json", "--out", str(tmp_path / "review"),
    )  # fmt: skip
    assert json.loads(again.out) | {"seconds": 0} == found | {"seconds": 0}


@pytest.mark.usefixtures("tiny")
def test_lines_that_nothing_runs_are_no_equal_cost(kassay: Kassay, tmp_path: Path) -> None:
    status, found = review(kassay, "unexecuted.mbx", tmp_path / "review")
    assert status == 4
    (function,) = found["functions"]
    assert (function["function"], function["state"]) == ("change_softleaf_pte", "not-executed")
    assert function["not_executed"]
    assert not [cell for cell in found["cells"] if cell["n_base"] > 1]
