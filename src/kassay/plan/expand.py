# SPDX-License-Identifier: GPL-2.0-only
"""Experiment -> Plan: kernels x workload settings x machines x repeats, as runs.

Also the order of runs, so that drift affects all kernels alike; what perturbed runs move; which run has which profile.
"""

import hashlib
import random
from itertools import product
from typing import NamedTuple

from msgspec import UNSET

from kassay.errors import Defect
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import STATE, MachineUse
from kassay.model.plan import Cell, Perturbation, Plan, PlanInput, PlannedRun, WorkloadSettings
from kassay.model.profile import TRACE
from kassay.supply.clocks import clock_of


class Member(NamedTuple):
    """One run of a block."""

    kernel: int
    repeat: int
    control: bool = False
    """True for a boot of the first kernel that is compared with that kernel alone."""


def blocks(
    order: str, kernels: int, repeats: int, seed: int | str, *, timed: bool = False, control: bool = False
) -> tuple[tuple[Member, ...], ...]:
    """Blocks of runs, every kernel `repeats` times in all.

    interleaved: each block has every kernel once, or twice where time is measured, in random order; with `control`
    the first kernel has as many boots more. sandwich: forwards, then backwards (A B B A, A B C C B A),
    which cancels a linear drift. sequential: all repeats of one kernel, then the next; only for comparison with
    results of other tools.
    """
    if order == "sequential":
        return tuple(tuple(Member(kernel, repeat) for repeat in range(repeats)) for kernel in range(kernels))
    shuffled = random.Random(f"order/{seed}")
    all_blocks = []
    size = 2 if timed else 1
    for first in range(0, repeats, size):
        turns = range(first, min(first + size, repeats))
        members = [Member(kernel, repeat) for repeat in turns for kernel in _turn(order, kernels, repeat)]
        if control:
            members += [Member(0, repeats + repeat, True) for repeat in turns]
        if order == "interleaved":
            shuffled.shuffle(members)
        all_blocks.append(tuple(members))
    return tuple(all_blocks)


def _turn(order: str, kernels: int, repeat: int) -> range:
    """Every kernel once: backwards in every other turn of a sandwich."""
    return range(kernels - 1, -1, -1) if order == "sandwich" and repeat % 2 else range(kernels)


PLAIN = Perturbation()


def padding_parameter(change: Perturbation) -> str:
    """The parameter that lengthens the kernel command line, with a blank in front; "" when it stays as it is.

    A name with a dot is taken for one of a module that is not loaded: no kernel warns of it or hands it to init.
    """
    return f" kassay.pad={'x' * change.cmdline_bytes}" if change.cmdline_bytes else ""


def perturbation(seed: int, kernel: int, number: int) -> Perturbation:
    """The `number`-th (from 1) perturbation of one kernel's runs. kernel: its place, or the draw that it names.

    Each kernel draws its own, so that comparing a kernel with itself compares different
    draws: their difference is the floor, below which no change may be claimed. Ranges:
    memory 2..2048 pages (at most 8 MiB, in steps of QEMU's 8 KiB) less, initramfs up to 64 KiB more in steps of 4,
    stack up to 4 KiB in steps of 16, first mapping up to 64 pages, delay up to 50 ms, up to 256 bytes of command line.
    """
    draw = random.Random(f"perturb/{seed}/{kernel}/{number}")
    return Perturbation(
        number=number,
        seed=draw.randrange(2, 1 << 31),
        memory_pages=2 * draw.randrange(1, 1025),
        initramfs_bytes=4 * draw.randrange(1, 1 << 14),
        stack_bytes=16 * draw.randrange(1, 257),
        mmap_pages=draw.randrange(1, 65),
        boot_delay_us=draw.randrange(1000, 50_000),
        cmdline_bytes=draw.randrange(1, 257),
    )


_OF_PROGRAMS = (3, 6, 9, 17, 33, 65)
"""First rounds of the recorded pairs where a program marks rounds itself: only the program knows how many there are."""


def traced_rounds(rounds: int | None) -> tuple[int, ...]:
    """Which of so many rounds (the first is 1) are recorded: up to three pairs, evenly drawn. The first round of a pair
    warms a model of caches and predictors, the second gives the prediction; the first two of a run are left out where
    possible, as they are not steady. None: the number of rounds is not known; the trace has those that occur."""
    if rounds is None:
        return tuple(number for first in _OF_PROGRAMS for number in (first, first + 1))
    steady = range(3 if rounds >= 4 else rounds - 1, rounds + 1)
    pairs = min(3, len(steady) // 2)
    firsts = (steady[(2 * number + 1) * len(steady) // (2 * pairs) - 1] for number in range(pairs))
    return tuple(number for first in firsts for number in (first, first + 1))


def profile_of(experiment: Experiment, run: PlannedRun) -> str | None:
    """A word of model/profile.MODES, or TRACE; None for no profile.

    Under "auto" the first plain run of a cell carries call stacks, all others counts: that plain runs
    agree to the digit then shows, too, that what the plugin does leaves no trace in the guest. Perturbed runs of a
    user's program carry them as well: they show by how much its work varies.
    """
    asked, clock = experiment.profile, clock_of(experiment.clock)
    if experiment.traced and run.repeat == experiment.repeats:
        return TRACE
    if experiment.profiles_if_possible and max(experiment.cpus) <= clock.profile_cpus:
        programs = any(use.program for use in experiment.workloads)
        return "stacks" if run.repeat == 0 or (programs and run.perturbation.number) else "counts"
    return None if asked in ("auto", "none") else asked


def expand(experiment: Experiment, given: PlanInput) -> Plan:
    """The whole plan; the same input gives the same plan, ids included."""
    nodes = {workload.name: experiment.nodes_for(workload) for workload in given.workloads}
    groups = [
        tuple(_cell(experiment, given.kernels, index, settings, machine) for index in range(len(given.kernels)))
        for settings in given.settings
        for machine in _machines(experiment, nodes[settings[0]])
    ]
    runs = [run for group in groups for run in _runs(experiment, group)]
    if len({run.id for run in runs}) < len(runs):
        raise Defect("two planned runs have one id", "no two cells of an experiment may be equal")
    return Plan(
        experiment=experiment, kernels=given.kernels, workloads=given.workloads, machine=given.machine,
        guest_sha256=given.guest_sha256, cells=tuple(cell for group in groups for cell in group),
        runs=tuple(sorted(runs, key=lambda run: run.block)), guest_compiler=given.guest_compiler,
        images=given.images, cmdlines=given.cmdlines, plugin_sha256=given.plugin_sha256,
    )  # fmt: skip


def _machines(experiment: Experiment, nodes: int) -> tuple[MachineUse, ...]:
    remote = experiment.on is not UNSET  # its CPUs and memory are known when it is asked, and cannot be chosen
    lists = experiment.cpus, experiment.memory_bytes
    sizes = zip(*lists, strict=True) if experiment.paired else product(*lists)
    return tuple(
        MachineUse(
            arch=experiment.arch,
            clock=experiment.clock,
            cpus=None if remote else cpus,
            memory_bytes=None if remote else memory,
            cpu=cpu,
            nodes=nodes,
            **{name: getattr(experiment, name) or "" for name in STATE},
        )
        for (cpus, memory), cpu in product(sizes, experiment.cpu or ("",))
    )


def _cell(experiment: Experiment, kernels: tuple[KernelIdentity, ...], index: int, point: WorkloadSettings,
          machine: MachineUse) -> Cell:  # fmt: skip
    workload, settings = point
    key_parts = (workload, *(f"{s.name}={s.value}" for s in settings), str(machine.cpus), str(machine.memory_bytes))
    key_parts += tuple(f"{setting.name}={setting.value}" for setting in machine.chosen)
    use = experiment.kernels[index]
    identity = kernels[index]
    member_parts = (use.cmdline, *((f"cpu={use.cpu}",) if use.cpu else ()), str(index))
    content = "\0".join((*key_parts, identity.ref, identity.image_sha256 or identity.release, *member_parts))
    return Cell(
        id=_hash(content), kernel=index, workload=workload, settings=settings, machine=machine,
        cmdline=use.cmdline, setting_key=_hash("\0".join(key_parts)), cpu=use.cpu,
    )  # fmt: skip


def _runs(experiment: Experiment, cells: tuple[Cell, ...]) -> list[PlannedRun]:
    """Plain repeats, perturbed runs and controls of one group of comparable cells, in blocks of the order.

    Where time is measured each group has an order of its own: if cells had the order in common, no test could tell
    its effect from that of the kernel.
    """
    total = experiment.repeats + experiment.traced + experiment.perturb
    seed = f"{experiment.seed}/{cells[0].setting_key}" if experiment.timed else f"{experiment.seed}"
    return [
        _run(experiment, cells[member.kernel], block, member)
        for block, members in enumerate(
            blocks(experiment.order, len(cells), total, seed, timed=experiment.timed, control=experiment.controlled)
        )
        for member in members
    ]


def _run(experiment: Experiment, cell: Cell, block: int, member: Member) -> PlannedRun:
    plain = experiment.repeats + experiment.traced
    number = 0 if member.control else max(0, member.repeat - plain + 1)
    draw = experiment.kernels[cell.kernel].draw
    changes = perturbation(experiment.seed, member.kernel if draw is None else draw, number) if number else PLAIN
    return PlannedRun(
        id=f"{cell.id}-{member.repeat}", cell=cell.id, block=block, repeat=member.repeat, perturbation=changes,
        control=member.control,
    )  # fmt: skip


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
