# SPDX-License-Identifier: GPL-2.0-only
"""The machine of an experiment: chosen, probed, and granted with exactly these options."""

from collections.abc import Iterable

from msgspec import UNSET, UnsetType, structs

from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import Experiment
from kassay.model.guest import Programs
from kassay.model.machine import MachineIdentity
from kassay.model.plan import Plan
from kassay.model.progress import Progress, Tell
from kassay.model.records import Setting
from kassay.model.units import format_bytes
from kassay.model.workload import Workload
from kassay.supply.clocks import listed
from kassay.supply.machines import Machine, emulating, machine_for, machines_of

_LEAST_NODE = 128 << 20  # a section of memory, which a node begins with


def machine_of(experiment: Experiment) -> Machine:
    """The machine that an experiment asks for. Raises HostLacks for an architecture that it does not know."""
    machine = machine_for(experiment.clock, experiment.machine or "", experiment.on or "")
    if experiment.arch not in machine.arches:
        raise HostLacks(f"clock {experiment.clock} on {experiment.arch}: not supported by this version",
                        f"use --clock {listed(emulating(experiment.arch))}")  # fmt: skip
    return machine


def choose_machine(experiment: Experiment, tell: Tell) -> str | UnsetType:
    """Name of the machine to use: as it was asked for, else the first one of the clock that works on this host.

    UNSET for the first machine of the clock, and if no machine works, which check_usable() reports later.
    """
    candidates = [machine for machine in machines_of(experiment.clock) if experiment.arch in machine.arches]
    if experiment.machine or len(candidates) < 2:
        return experiment.machine
    chosen = next((machine for machine in candidates if machine.probe(experiment.arch, tell).usable), candidates[0])
    return UNSET if chosen is machine_for(experiment.clock) else chosen.name


def check_remote(machine: Machine) -> None:
    """Raises BadInput for a machine whose runs no host of a cluster makes."""
    if machine.only_local:
        raise BadInput(f"--cluster: machine {machine.name} {machine.only_local}",
                       "leave --cluster away, or use another --clock")  # fmt: skip


def check_usable(experiment: Experiment, machine: Machine, tell: Tell) -> None:
    """Try the machine for real, unless it works wherever its program does. Raises HostLacks."""
    if machine.proven:
        return
    probe = machine.probe(experiment.arch, tell)
    if not probe.usable:
        raise HostLacks(f"clock {experiment.clock} is not usable here: {probe.detail}", probe.remedy)


def grant_machine(experiment: Experiment, machine: Machine, workloads: Iterable[Workload]) -> MachineIdentity:
    """The machine with its first CPU and all nodes among its options. Further CPUs follow, by name. Raises BadInput for
    what cannot be chosen."""
    identity = machine.identify(experiment.arch, max(experiment.cpus), experiment.boot)
    options = [*identity.options, *_node_options(experiment, machine, workloads)]
    cpus = {use.cpu for use in experiment.kernels} - {""}
    names = dict.fromkeys((*(experiment.cpu or ()), *sorted(cpus)))
    models = {name: machine.cpu_option(name, experiment.arch) for name in names}
    if experiment.cpu:
        options[options.index("-cpu") + 1] = models.pop(experiment.cpu[0])
    further = (word for name, model in models.items() for word in (f"{name}:", "-cpu", model))
    return structs.replace(identity, options=(*options, *further))


def _node_options(experiment: Experiment, machine: Machine, workloads: Iterable[Workload]) -> Iterable[str]:
    """Options for every number of nodes that a workload's machine has, but for one."""
    for nodes in sorted({experiment.nodes_for(workload) for workload in workloads} - {1}):
        options = machine.node_options(max(experiment.cpus), experiment.memory_bytes[0], nodes)
        if min(experiment.memory_bytes) < nodes * _LEAST_NODE:
            raise BadInput(f"nodes: {nodes} of at least {format_bytes(_LEAST_NODE)} each need more memory",
                           f"--memory {format_bytes(nodes * _LEAST_NODE)} or more")  # fmt: skip
        yield from options


def shared_cmdlines(
    experiment: Experiment, machine: Machine, resumed: Plan | None, given_programs: Programs | None
) -> tuple[Setting, ...]:
    """Kernel parameters that all runs with so many CPUs share. Earlier runs decide them, whatever version of kassay
    made these runs. Empty if the machine starts no kernel."""
    for known in (resumed, given_programs):
        if known is not None and known.cmdlines:
            return known.cmdlines
    lines = {cpus: machine.cmdline(experiment.arch, cpus, experiment.boot) for cpus in experiment.cpus}
    return tuple(Setting(name=str(cpus), value=line) for cpus, line in lines.items() if line)


def profile_problem(experiment: Experiment, machine: Machine, tell: Tell) -> str:
    """Why profiles cannot be made here; "" if they can. Raises HostLacks instead if a profile was asked for by name."""
    if not experiment.needs_profile and not experiment.profiles_if_possible:
        return ""
    try:
        machine.check_profile(experiment.arch)
    except HostLacks as error:
        if experiment.needs_profile:
            raise
        tell(Progress(stage="profile", subject=machine.name, text=f"{error.what}; {error.remedy}"))
        return error.what
    return ""
