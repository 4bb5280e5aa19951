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
    """Properties that should not change a value, moved on purpose; all zero (seed 1) is the plain run."""

    number: int = 0
    seed: int = 1
    """Seed of QEMU (RDRAND, slab randomisation)."""
    memory_pages: int = 0
    """Pages that the guest's memory is reduced by."""
    initramfs_bytes: int = 0
    """Padding added to the initramfs."""
    stack_bytes: int = 0
    """Offset of the workload's stack."""
    mmap_pages: int = 0
    """Offset of the workload's first mapping."""
    boot_delay_us: int = 0
    """Idle guest time before the workload."""
    cmdline_bytes: int = 0
    """Length of a meaningless parameter at the end of the kernel command line."""


class Cell(AtPoint, frozen=True, kw_only=True):
    """Kernel x workload setting x machine; `kernel` is an index into Plan.kernels, id a content hash."""

    id: str
    kernel: int
    workload: str
    settings: tuple[Setting, ...]
    """Every parameter of the workload, defaults included, in declared order."""
    machine: MachineUse
    cmdline: str
    setting_key: str
    """Key that all kernels of one comparison share."""
    cpu: str = ""
    """CPU of this kernel alone, if it is not the machine's."""


class PlannedRun(Record, frozen=True, kw_only=True):
    """One boot of one cell."""

    id: str
    """Identifier, unique in the plan and stable."""
    cell: str
    block: int
    """Number of the block. Runs of a block are comparable under drift."""
    repeat: int
    perturbation: Perturbation
    control: bool = False
    """A boot of the first kernel that is compared with that kernel's other boots and with nothing else."""


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
    plugin_sha256: str | msgspec.UnsetType = msgspec.UNSET

    def cmdline(self, cpus: int) -> str:
        """The kernel parameters that all runs with so many CPUs share; "" where nothing is booted."""
        return _cmdline(self.cmdlines, cpus)


def _cmdline(cmdlines: tuple[Setting, ...] | msgspec.UnsetType, cpus: int | None) -> str:
    return next((line.value for line in cmdlines or () if line.name == str(cpus)), "")


class Plan(Record, frozen=True, kw_only=True):
    """The experiment, expanded and ordered, with the identities of all that it will use."""

    experiment: Experiment
    kernels: tuple[KernelIdentity, ...]
    workloads: tuple[Workload, ...]
    machine: MachineIdentity
    guest_sha256: tuple[Setting, ...]
    """Hashes of each workload's static binary and of init, as "name=hash"."""
    cells: tuple[Cell, ...]
    runs: tuple[PlannedRun, ...]
    guest_compiler: str = ""
    """Compiler of the guest's binaries, in its own words; "" when not known."""
    schema: str = SCHEMA
    images: tuple[Setting, ...] | msgspec.UnsetType = msgspec.UNSET
    """The sha256 of the image of each application, by the workload's name. Not written if there is none."""
    cmdlines: tuple[Setting, ...] | msgspec.UnsetType = msgspec.UNSET
    """Kernel parameters that all runs with one number of CPUs share; the name is that number. Not written if nothing
    boots, nor by earlier versions."""
    plugin_sha256: str | msgspec.UnsetType = msgspec.UNSET
    """Hash of the sources of the emulator's plugin, "" if the machine takes none. Not written by earlier versions."""

    def cmdline(self, cpus: int | None) -> str:
        """The kernel parameters that all runs with so many CPUs share; "" where nothing is booted, and where an earlier
        version made the plan."""
        return _cmdline(self.cmdlines, cpus)

    def workload(self, name: str) -> Workload:
        """The workload with this name, as it describes itself."""
        return next(workload for workload in self.workloads if workload.name == name)
