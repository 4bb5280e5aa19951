# SPDX-License-Identifier: GPL-2.0-only
"""Everything that a remote machine needs for the runs of a plan: the kernels with all their modules."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from kassay.effects.files import sha256_bytes
from kassay.effects.lock import host_locked
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.model.progress import Tell
from kassay.model.reach import Reach
from kassay.plan.prepare import Prepared
from kassay.supply import kernels as kernel_store
from kassay.supply.machines import KernelFiles, Visit, machine_for


def visit_of(
    artifacts: Sequence[KernelArtifact], experiment: Experiment, directory: Path, reach: Reach, tell: Tell
) -> Visit:
    """The visit that makes the runs of `directory`. Raises BadInput for a kernel that may not come up where no command
    can start the machine again, HostLacks when modules cannot be fetched."""
    files = tuple(dict.fromkeys(_files(artifact, reach, tell) for artifact in artifacts))
    name = f"{directory.absolute()}\0{experiment.on}"
    return Visit(
        id=sha256_bytes(name.encode())[:12], directory=str(directory), arch=experiment.arch,
        kernels=files, reach=reach,
    )  # fmt: skip


@contextmanager
def at_its_machine(prepared: Prepared, directory: Path, reach: Reach, tell: Tell) -> Iterator[Prepared]:
    """Make the machine ready for runs during the block. This host is taken whole if time is measured; a remote machine
    is left as it was found."""
    machine = prepared.machine
    if machine.visit is None:
        with host_locked(timed=machine.exclusive):
            yield prepared
        return
    visit = visit_of(prepared.artifacts, prepared.plan.experiment, directory, reach, tell)
    with machine.visit(visit, tell) as run:
        yield structs.replace(prepared, machine=structs.replace(machine, run=run))


def commands_there(experiment: Experiment, directory: Path, tell: Tell, reach: Reach) -> str:
    """Every command that measure() would execute on a machine elsewhere, which is not asked. Raises BadInput for a
    machine that is here."""
    machine = machine_for(experiment.clock, experiment.machine or "", experiment.on or "")
    refs = [parse_ref(use.ref, experiment.arch) for use in experiment.kernels]
    artifacts = kernel_store.fetch(refs, experiment.flavour, tell)
    if machine.steps is None:
        raise BadInput("--plan: nothing is executed on another machine", "it is for --on ssh://USER@HOST")
    visit = visit_of(artifacts, experiment, directory, reach, tell)
    return machine.steps(
        visit, f"{machine.cmdline(experiment.arch, 1, experiment.boot)} {experiment.kernels[-1].cmdline}"
    )


def _files(artifact: KernelArtifact, reach: Reach, tell: Tell) -> KernelFiles:
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
