# SPDX-License-Identifier: GPL-2.0-only
"""Small plans for tests."""

from typing import Any

from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity
from kassay.model.plan import Plan, PlanInput, WorkloadSettings
from kassay.model.workload import Phase, Workload
from kassay.plan.expand import expand

WORKLOAD = Workload(
    describe="kassay-workload/1", name="w", summary="s", subject="Doing it", state="none", parameters=(),
    phases=(Phase(name="iteration", operation="page", definition="x", primary=True),),
)  # fmt: skip
MACHINE = MachineIdentity(arch="x86_64", clock="icount", accelerator="tcg", program="QEMU", options=(), host="h")


def plan_of(kernels: int, **changes: object) -> Plan:
    refs = [f"debian:6.{i}" for i in range(kernels)]
    fields: dict[str, object] = {
        "name": "n", "question": "compare", "kernels": tuple(KernelUse(ref=ref) for ref in refs),
        "workloads": (WorkloadUse(name="w"),), **changes,
    }  # fmt: skip
    experiment = Experiment(**fields)  # type: ignore[arg-type]
    identities = tuple(KernelIdentity(ref=ref, arch="x86_64", release=ref, image_sha256=ref) for ref in refs)
    return expand(experiment, plan_input(identities, (("w", ()),)))


def plan_input(kernels: tuple[KernelIdentity, ...], settings: tuple[WorkloadSettings, ...], **fields: Any) -> PlanInput:
    """The input of a plan, for a workload named "w"."""
    given = {"workloads": (WORKLOAD,), "machine": MACHINE, "guest_sha256": (), **fields}
    return PlanInput(kernels=kernels, settings=settings, **given)
