# SPDX-License-Identifier: GPL-2.0-only
"""Experiment -> Supply: every part in turn, and what goes wrong with it is told before anything is booted."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from msgspec import UNSET

from kassay.effects.background import ask_in_background
from kassay.effects.files import sha256_file
from kassay.model.experiment import Experiment
from kassay.model.guest import Programs
from kassay.model.kernel import KernelArtifact
from kassay.model.packages import Image
from kassay.model.plan import Plan, PlanInput
from kassay.model.progress import Tell
from kassay.model.records import Record, Setting
from kassay.supply import kernels as kernel_store
from kassay.supply.guest.compile import compiler_for
from kassay.supply.machines import Machine
from kassay.supply.measured import Measured, measured_by_name
from kassay.supply.prepare.kernels import MissingModules, check_folio_sizes, fetch_kernels, fetch_modules, kernel_refs
from kassay.supply.prepare.machine import (
    check_remote,
    check_usable,
    grant_machine,
    machine_of,
    profile_problem,
    shared_cmdlines,
)
from kassay.supply.prepare.needs import check_needs
from kassay.supply.prepare.workloads import build_programs, check_memory, describe_workloads, make_images, settings_of


class Supply(Record, frozen=True, kw_only=True):
    """All that the runs of an experiment are made of. Nothing is fetched, built or probed after it."""

    plan_input: PlanInput
    """The identities of all of it, which decide the plan."""
    machine: Machine
    measured: Mapping[str, Measured]
    """The measured subjects, by the name of the workload."""
    artifacts: tuple[KernelArtifact, ...]
    """Files of the kernels, in the order of the experiment."""
    programs: Programs
    images: tuple[tuple[str, Image, str], ...] = ()
    """Images of applications: the workload's name, the image, and the path of its archive."""
    no_profile: str = ""
    """Reason why no run can carry a profile; "" if runs can."""
    missing_modules: tuple[MissingModules, ...] = ()
    """Modules that cannot be had. Runs that need them fail with the reason."""

    def image(self, workload: str) -> tuple[Image, Path] | None:
        """The image of an application and its archive; None of another workload."""
        return next(((image, Path(path)) for name, image, path in self.images if name == workload), None)

    def missing(self, kernel: int, modules: tuple[str, ...]) -> str:
        """Why a kernel's modules cannot be had; "" if they are there."""
        wanted = (kernel, modules)
        return next((item.problem for item in self.missing_modules if (item.kernel, item.modules) == wanted), "")


def ask_ahead(experiment: Experiment) -> None:
    """Begin to ask other programs of this host what supply_for() needs to know of them. Does not wait."""
    machine = machine_of(experiment)
    ask_in_background(*kernel_store.askers(kernel_refs(experiment)), partial(compiler_for, experiment.arch))
    if machine.proven:
        ask_in_background(partial(machine.identify, experiment.arch, max(experiment.cpus), experiment.boot))


def supply_for(
    experiment: Experiment,
    resumed: Plan | None,
    tell: Tell,
    given_programs: Programs | None = None,
    *,
    remote: bool = False,
) -> Supply:
    """Fetch, build and probe all that an experiment needs.

    resumed: the plan of a directory that is resumed; its kernels are taken as they were. given_programs: programs to
    run instead of those that are built here, with their workloads' own descriptions; they are not used on a machine
    that would run them on this system. remote: other hosts make the runs, and this one need not be able to.

    Raises BadInput or HostLacks before anything is downloaded where that can be known.
    """
    machine = machine_of(experiment)
    if remote:
        check_remote(machine)
    usable_programs = given_programs if machine.isolated else None
    workloads = describe_workloads(experiment.workloads, usable_programs)
    settings = settings_of(experiment, workloads)
    if machine.takes_initramfs:
        check_memory(experiment, settings, remote=remote)
    identity = grant_machine(experiment, machine, workloads.values())
    measured = measured_by_name(experiment.workloads)
    programs = usable_programs or build_programs(measured.values(), experiment.arch)
    images = make_images(measured.values(), experiment, tell)
    artifacts = fetch_kernels(experiment, resumed, tell)
    if not remote:
        check_usable(experiment, machine, tell)  # after the kernels: a probe may need one
    check_folio_sizes(experiment, artifacts)
    if machine.takes_initramfs and resumed is None:
        check_needs(experiment, artifacts)
    plan_input = PlanInput(
        kernels=tuple(artifact.identity for artifact in artifacts),
        settings=settings,
        workloads=tuple(workloads.values()),
        machine=identity,
        guest_sha256=tuple(Setting(name=name, value=sha256_file(path)) for name, path in programs.files),
        guest_compiler=programs.compiler,
        images=tuple(Setting(name=name, value=image.sha256) for name, image, _ in images) or UNSET,
        cmdlines=shared_cmdlines(experiment, machine, resumed, given_programs) or UNSET,
        plugin_sha256=machine.plugin_sha256(experiment.arch),
    )
    return Supply(
        plan_input=plan_input,
        machine=machine,
        measured=measured,
        artifacts=artifacts,
        programs=programs,
        images=images,
        no_profile=profile_problem(experiment, machine, tell),
        missing_modules=fetch_modules(experiment, plan_input.workloads, settings, artifacts, tell)
        if machine.takes_initramfs
        else (),
    )
