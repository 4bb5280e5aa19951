# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of a kernel with itself: the experiment of a group, and what its findings are counted as."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks._kassay import Answer
from benchmarks.trials import kills, selves
from benchmarks.trials.campaign import FIND, read

from kassay.spec.load import load


def finding(workload: str, verdict: str) -> dict[str, str]:
    return {"workload": workload, "metric": "whole", "verdict": verdict}


def answering(monkeypatch: pytest.MonkeyPatch, *answers: tuple[int, Any]) -> list[str]:
    """Makes kassay give these (status, findings or error) in turn. The list gets the experiment of each command."""
    left, asked = list(answers), list[str]()

    def kassay(*words: str) -> Answer:
        asked.append(Path(words[1]).read_text())
        status, given = left.pop(0)
        text, errors = ("", given) if status else (json.dumps({"findings": given}), "")
        return Answer(status, text, errors, 0, 0)

    monkeypatch.setattr(selves, "kassay", kassay)
    return asked


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_every_group_is_an_experiment_that_kassay_reads(tmp_path: Path, number: int) -> None:
    names = selves.names()
    for start in range(0, len(names), 12):
        spec = tmp_path / f"{start}.toml"
        spec.write_text(selves.spec_of(dict.fromkeys(names[start : start + 12], number)))
        experiment = load(spec)
        assert len({kernel.ref for kernel in experiment.kernels}) == 1 and len(experiment.kernels) == 2
        assert len(experiment.workloads) == len(names[start : start + 12])


def test_each_name_of_a_group_is_a_trial_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [finding("mprot", "equivalent"), finding("mprot", "inconclusive"), finding("hello", "equivalent")]
    answering(monkeypatch, (0, [*found, finding("file_read", "regression")]))
    selves._compare(tmp_path, {"mprot": 3, "program:hello": 4, "file_read": 5, "page_fault": 6})
    kept = [(trial.name, trial.number, trial.count, trial.outcome) for trial in read(tmp_path)]
    assert kept == [("mprot", 3, 2, "inconclusive"), ("program:hello", 4, 1, "ok"), ("file_read", 5, 1, FIND),
                    ("page_fault", 6, 0, FIND)]  # fmt: skip
    assert list((tmp_path / "selves").iterdir())  # the runs of a find are kept


def test_a_group_that_fails_is_compared_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "_BUSY_S", 0)
    busy = (kills.LACKS, "kassay: this host's clock is in use by another kassay (process 1)")
    good = (0, [finding("file_read", "equivalent")])
    asked = answering(monkeypatch, (5, "a defect"), busy, (kills.LACKS, "kassay: no modules"), good)
    selves._compare(tmp_path, {"mprot": 0, "file_read": 0})
    assert [text.count("[[workloads]]") for text in asked] == [2, 1, 1, 1]
    assert [(trial.name, trial.outcome) for trial in read(tmp_path)] == [("mprot", "not possible"), ("file_read", "ok")]
    assert not list((tmp_path / "selves").iterdir())
