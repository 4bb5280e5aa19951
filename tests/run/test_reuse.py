# SPDX-License-Identifier: GPL-2.0-only
"""A finished run of another directory stands for a planned one only if all its inputs are equal."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory, open_directory, started
from kassay.journal.journal import open_journal
from kassay.model.experiment import KernelUse
from kassay.model.plan import Plan
from kassay.model.progress import silent
from kassay.model.records import Setting
from kassay.model.run import RunRecord
from kassay.plan.expand import expand
from kassay.run.reuse import with_reused
from kassay.supply.prepare.supply import Supply
from tests.analysis.plans import plan_input
from tests.history.directories import keep, measured, plan_with, runs_of

pytestmark = pytest.mark.slow  # seconds for the whole file

SUPPLY = cast(Supply, SimpleNamespace(no_profile="none here", artifacts=()))
DRAWS = {"6.12.1": 12, "6.16.9": 16, "6.17.2": 17, "6.18.5": 18}


def pair(*releases: str, draws: bool = True, **changes: object) -> Plan:
    """A plan whose kernels draw their perturbations by the kernel, not by the place."""
    uses = tuple(KernelUse(ref=f"debian:{r}", draw=DRAWS[r] if draws else None) for r in releases)
    plan = plan_with(releases, "", **changes)
    experiment = msgspec.structs.replace(plan.experiment, kernels=uses)
    return expand(experiment, plan_input(plan.kernels, (("w", ()),)))


def taken(directory: Path, plan: Plan, *others: Path, supply: Supply = SUPPLY) -> tuple[RunRecord, ...]:
    folder = begun(directory, plan)
    records, _ = open_journal(folder.journal, folder.plan_id)
    return with_reused(folder, records, supply, others, silent)


def begun(directory: Path, plan: Plan) -> RunDirectory:
    folder = started(directory, plan)
    open_journal(folder.journal, folder.plan_id)
    return folder


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return measured(tmp_path / "first", pair("6.12.1", "6.16.9"), {0: [30, 30, 31, 31], 1: [40, 40, 41, 42]})


def streams(directory: Path, kernel: int) -> list[str | None]:
    folder = open_directory(directory)
    of = {record.run: record.stream_sha256 for record in folder.records()}
    found = [of[run.id] for run in runs_of(folder.plan, kernel)]
    return [name and str(hash(artifacts.get(directory, name))) for name in found]


def test_all_runs_of_the_shared_kernel_are_taken_and_the_other_kernel_owes_its_own(tmp_path: Path, first: Path) -> None:
    plan = pair("6.16.9", "6.17.2")
    records = taken(tmp_path / "second", plan, first)
    assert [r.run for r in records] == [run.id for run in plan.runs if run in runs_of(plan, 0)]
    assert open_directory(tmp_path / "second").records() == records
    assert streams(tmp_path / "second", 0) == streams(first, 1)
    origin = records[0].reused
    assert origin and origin.plan == open_directory(first).plan_id
    assert {r.reused.run for r in records if r.reused} == {r.id for r in runs_of(open_directory(first).plan, 1)}


def test_taken_again_nothing_is_added(tmp_path: Path, first: Path) -> None:
    plan = pair("6.16.9", "6.17.2")
    records = taken(tmp_path / "second", plan, first)
    assert taken(tmp_path / "second", plan, first) == records


def test_a_run_taken_twice_names_the_run_that_was_made(tmp_path: Path, first: Path) -> None:
    taken(tmp_path / "second", pair("6.16.9", "6.17.2"), first)
    records = taken(tmp_path / "third", pair("6.16.9", "6.18.5"), tmp_path / "second", first)
    assert len(records) == 4
    assert {r.reused.plan for r in records if r.reused} == {open_directory(first).plan_id}


def test_two_equal_runs_need_two_runs(tmp_path: Path, first: Path) -> None:
    plan = pair("6.16.9", "6.17.2", repeats=4)  # three of them without call stacks
    records = taken(tmp_path / "second", plan, first, first)
    plain = [r for r in records if r.run in {run.id for run in plan.runs if not run.perturbation.number}]
    assert len(plain) == 2


def test_without_a_draw_the_place_moves_the_perturbed_runs(tmp_path: Path, first: Path) -> None:
    there = measured(tmp_path / "a", pair("6.12.1", "6.16.9", draws=False), {0: [30] * 4, 1: [40] * 4})
    assert len(taken(tmp_path / "b", pair("6.16.9", "6.17.2", draws=False), there)) == 2


def _machine(plan: Plan, **changes: str) -> Plan:
    return msgspec.structs.replace(plan, machine=msgspec.structs.replace(plan.machine, **changes))


def _image(plan: Plan, **changes: Any) -> Plan:
    kernels = tuple(msgspec.structs.replace(kernel, **changes) for kernel in plan.kernels)
    return msgspec.structs.replace(plan, kernels=kernels)


PLAIN = pair("6.16.9", "6.17.2")
OTHER = {
    "rounds": pair("6.16.9", "6.17.2", rounds=7),
    "boot": pair("6.16.9", "6.17.2", boot="stock"),
    "not quiet": pair("6.16.9", "6.17.2", quiesce=False),
    "background": pair("6.16.9", "6.17.2", background=1),
    "profile": pair("6.16.9", "6.17.2", profile="memory"),
    "memory": pair("6.16.9", "6.17.2", memory_bytes=(2 << 30,)),
    "clock": pair("6.16.9", "6.17.2", clock="tcg"),
    "emulator": _machine(PLAIN, program="QEMU 9"),
    "image": _image(PLAIN, image_sha256="another"),
    "modules": _image(PLAIN, package_version="6.16.9-2"),
    "no hash": _image(PLAIN, image_sha256=None),
    "program": msgspec.structs.replace(PLAIN, guest_sha256=(Setting(name="w", value="1"),)),
    "plugin": msgspec.structs.replace(PLAIN, plugin_sha256="1"),
    "parameters": msgspec.structs.replace(PLAIN, cmdlines=(Setting(name="1", value="quiet"),)),
    "own parameters": msgspec.structs.replace(
        PLAIN, cells=tuple(msgspec.structs.replace(cell, cmdline="thp=never") for cell in PLAIN.cells)
    ),
}


@pytest.mark.parametrize("what", OTHER)
def test_other_inputs_are_other_runs(tmp_path: Path, first: Path, what: str) -> None:
    assert taken(tmp_path / "second", OTHER[what], first) == ()


@pytest.mark.parametrize("plan", [
    _machine(PLAIN, host="another"), _image(PLAIN, ref="debian:6.16", source="elsewhere", config_sha256="c"),
    pair("6.16.9", "6.17.2", margin=0.05, timeout_s=9, seed=1, order="sandwich"),
], ids=["host", "words", "policy"])  # fmt: skip
def test_what_cannot_move_a_count_is_no_input(tmp_path: Path, first: Path, plan: Plan) -> None:
    assert len(taken(tmp_path / "second", plan, first)) == 4


def test_failed_runs_and_damaged_artifacts_are_not_taken(tmp_path: Path) -> None:
    plan = pair("6.12.1", "6.16.9")
    there = measured(tmp_path / "a", plan, {0: [30] * 4, 1: [40, None, 41, 42]})
    (path,) = [p for p in (there / "artifacts").rglob("*.zst") if p.name[:-4] in str(_stream(there, plan, 3))]
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    told: list[str] = []
    folder = begun(tmp_path / "b", pair("6.16.9", "6.17.2"))
    records = with_reused(folder, (), SUPPLY, (there,), lambda event: told.append(event.text))
    assert len(records) == 2
    assert any("made again" in text and "damaged" in text for text in told)


def _stream(directory: Path, plan: Plan, repeat: int) -> str | None:
    wanted = runs_of(plan, 1)[repeat].id
    return next(r.stream_sha256 for r in open_directory(directory).records() if r.run == wanted)


def test_an_unreadable_directory_is_reported_and_left_out(tmp_path: Path, first: Path) -> None:
    told: list[str] = []
    folder = begun(tmp_path / "b", PLAIN)
    records = with_reused(folder, (), SUPPLY, (tmp_path / "none", first), lambda event: told.append(event.text))
    assert len(records) == 4 and "no such directory" in told[0]


def test_a_run_without_a_profile_does_not_stand_for_one_with(tmp_path: Path, first: Path) -> None:
    profiles = cast(Supply, SimpleNamespace(no_profile="", artifacts=(SimpleNamespace(lines=None),) * 2))
    assert taken(tmp_path / "second", PLAIN, first, supply=profiles) == ()


def test_a_started_directory_takes_only_what_it_owes(tmp_path: Path, first: Path) -> None:
    folder = begun(tmp_path / "second", PLAIN)
    keep(folder.path, runs_of(PLAIN, 0)[0], 40)
    records = taken(tmp_path / "second", PLAIN, first)
    assert [bool(r.reused) for r in records] == [False, True, True, True]
