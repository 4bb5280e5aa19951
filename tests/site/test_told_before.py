# SPDX-License-Identifier: GPL-2.0-only
"""The laboratory names mistakes in its files, and other files in their place, before it measures anything."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.site.turn.turn import planned
from tests.site.laboratory import Laboratory

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tiny_suite")]  # files of a database


@pytest.fixture
def laboratory(tmp_path: Path) -> Laboratory:
    return Laboratory(tmp_path / "lab", {"6.12.1-1": 30, "6.16.9-1": 30, "6.17.2-1": 60})


def test_a_mistake_in_the_steps_file_is_told_before_anything_is_measured(laboratory: Laboratory) -> None:
    Path(laboratory.lab.steps).write_text('[[step]]\nid = "a"\nstate = "found"\n')
    with pytest.raises(BadInput, match=r"step 1: the key \w+ is missing"):
        laboratory.turn()
    assert laboratory.made == []


def test_the_plan_tells_a_mistake_in_the_file_of_mistakes(laboratory: Laboratory) -> None:
    Path(laboratory.lab.steps).with_name("mistakes.toml").write_text('[[mistake]]\ndat = "2026-11-26"\n')
    with pytest.raises(BadInput, match=r"unknown field `dat`"):
        planned(laboratory.lab, laboratory.outside)


def test_a_file_of_another_program_is_told_before_anything_is_measured(laboratory: Laboratory) -> None:
    history, site = Path(laboratory.lab.history), Path(laboratory.lab.site)
    history.write_text("not a history")
    with pytest.raises(BadInput, match="move it away; the next turn makes the history again"):
        laboratory.turn()
    with pytest.raises(BadInput, match="move it away"):
        planned(laboratory.lab, laboratory.outside)
    history.unlink()
    site.write_text("not a directory")
    with pytest.raises(BadInput, match="not a directory"):
        laboratory.turn()
    site.unlink()
    site.mkdir()
    (site / "letter.txt").touch()
    with pytest.raises(BadInput, match="other files, and no site"):
        laboratory.turn()
    assert laboratory.made == []
