# SPDX-License-Identifier: GPL-2.0-only
"""Experiment -> Plan, with everything that the runs need: kernels, programs, machine."""

import re
from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec import structs

from kassay.effects.ahead import ahead
from kassay.effects.files import sha256_file
from kassay.effects.memory import memory_bytes
from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import Experiment, WorkloadUse
from kassay.model.guest import Programs
from kassay.model.kernel import KernelArtifact, KernelIdentity, exact_ref, parse_ref
from kassay.model.machine import MachineIdentity
from kassay.model.packages import Image
from kassay.model.plan import Cell, Plan
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, Setting
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Workload
from kassay.plan.applications import images
from kassay.plan.expand import Combination, expand, matrix, nodes_for
from kassay.supply import kernels as kernel_store
from kassay.supply.applications import is_application
from kassay.supply.arches import Arch, arch_of
from kassay.supply.clocks import listed
from kassay.supply.guest import catalog, program, state
from kassay.supply.guest.compile import compiler_for, programs
from kassay.supply.machines import Machine, emulating, machine_for, machines_of


class Prepared(Record, frozen=True, kw_only=True):
    """A plan and what its runs are made of. no_profile: why no run can carry a profile, "" when they can. lacking:
    cells, by id, whose kernel modules cannot be had, and why; their runs fail with that. images: of applications, by
    the workload's name, each with the path of its archive."""

    plan: Plan
    machine: Machine
    artifacts: tuple[KernelArtifact, ...]
    programs: Programs
    no_profile: str = ""
    lacking: tuple[tuple[str, str], ...] = ()
    images: tuple[tuple[str, Image, str], ...] = ()

    def image(self, workload: str) -> tuple[Image, Path] | None:
        """The image of an application and its archive; None of another workload."""
        return next(((image, Path(path)) for name, image, path in self.images if name == workload), None)


def ask_ahead(experiment: Experiment) -> None:
    """Begins to ask other programs of this host what prepare() needs to know of them; does not wait."""
    machine = machine_for(experiment.clock, experiment.machine or "", experiment.on or "")
    refs = [parse_ref(use.ref, experiment.arch) for use in experiment.kernels]
    ahead(*kernel_store.askers(refs), partial(compiler_for, experiment.arch))
    if machine.proven:
        ahead(partial(machine.identify, experiment.arch, max(experiment.cpus), experiment.boot))


def prepare(
    experiment: Experiment, before: Plan | None, tell: Tell, brought: Programs | None = None, *, elsewhere: bool = False
) -> Prepared:
    """Resolves everything. before: the plan of a directory that is resumed; its kernels are taken as they were.
    brought: programs to run instead of those that are built here, with their workloads' own descriptions; not on a
    machine that runs them on this system. elsewhere: other hosts make the runs, and this one need not be able to.

    Raises BadInput or HostLacks before anything is downloaded where that can be known.
    """
    machine = machine_for(experiment.clock, experiment.machine or "", experiment.on or "")
    if experiment.arch not in machine.arches:
        raise HostLacks(f"clock {experiment.clock} on {experiment.arch}: not supported by this version",
                        f"use --clock {listed(emulating(experiment.arch))}")  # fmt: skip
    travelled = brought if machine.boots else None
    known_workloads = (
        {workload.name: workload for workload in travelled.workloads} if travelled else _known_workloads(experiment)
    )
    combinations, workloads = _combinations(experiment.workloads, known_workloads, arch_of(experiment.arch))
    if machine.visit is not None and elsewhere:
        raise BadInput(f"clock {experiment.clock}: has a machine of its own", "leave --cluster away")
    if machine.boots and machine.visit is None:
        _check_memory(experiment, combinations, elsewhere=elsewhere)
    identity = _granted(
        experiment, machine, {nodes_for(experiment, workload.name, workloads) for workload in workloads}
    )
    guest_programs = travelled or _programs(experiment, workloads)
    own_images = images(experiment, tell)
    artifacts = _kernels(experiment, before, tell)
    if not (machine.proven or elsewhere):  # after the kernels: a probe may need one
        probe = machine.probe(experiment.arch, tell)
        if not probe.usable:
            raise HostLacks(f"clock {experiment.clock} is not usable here: {probe.detail}", probe.remedy)
    kernels = tuple(artifact.identity for artifact in artifacts)
    _check_folio_sizes(experiment, kernels)
    hashes = tuple(Setting(name=name, value=sha256_file(path)) for name, path in guest_programs.files)
    plan = expand(experiment, kernels, combinations, workloads, identity, hashes, guest_programs.compiler)
    if machine.boots:
        plan = structs.replace(plan, cmdlines=_cmdlines(machine, experiment, before, brought))
    if own_images:
        plan = structs.replace(plan, images=tuple(Setting(name=n, value=image.sha256) for n, image, _ in own_images))
    return Prepared(
        plan=plan,
        machine=machine,
        artifacts=artifacts,
        programs=guest_programs,
        images=own_images,
        no_profile=_no_profile(experiment, machine, tell),
        lacking=_fetch_modules(plan, artifacts, tell) if machine.boots and not machine.visit else (),
    )


def _fetch_modules(plan: Plan, artifacts: Sequence[KernelArtifact], tell: Tell) -> tuple[tuple[str, str], ...]:
    """Fetches all modules now, not in the middle of a measurement. A cell without modules does not stop the others.

    Returns the cells without modules by id, with the reason. Raises the error where no cell is left.
    """
    lacking: dict[str, BadInput | HostLacks] = {}
    for cell in plan.cells:
        try:
            kernel_store.load_modules(artifacts[cell.kernel], modules_of(cell, plan.workloads), tell)
        except (BadInput, HostLacks) as error:
            lacking[cell.id] = error
            if len(lacking) == len(plan.cells):
                raise
    for problem in dict.fromkeys(error.what for error in lacking.values()):
        tell(Progress(stage="modules", subject="not there", text=problem))
    return tuple((cell, error.what) for cell, error in lacking.items())


_LEAST_NODE = 128 << 20  # a section of memory, which a node begins with


def _granted(experiment: Experiment, machine: Machine, nodes: Collection[int]) -> MachineIdentity:
    """The machine with the first CPU that was chosen among its options; others follow, by name. nodes: of memory, every
    number that a workload's machine has."""
    identity = machine.identify(experiment.arch, max(experiment.cpus), experiment.boot)
    own = {use.cpu for use in experiment.kernels} - {""}
    names = tuple(dict.fromkeys((*(experiment.cpu or ()), *sorted(own))))
    for number in sorted(set(nodes) - {1}):
        if machine.nodes is None:
            raise BadInput(f"nodes: machine {machine.name} has one node, and not {number}", "use another --clock")
        if min(experiment.memory_bytes) < number * _LEAST_NODE:
            raise BadInput(f"nodes: {number} of at least {format_bytes(_LEAST_NODE)} each need more memory",
                           f"--memory {format_bytes(number * _LEAST_NODE)} or more")  # fmt: skip
        numa = machine.nodes(max(experiment.cpus), experiment.memory_bytes[0], number)
        identity = structs.replace(identity, options=(*identity.options, *numa))
    if not names:
        return identity
    if machine.cpu is None:
        raise BadInput(f"cpu: machine {machine.name} runs on the CPU of this host",
                       f"use --clock {listed(emulating(experiment.arch))}, or leave --cpu away")  # fmt: skip
    models = {name: machine.cpu(name, experiment.arch) for name in names}
    options = list(identity.options)
    if experiment.cpu:
        options[options.index("-cpu") + 1] = models.pop(experiment.cpu[0])
    further = (word for name, model in models.items() for word in (f"{name}:", "-cpu", model))
    return structs.replace(identity, options=(*options, *further))


def pinned(experiment: Experiment, tell: Tell) -> Experiment:
    """The experiment with sources named by their content, so that an edit makes it another one. They keep the names
    the user gave them. Of several machines of the clock that which works here is named, unless it is the first.
    Raises BadInput, NotBuilt."""
    uses = []
    for use in experiment.kernels:
        ref = kernel_store.pinned(parse_ref(use.ref, experiment.arch), tell)
        uses.append(use if ref == use.ref else structs.replace(use, ref=ref, name=use.name or use.ref))
    return structs.replace(experiment, kernels=tuple(uses), machine=_usable(experiment, tell))


def _usable(experiment: Experiment, tell: Tell) -> str | msgspec.UnsetType:
    """The machine as it was asked for, else the first one of the clock that works on this host; unset for the first of
    all, also where none works, which prepare() says."""
    candidates = [machine for machine in machines_of(experiment.clock) if experiment.arch in machine.arches]
    if experiment.machine or len(candidates) < 2:
        return experiment.machine
    chosen = next((machine for machine in candidates if machine.probe(experiment.arch, tell).usable), candidates[0])
    return msgspec.UNSET if chosen is machine_for(experiment.clock) else chosen.name


def check_settings(experiment: Experiment) -> None:
    """Raises BadInput for a workload, a parameter or a value that there is not.

    An application whose packages are not pinned yet is left out: only prepare() knows it as a workload.
    """
    uses = [use for use in experiment.workloads if use.program or not is_application(use.name)]
    _combinations(uses, _known_workloads(experiment), arch_of(experiment.arch))


def _known_workloads(experiment: Experiment) -> Mapping[str, Workload]:
    """The workloads that an experiment can name: kassay's, and the programs that it brings."""
    return ChainMap(
        {use.name: program.workload_of(use.name, use.program) for use in experiment.workloads if use.program},
        catalog.workloads(),  # type: ignore[arg-type]  # which is only read
    )


def _programs(experiment: Experiment, workloads: Sequence[Workload]) -> Programs:
    """Everything that runs in the guest, built here."""
    own = {use.name: use.program for use in experiment.workloads if use.program}
    built = programs(("init", *(w.name for w in workloads if w.name not in own)), experiment.arch)
    packed = tuple((name, program.packed(name, use, experiment.arch)) for name, use in own.items())
    return structs.replace(built, files=(*built.files, *packed))


def _no_profile(experiment: Experiment, machine: Machine, tell: Tell) -> str:
    """Why profiles cannot be made here; raises HostLacks instead when one was asked for by name."""
    wanted = experiment.profile not in ("auto", "none") or experiment.traced > 0 or experiment.apart
    if not wanted and (experiment.profile == "none" or not experiment.exact):
        return ""
    try:
        if machine.can_profile is None:
            raise HostLacks(f"no profile: machine {machine.name} cannot make one", "use --profile none")
        machine.can_profile(experiment.arch)
    except HostLacks as error:
        if wanted:
            raise
        tell(Progress(stage="profile", subject=machine.name, text=f"{error.what}; {error.remedy}"))
        return error.what
    return ""


def modules_of(cell: Cell, workloads: Iterable[Workload]) -> Sequence[str]:
    """Kernel modules that a cell's workload needs, or its settings, or what was chosen of its machine. workloads: those
    of its plan."""
    needed = [name for workload in workloads if workload.name == cell.workload for name in workload.modules]
    swap = ("zram",) if any(s.name == "swap" and s.value == "zram" for s in cell.settings) else ()
    return tuple(dict.fromkeys((*needed, *swap, *state.modules(cell.machine))))


def _cmdlines(
    machine: Machine, experiment: Experiment, before: Plan | None, brought: Programs | None
) -> tuple[Setting, ...]:
    """See Plan. Those that earlier runs were started with, whatever version of kassay made them; else today's."""
    for known in (before, brought):
        if known is not None and known.cmdlines:
            return known.cmdlines
    lines = {cpus: machine.cmdline(experiment.arch, cpus, experiment.boot) for cpus in experiment.cpus}
    return tuple(Setting(name=str(cpus), value=line) for cpus, line in lines.items())


def _combinations(
    uses: Sequence[WorkloadUse], known_workloads: Mapping[str, Workload], arch: Arch
) -> tuple[tuple[Combination, ...], tuple[Workload, ...]]:
    """Every point of every workload's matrix, settings complete and checked; all problems at once."""
    combinations: list[Combination] = []
    chosen: dict[str, Workload] = {}
    for use in uses:
        workload = catalog.find(known_workloads, use.name)
        chosen[use.name] = workload
        for point in matrix(tuple((axis.name, axis.values) for axis in use.axes)):
            combinations.append((use.name, catalog.settings(workload, point, arch)))
    if len(set(combinations)) != len(combinations):
        raise BadInput("workloads: the same setting appears twice", "list each workload setting once")
    return tuple(combinations), tuple(chosen.values())


_FOLIO_SIZES = (6, 8)  # the first release with policies for sizes of anonymous folios


def _check_folio_sizes(experiment: Experiment, kernels: Sequence[KernelIdentity]) -> None:
    """Raises BadInput where mthp is set and a kernel does not have it."""
    for kernel in kernels if experiment.mthp else ():
        release = re.match(r"(\d+)\.(\d+)", kernel.release)
        if release and (int(release[1]), int(release[2])) < _FOLIO_SIZES:
            what = f"mthp: {kernel.ref} is {kernel.release}; kernels have policies for folio sizes since 6.8"
            raise BadInput(what, "leave --mthp away, or that kernel")


def _check_entry(artifact: KernelArtifact) -> None:
    """Raises BadInput for a vmlinux that QEMU cannot start: one without the PVH note. A bzImage needs none."""
    if artifact.pvh is not False or not artifact.image:
        return
    with Path(artifact.image).open("rb") as file:
        bare = file.read(4) == b"\x7fELF"
    arch = arch_of(artifact.identity.arch)
    if bare and not arch.qemu.direct:
        raise BadInput(f"{artifact.identity.ref}: a vmlinux, which QEMU does not start on {arch.name}",
                       f"give the {arch.build.target} that was built beside it")  # fmt: skip
    if bare:
        raise BadInput(f"{artifact.identity.ref}: a vmlinux without the PVH note, which QEMU cannot start",
                       "give the bzImage, or build with CONFIG_PVH=y")  # fmt: skip


def _check_memory(experiment: Experiment, combinations: Sequence[Combination], *, elsewhere: bool) -> None:
    """Raises BadInput or HostLacks for what does not fit into memory, before anything is booted."""
    host = memory_bytes()
    most, least = max(experiment.memory_bytes), min(experiment.memory_bytes)
    if most > host and not elsewhere:
        what = f"a machine of {format_bytes(most)} on a host with {format_bytes(host)}"
        raise HostLacks(what, "choose a smaller --memory")
    for workload, settings in combinations:
        for item in settings:
            if item.name == "size" and parse_bytes(item.value) >= least:
                what = f"{workload}: size={item.value} does not fit into {format_bytes(least)} of memory"
                raise BadInput(what, "choose a smaller size or a larger --memory")


def _kernels(experiment: Experiment, before: Plan | None, tell: Tell) -> tuple[KernelArtifact, ...]:
    """Artifacts in the experiment's order; on resume, the very images that were measured."""
    old: tuple[KernelIdentity, ...] = before.kernels if before is not None else ()
    texts = [exact_ref(kernel) for kernel in old] or [use.ref for use in experiment.kernels]
    artifacts = kernel_store.fetch([parse_ref(text, experiment.arch) for text in texts], experiment.flavour, tell)
    named = []
    for index, artifact in enumerate(artifacts):
        _check_entry(artifact)
        if old and not _same_kernel(artifact.identity, old[index]):
            raise BadInput(f"{old[index].ref}: the image is not the one measured before",
                           "measure anew with --fresh or another --out")  # fmt: skip
        identity = old[index] if old else artifact.identity
        named.append(msgspec.structs.replace(artifact, identity=identity))
    return tuple(named)


def _same_kernel(current: KernelIdentity, measured: KernelIdentity) -> bool:
    """True if the image is the one that was measured. Its configuration may have become known since."""
    configs = {kernel.config_sha256 for kernel in (current, measured)} - {None}
    return (current.image_sha256, current.banner) == (measured.image_sha256, measured.banner) and len(configs) <= 1
