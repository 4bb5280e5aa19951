# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a split of a VMA does not depend on how many other VMAs the process has."""

from pathlib import Path

import pytest

from tests.boot.conftest import NEW, Kassay

pytestmark = [pytest.mark.boot, pytest.mark.network]


def test_one_more_mapping_elsewhere_moves_no_split(kassay: Kassay, tmp_path: Path) -> None:
    """The perturbed run has one mapping more. Its splits cost 12.5 % more before the workload filled up the process."""
    words = ("compare", "vma_split", NEW, NEW, "--boot", "snapshot", "--rounds", "8", "--repeats", "1")
    ran = kassay(*words, "--perturb", "1", "--format", "json", "--out", str(tmp_path / "runs"))
    found = {f["metric"]: f["sides"][0] for f in ran.json()["findings"]}
    for phase in ("split", "merge"):
        (moved,) = found[phase]["perturbed"]
        assert abs(moved / found[phase]["value"] - 1) < 0.01, phase
