# SPDX-License-Identifier: GPL-2.0-only
"""Times beside counts (`--clock icount,tcg`)."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay import pipeline
from kassay.commands._answer import measure_and_answer
from kassay.commands._exit import Passing
from kassay.errors import BadInput
from kassay.journal.directory import BESIDE, started
from tests.analysis.plans import plan_of


def test_times_of_another_experiment_are_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = plan_of(2, clock="tcg", perturb=0)
    started(tmp_path / BESIDE, stored)
    measured: list[Path] = []
    monkeypatch.setattr(pipeline, "measure", lambda _, directory, *__, **___: measured.append(directory))
    asked = structs.replace(stored.experiment, rounds=7)
    with pytest.raises(BadInput, match="beside: holds another experiment"):
        measure_and_answer(plan_of(2).experiment, tmp_path, "terminal", Passing(wanted=False), asked)
    assert measured == []
