# SPDX-License-Identifier: GPL-2.0-only
"""A run without a profile: the way to one is told, where there is one."""

from pathlib import Path

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.evidence.profiles import StoredProfiles
from kassay.journal.directory import RunDirectory
from kassay.model.run import RunRecord, WallTime
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement, side


@pytest.mark.parametrize(
    ("clock", "remedy"),
    [
        ("icount", "--profile stacks"),
        ("tcg", "--profile stacks"),
        ("kvm", "--clock icount"),
        ("host", "--clock icount"),
    ],
)
def test_only_an_emulator_is_told_to_count(clock: str, remedy: str, tmp_path: Path) -> None:
    record = RunRecord(run="run-0", attempt=1, outcome="ok", detail="", stream_sha256=None, console_sha256=None,
                       wall=WallTime(), argv=(), started_utc="")  # fmt: skip
    found = evidence("debian:6.1", measurement((10,)))
    cell = msgspec.structs.replace(found.cell, machine=msgspec.structs.replace(found.cell.machine, clock=clock))
    here = RunDirectory(path=tmp_path, plan=plan_of(2), plan_id="p")
    profiles = StoredProfiles(here, [record], [msgspec.structs.replace(found, cell=cell)])
    with pytest.raises(BadInput, match="has no profile") as caught:
        profiles.of(cell, side("debian:6.1", 1.0), "iteration")
    assert remedy in caught.value.remedy
