# SPDX-License-Identifier: GPL-2.0-only
"""Cells and runs: what will be booted, in which order."""

import msgspec

from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import AtPoint, MachineIdentity, MachineUse
from kassay.model.records import Record, Setting
from kassay.model.workload import Workload

SCHEMA = "kassay-plan/1"


class Perturbation(Record, frozen=True, kw_only=True):
    """Properties that should not change a value, moved on purpose; all zero (seed 1) is the plain run.

    memory_pages: taken off the guest's memory. initramfs_bytes: padding added to it.
    stack_bytes, mmap_pages: offsets of the workload's stack and first mapping.
    boot_delay_us: idle guest time before the workload. seed: QEMU's (RDRAND, slab
    randomisation). cmdline_bytes: length of a meaningless parameter at the end of the kernel command line.
    """

    number: int = 0
    seed: int = 1
    memory_pages: int = 0
    initramfs_bytes: int = 0
    stack_bytes: int = 0
    mmap_pages: int = 0
    boot_delay_us: int = 0
    cmdline_bytes: int = 0


class Cell(AtPoint, frozen=True, kw_only=True):
    """Kernel x workload setting x machine; `kernel` is an index into Plan.kernels, id a content hash.

    settings: every parameter of the workload, defaults included, in declared order.
    setting_key: the same for all kernels of one comparison. cpu: of this kernel alone, where it is not the machine's.
    """

    id: str
    kernel: int
    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    cmdline: str
    setting_key: str
    cpu: str = ""


class PlannedRun(Record, frozen=True, kw_only=True):
    """One boot of one cell. id: unique in the plan and stable. block: runs of a block are comparable under drift.

    control: a boot of the first kernel that is compared with that kernel's other boots and with nothing else.
    """

    id: str
    cell: str
    block: int
    repeat: int
    perturbation: Perturbation
    control: bool = False


WorkloadSettings = tuple[str, tuple[Setting, ...]]
"""Name of a workload with a value for each of its parameters: one point of its matrix."""


class PlanInput(Record, frozen=True, kw_only=True):
    """All that decides a plan besides the experiment. The fields that a plan has too are described there."""

    kernels: tuple[KernelIdentity, ...]
    settings: tuple[WorkloadSettings, ...]
    workloads: tuple[Workload, ...]
    machine: MachineIdentity
    guest_sha256: tuple[Setting, ...]
    guest_compiler: str = ""
    images: tuple[Setting, ...] | msgspec.UnsetType = msgspec.UNSET
    cmdlines: tuple[Setting, ...] | msgspec.UnsetType = msgspec.UNSET

    def cmdline(self, cpus: int) -> str:
        """The kernel parameters that all runs with so many CPUs share; "" where nothing is booted."""
        return next((line.value for line in self.cmdlines or () if line.name == str(cpus)), "")


class Plan(Record, frozen=True, kw_only=True):
    """The experiment, expanded and ordered, with the identities of all that it will use.

    guest_sha256: of each workload's static binary and of init, as "name=hash". guest_compiler: what built them, in its
    own words; "" when not known. images: sha256 of the image of each application, by the workload's name; not written
    where there is none. cmdlines: kernel parameters that all runs with so many CPUs (name) share; not written where
    nothing boots, and by earlier versions.
    """

    experiment: Experiment
    kernels: tuple[KernelIdentity, ...]
    workloads: tuple[Workload, ...]
    machine: MachineIdentity
    guest_sha256: tuple[Setting, ...]
    cells: tuple[Cell, ...]
    runs: tuple[PlannedRun, ...]
    guest_compiler: str = ""
    schema: str = SCHEMA
    images: tuple[Setting, ...] | msgspec.UnsetType = msgspec.UNSET
    cmdlines: tuple[Setting, ...] | msgspec.UnsetType = msgspec.UNSET

    def workload(self, name: str) -> Workload:
        """The workload with this name, as it describes itself."""
        return next(workload for workload in self.workloads if workload.name == name)
