# SPDX-License-Identifier: GPL-2.0-only
"""Every workload with its defaults on one restored kernel: it runs, does its work, and counts something."""

from pathlib import Path

import pytest

from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from kassay.model.progress import silent
from kassay.pipeline import measure
from kassay.spec.load import load
from kassay.supply.guest import catalog
from tests.boot.conftest import OLD

pytestmark = pytest.mark.boot
ELSEWHERE = ("numa_migrate",)  # needs two nodes, and has a test of its own on them

EXPERIMENT = f"""\
schema = "kassay-experiment/1"
question = "value"
boot = "snapshot"
profile = "none"
repeats = 1
perturb = 0
rounds = 2
kernels = [{{ ref = "{OLD}" }}]
"""


def test_every_workload_does_its_work_on_a_restored_kernel(tmp_path: Path) -> None:
    known = {name: workload for name, workload in catalog.workloads().items() if name not in ELSEWHERE}
    text = EXPERIMENT + "".join(f'[[workloads]]\nname = "{name}"\n' for name in known)
    (tmp_path / "e.toml").write_text(text)
    measure(load(tmp_path / "e.toml"), tmp_path / "d", silent)
    folder = open_directory(tmp_path / "d")
    found = {cell.cell.workload: cell for cell in collect(folder, read_journal(folder.path / "journal.jsonl"))}
    assert set(found) == set(known)
    for name, cell in found.items():
        assert [(failure.outcome, failure.detail) for failure in cell.failures] == [], name
        (measured,) = cell.measurements
        primary = next(phase.name for phase in known[name].phases if phase.primary)
        assert all(next(phase for phase in measured.phases if phase.phase == primary).ticks), name
        assert [r for r in measured.requirements if r.holds is not True] == [], name
