# SPDX-License-Identifier: GPL-2.0-only
"""A run says that its digits may depend on the host once QEMU had no room left for translated code."""

from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.plan.expand import expand
from kassay.run.measurer import Measurer
from kassay.supply.machines import qemu_icount
from kassay.supply.prepare.supply import supply_for

from .conftest import OLD

pytestmark = pytest.mark.boot


@pytest.mark.parametrize(
    ("mib", "boot", "why"),
    [(24, "short", "QEMU dropped all translated code"), (1024, "short", UNSET), (1024, "snapshot", UNSET)],
)
def test_dropped_code_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mib: int, boot: str, why: object
) -> None:
    """The plugin has code dropped when it wakes, and so does QEMU before a restored machine goes on: that is no such
    case."""
    monkeypatch.setattr(qemu_icount.MACHINE, "_emulation", replace(qemu_icount.EMULATION, translated_mib=mib))
    experiment = Experiment(
        name="dropped", question="compare", kernels=(KernelUse(ref=OLD), KernelUse(ref=OLD)),
        workloads=(WorkloadUse(name="mprotect_toggle"),), rounds=2, boot=boot, profile="counts",
    )  # fmt: skip
    supply = supply_for(experiment, None, silent)
    plan = expand(experiment, supply.plan_input)
    record = Measurer(plan, supply, tmp_path, tmp_path).measure(plan.runs[0], 1)
    assert (record.outcome, record.host_dependence) == ("ok", why)
