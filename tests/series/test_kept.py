# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a series stay with the runs that they belong to."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.errors import BadInput
from kassay.journal.directory import started
from kassay.model.series import Series
from kassay.tools.series import rows
from tests.analysis.plans import plan_of


def test_rows_of_another_series_stay_when_a_series_is_refused(tmp_path: Path) -> None:
    plan = plan_of(2)
    before = Series(base="build:x", patches=(), rows=())
    rows.keep(started(tmp_path, plan).path, before, plan.experiment)
    with pytest.raises(BadInput, match="another experiment"):
        rows.keep(tmp_path, replace(before, base="build:y"), replace(plan.experiment, name="other"))
    assert rows.read_rows(tmp_path) == before
