# SPDX-License-Identifier: GPL-2.0-only
"""Profiles of stored runs: the advice for a run without one, and the lines that a value's own rounds executed."""

from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.evidence import profiles as evidence_profiles
from kassay.evidence.profile.raw import parse
from kassay.evidence.profiles import StoredProfiles
from kassay.journal.directory import RunDirectory
from kassay.model.lines import Frame, LinesRan, LineTable
from kassay.model.run import RunRecord, WallTime
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement, side
from tests.profile.files import KERNEL, NOP, File, report


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


def test_lines_of_other_rounds_phases_and_gaps_ran_outside_of_the_measured_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phase b of round 1 of two is measured. A line each runs there, in phase a, in round 2, and between rounds."""
    file = File(intervals=3, rounds=2)
    blocks = [file.block(KERNEL + at, NOP) for at in range(4)]
    file.count(blocks[0], 5, round=1, slot=1 * 4)
    file.count(blocks[1], 5, round=1, slot=0 * 4)
    file.count(blocks[2], 5, round=2, slot=1 * 4)
    file.count(blocks[3], 5, round=1, slot=2 * 4)
    chains = tuple((Frame(function="f", file="mm/a.c", line=line),) for line in range(1, 5))
    table = LineTable(version=1, chains=chains, places=tuple((KERNEL + at, at) for at in range(4)))
    profiles = StoredProfiles(RunDirectory(path=tmp_path, plan=plan_of(2), plan_id="p"), [], [])
    opened = SimpleNamespace(raw=parse(file.bytes()), report=report(5, 5, intervals=("a", "b")))
    monkeypatch.setattr(profiles, "_record", lambda *_: None)
    monkeypatch.setattr(profiles, "_opened", lambda _: opened)
    monkeypatch.setattr(evidence_profiles, "lines_of_run", lambda *_: table)
    cell = evidence("debian:6.1", measurement((10,))).cell
    measured = msgspec.structs.replace(side("debian:6.1", 1.0), chosen=(0,))
    assert profiles.lines(cell, measured, "b") == LinesRan({"mm/a.c": {1}}, {"mm/a.c": {1, 2, 3, 4}})
