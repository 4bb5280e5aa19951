# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a split of a VMA does not depend on how many other VMAs the process has."""

from pathlib import Path

import pytest

from kassay import answers
from tests.boot.conftest import NEW, measured, restored

pytestmark = [pytest.mark.boot, pytest.mark.network]


def test_one_more_mapping_elsewhere_moves_no_split(tmp_path: Path) -> None:
    """The perturbed run has one mapping more. Its splits cost 12.5 % more before the workload filled up the process."""
    measured(restored("vma_split", NEW, perturb=1, profile="none"), tmp_path / "runs")
    found = {finding.metric: finding.sides[0] for finding in answers.findings(tmp_path / "runs")}
    for phase in ("split", "merge"):
        (moved,) = found[phase].perturbed
        assert moved == pytest.approx(found[phase].value, rel=0.01), phase
