# SPDX-License-Identifier: GPL-2.0-only
"""`kassay pcp measure` refuses wrong arguments before anything is booted."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.pcp.measure import Wanted, fraction_of, measure


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Wanted(kernels=("6.12",), cpus=9), "outside 1..8"),
        (Wanted(kernels=("6.12", "debian:6.1"), cpus=2), "does not start its second CPU"),
        (Wanted(kernels=("6.12",), depths=()), "at least one value"),
        (Wanted(kernels=("6.12",), fixed=3), "at least 8"),
    ],
)
def test_what_cannot_be_measured_is_refused(wanted: Wanted, words: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=words):
        measure(wanted, tmp_path / "d")
    assert not (tmp_path / "d").exists()


def test_a_directory_without_runs_gives_no_fraction(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run directory"):
        fraction_of([tmp_path])
