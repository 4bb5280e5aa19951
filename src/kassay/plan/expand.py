# SPDX-License-Identifier: GPL-2.0-only
"""Experiment -> Plan: kernels x workload settings x machines x repeats, as ordered runs."""

import hashlib
from itertools import product

from kassay.errors import Defect
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity, MachineUse
from kassay.model.plan import Cell, Plan, PlannedRun
from kassay.model.records import Setting
from kassay.model.workload import Workload
from kassay.plan.order import Member, blocks
from kassay.plan.perturb import PLAIN, perturbation

Combination = tuple[str, tuple[Setting, ...]]


def expand(
    experiment: Experiment,
    kernels: tuple[KernelIdentity, ...],
    combinations: tuple[Combination, ...],
    workloads: tuple[Workload, ...],
    machine: MachineIdentity,
    guest_sha256: tuple[Setting, ...],
    guest_compiler: str = "",
) -> Plan:
    """The whole plan; the same input gives the same plan, ids included.

    combinations: (workload name, complete settings), one for each point of the workload
    matrix. kernels: identities in the experiment's order.
    """
    groups = [
        tuple(_cell(experiment, kernels, index, combination, machine_use) for index in range(len(kernels)))
        for combination, machine_use in product(combinations, _machines(experiment))
    ]
    runs = [run for group in groups for run in _runs(experiment, group)]
    if len({run.id for run in runs}) < len(runs):
        raise Defect("two planned runs have one id", "no two cells of an experiment may be equal")
    return Plan(
        experiment=experiment, kernels=kernels, workloads=workloads, machine=machine, guest_sha256=guest_sha256,
        cells=tuple(cell for group in groups for cell in group), runs=tuple(sorted(runs, key=lambda run: run.block)),
        guest_compiler=guest_compiler,
    )  # fmt: skip


def matrix(axes: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[tuple[Setting, ...], ...]:
    """Every point of the axes' product, last axis fastest; no axes give one empty point."""
    names = [name for name, _ in axes]
    return tuple(
        tuple(Setting(name=name, value=value) for name, value in zip(names, values, strict=True))
        for values in product(*(values for _, values in axes))
    )


def _machines(experiment: Experiment) -> tuple[MachineUse, ...]:
    return tuple(
        MachineUse(arch=experiment.arch, clock=experiment.clock, cpus=cpus, memory_bytes=memory)
        for cpus, memory in product(experiment.cpus, experiment.memory_bytes)
    )


def _cell(experiment: Experiment, kernels: tuple[KernelIdentity, ...], index: int, combination: Combination,
          machine: MachineUse) -> Cell:  # fmt: skip
    workload, settings = combination
    words = (workload, *(f"{s.name}={s.value}" for s in settings), str(machine.cpus), str(machine.memory_bytes))
    cmdline = experiment.kernels[index].cmdline
    identity = kernels[index]
    content = "\0".join((*words, identity.ref, identity.image_sha256 or identity.release, cmdline, str(index)))
    return Cell(
        id=_hash(content), kernel=index, workload=workload, settings=settings, machine=machine,
        cmdline=cmdline, setting_key=_hash("\0".join(words)),
    )  # fmt: skip


def _runs(experiment: Experiment, cells: tuple[Cell, ...]) -> list[PlannedRun]:
    """Plain repeats, perturbed runs and controls of one group of comparable cells, in blocks of the order.

    Where time is measured each group has an order of its own: what cells have in common by order, no test can tell
    from what they have in common by kernel.
    """
    total = experiment.repeats + experiment.perturb
    seed = f"{experiment.seed}" if experiment.exact else f"{experiment.seed}/{cells[0].setting_key}"
    return [
        _run(experiment, cells[member.kernel], block, member)
        for block, members in enumerate(
            blocks(experiment.order, len(cells), total, seed, exact=experiment.exact, control=experiment.controlled)
        )
        for member in members
    ]


def _run(experiment: Experiment, cell: Cell, block: int, member: Member) -> PlannedRun:
    number = 0 if member.control else max(0, member.repeat - experiment.repeats + 1)
    moved = perturbation(experiment.seed, member.kernel, number) if number else PLAIN
    return PlannedRun(
        id=f"{cell.id}-{member.repeat}", cell=cell.id, block=block, repeat=member.repeat, perturbation=moved,
        control=member.control,
    )  # fmt: skip


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
