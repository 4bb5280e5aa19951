# SPDX-License-Identifier: GPL-2.0-only
"""The identity of the container image: in plans and reports, no part of a comparison, and offered by rerun."""

import re
from pathlib import Path

import msgspec
import pytest

from kassay.journal.directory import started
from kassay.model.machine import MachineIdentity
from kassay.model.records import from_json, to_json
from kassay.report.formats import formats
from kassay.run.reuse import _inputs
from kassay.supply.machines import _host
from kassay.tools.bundle.digits import CONTAINER_QEMU, container_offer, unlike
from tests.analysis.plans import MACHINE, plan_of
from tests.report.reports import compare

ROOT = Path(__file__).parents[2]
IMAGE = "kassay-image 1.0.0, Debian 12 of 2026-11-24, sha256 " + 64 * "a"
INSIDE = msgspec.structs.replace(MACHINE, container=IMAGE)


def test_identity_is_read_from_the_file_of_the_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_host, "IMAGE", tmp_path / "kassay-image")
    assert _host.container_words() is msgspec.UNSET
    (tmp_path / "kassay-image").write_text(f"{IMAGE}\n")
    assert _host.container_words() == IMAGE


def test_records_without_a_container_are_as_before() -> None:
    assert b"container" not in to_json(MACHINE)
    assert from_json(to_json(INSIDE), MachineIdentity) == INSIDE


def test_run_begun_in_the_container_goes_on_without_it(tmp_path: Path) -> None:
    plan = plan_of(2)
    started(tmp_path, msgspec.structs.replace(plan, machine=INSIDE))
    started(tmp_path, plan)


def test_finished_runs_of_the_container_are_reused() -> None:
    plan = plan_of(2)
    inside = msgspec.structs.replace(plan, machine=INSIDE)
    assert _inputs(inside, inside.cells[0]) == _inputs(plan, plan.cells[0])


@pytest.mark.slow
@pytest.mark.parametrize("form", ["markdown", "html", "json", "mail"])
def test_reports_name_the_container(form: str) -> None:
    report = compare()
    inside = msgspec.structs.replace(report, machine=msgspec.structs.replace(report.machine, container=IMAGE))
    assert "kassay-image" not in formats()[form].render(report)
    assert "kassay-image 1.0.0" in re.sub(r"\s+", " ", formats()[form].render(inside))


def test_rerun_offers_the_container_for_its_qemu() -> None:
    pinned = msgspec.structs.replace(MACHINE, program=f"QEMU 7.2.22 {CONTAINER_QEMU}")
    assert "scripts/kassay bundle rerun" in container_offer(pinned, "QEMU 10.0.2")
    assert "scripts/kassay bundle rerun" in container_offer(INSIDE, "QEMU 10.0.2")
    assert container_offer(pinned, pinned.program) == ""
    assert container_offer(MACHINE, "QEMU 10.0.2") == ""
    packed, again = plan_of(2), plan_of(2)
    lines = unlike(msgspec.structs.replace(packed, machine=pinned), again)
    assert lines[0] == f"machine: QEMU 7.2.22 {CONTAINER_QEMU} then, QEMU now"
    assert lines[1].startswith("kassay's container has QEMU 7.2.22")


def test_pinned_qemu_is_that_of_the_image() -> None:
    packages = dict(line.split() for line in (ROOT / "container/packages.txt").read_text().splitlines()[1:])
    assert f"(Debian {packages['qemu-system-x86']})" == CONTAINER_QEMU


def test_image_has_the_python_packages_that_kassay_names() -> None:
    named = re.findall(r'^    "([\w-]+==[\w.]+)"', (ROOT / "pyproject.toml").read_text().split("[project.opt")[0], re.M)
    recorded = (ROOT / "container/python.txt").read_text().lower().replace("_", "-")
    assert named and [name for name in named if f"{name} --hash=" not in recorded] == []
