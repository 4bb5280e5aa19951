# SPDX-License-Identifier: GPL-2.0-only
"""`kassay ci`, step by step: which runs it makes, and which it takes from an earlier job."""

from pathlib import Path

import pytest

from kassay.labs.review.gate import GateWanted, exit_status, gate
from kassay.labs.review.gate_model import Gate
from kassay.labs.review.report._gate import headline
from kassay.model.progress import silent
from tests.review.laboratory import REFS, Laboratory

WANTED = GateWanted(base=REFS[0], head=REFS[1], arch="x86_64", suite="mm")


def answered(directory: Path, *, fail_over: float = 0.005, budget_s: float = 600) -> Gate:
    return gate(
        WANTED, directory, names=("main", "HEAD"), fail_over=fail_over, limits=(), budget_s=budget_s, command="",
        tell=silent, keep=lambda one: None,
    )  # fmt: skip


def test_another_limit_judges_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laboratory = Laboratory({"mprotect_toggle": (100.0, 103.0), "page_fault": (50.0, 50.0)}, monkeypatch)
    assert exit_status(answered(tmp_path)) == 1
    assert laboratory.measured == ["screen", "measured"]
    assert exit_status(answered(tmp_path, fail_over=0.05)) == 0
    assert exit_status(answered(tmp_path, fail_over=0.0)) == 1
    assert laboratory.measured == ["screen", "measured"]
    assert headline(answered(tmp_path, fail_over=0.05)).startswith("nothing over the limit")
