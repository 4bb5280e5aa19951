# SPDX-License-Identifier: GPL-2.0-only
"""Kernels with all their modules, for the runs of an experiment on a remote machine."""

from collections.abc import Sequence
from pathlib import Path

from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelArtifact
from kassay.model.progress import Tell
from kassay.model.remote_machine import RemoteOptions
from kassay.supply import kernels as kernel_store
from kassay.supply.machines import KernelFiles, Visit, machine_for
from kassay.supply.prepare.kernels import kernel_refs


def visit_for(
    artifacts: Sequence[KernelArtifact], experiment: Experiment, directory: Path, reach: RemoteOptions, tell: Tell
) -> Visit:
    """The visit that makes the runs of `directory`. Raises BadInput for a kernel that may not come up where no command
    can start the machine again, HostLacks when modules cannot be fetched."""
    files = tuple(dict.fromkeys(_files(artifact, reach, tell) for artifact in artifacts))
    name = f"{directory.absolute()}\0{experiment.on}"
    return Visit(
        id=sha256_bytes(name.encode())[:12], directory=str(directory), arch=experiment.arch,
        kernels=files, reach=reach,
    )  # fmt: skip


def remote_commands(experiment: Experiment, directory: Path, tell: Tell, reach: RemoteOptions) -> str:
    """Every command that measure() would execute on a remote machine, which is not asked. Raises BadInput for a machine
    that is not remote."""
    machine = machine_for(experiment.clock, experiment.machine or "", experiment.on or "")

    def visit() -> Visit:
        artifacts = kernel_store.fetch(kernel_refs(experiment), experiment.flavour, tell)
        return visit_for(artifacts, experiment, directory, reach, tell)

    cmdline = f"{machine.cmdline(experiment.arch, 1, experiment.boot)} {experiment.kernels[-1].cmdline}"
    return machine.steps(visit, cmdline)


def _files(artifact: KernelArtifact, reach: RemoteOptions, tell: Tell) -> KernelFiles:
    identity = artifact.identity
    if identity.image_sha256 is None:
        raise BadInput(f"{identity.ref}: has no image that another machine could boot", "name a kernel with one")
    modules = kernel_store.module_tree(artifact, tell)
    if modules is None and not reach.reset:
        what = f"{identity.ref}: comes without modules, and may not reach its disk or network"
        raise BadInput(what, "give --reset COMMAND, which starts the machine again; or use a kernel of the archive")
    return KernelFiles(
        ref=identity.ref, release=identity.release, banner=identity.banner, image=artifact.image,
        image_sha256=identity.image_sha256, config=artifact.config, modules=None if modules is None else str(modules),
    )  # fmt: skip
