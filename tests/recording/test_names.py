# SPDX-License-Identifier: GPL-2.0-only
"""The name of a page trace has everything that the trace depends on."""

from pathlib import Path

from msgspec import structs

from kassay.model.records import Setting
from kassay.run.jobs import Recording
from kassay.tools.recording import record
from tests.analysis.plans import plan_of


def test_another_emulator_other_kernel_parameters_and_another_image_give_another_name(tmp_path: Path) -> None:
    (tmp_path / "recorder").write_bytes(b"x")
    recording, plan = Recording(tmp_path / "recorder", b"", 1), plan_of(2)
    cell = plan.cells[0]
    line, image = Setting(name=str(cell.machine.cpus), value="quiet"), Setting(name=cell.workload, value="a" * 64)
    plans = (
        plan,
        structs.replace(plan, machine=structs.replace(plan.machine, program="QEMU 10.0")),
        structs.replace(plan, cmdlines=(line,)),
        structs.replace(plan, images=(image,)),
    )
    names = [record._name(plan, cell, recording) for plan in plans]
    assert len(set(names)) == len(plans)
    elsewhere = structs.replace(plan, cmdlines=(Setting(name="99", value="quiet"),))
    assert record._name(elsewhere, cell, recording) == names[0]
