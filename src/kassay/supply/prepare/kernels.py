# SPDX-License-Identifier: GPL-2.0-only
"""The kernels of an experiment in the store, with the modules that its runs need."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, structs

from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import Experiment, labels
from kassay.model.kernel import KernelArtifact, KernelIdentity, KernelRef, exact_ref, parse_ref
from kassay.model.lines import SourceChange
from kassay.model.plan import Plan, WorkloadSettings
from kassay.model.progress import Progress, Tell
from kassay.model.question import Pairs
from kassay.model.workload import Workload
from kassay.supply import kernels as kernel_store
from kassay.supply.arches import arch_of
from kassay.supply.guest import state

_FOLIO_SIZES = "thpsize_release"  # function of every kernel with policies for sizes of anonymous folios (since 6.8)


class MissingModules(NamedTuple):
    """Modules of one kernel that cannot be had, and why."""

    kernel: int
    """Place of the kernel in the experiment."""
    modules: tuple[str, ...]
    problem: str


def kernel_refs(experiment: Experiment) -> list[KernelRef]:
    """References of the kernels, in the order of the experiment."""
    return [parse_ref(use.ref, experiment.arch) for use in experiment.kernels]


def fetch_kernels(experiment: Experiment, resumed: Plan | None, tell: Tell) -> tuple[KernelArtifact, ...]:
    """Kernels in the experiment's order. resumed: the plan of a directory that is resumed, whose very images are taken.
    Raises BadInput for an image that cannot be started, or that changed since."""
    if resumed is None:
        artifacts = tuple(kernel_store.fetch(kernel_refs(experiment), experiment.flavour, tell))
        for artifact in artifacts:
            _check_entry(artifact)
        return artifacts
    refs = [parse_ref(exact_ref(kernel), experiment.arch) for kernel in resumed.kernels]
    artifacts = tuple(kernel_store.fetch(refs, experiment.flavour, tell))
    for artifact, measured in zip(artifacts, resumed.kernels, strict=True):
        _check_entry(artifact)
        if not _same_kernel(artifact.identity, measured):
            raise BadInput(f"{measured.ref}: the image, or a file named with it, is not the one measured before",
                           "measure anew with --fresh or another --out")  # fmt: skip
    return tuple(structs.replace(a, identity=old) for a, old in zip(artifacts, resumed.kernels, strict=True))


def _same_kernel(current: KernelIdentity, measured: KernelIdentity) -> bool:
    """True if the image is the one that was measured. Its configuration may have become known since."""
    configs = {kernel.config_sha256 for kernel in (current, measured)} - {None}
    same_files = measured.files in (UNSET, current.files)
    same_image = (current.image_sha256, current.banner) == (measured.image_sha256, measured.banner)
    return same_image and same_files and len(configs) <= 1


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


def check_folio_sizes(experiment: Experiment, artifacts: Sequence[KernelArtifact]) -> None:
    """Raises BadInput where mthp is set and a kernel does not have it."""
    for artifact in artifacts if experiment.mthp else ():
        if kernel_store.lacks_function(artifact, _FOLIO_SIZES):
            kernel = artifact.identity
            what = (
                f"mthp: {kernel.ref} is {kernel.release}, which has no policies for folio sizes; kernels have since 6.8"
            )
            raise BadInput(what, "leave --mthp away, or that kernel")


def fetch_modules(
    experiment: Experiment,
    described: Iterable[Workload],
    settings: Sequence[WorkloadSettings],
    artifacts: Sequence[KernelArtifact],
    tell: Tell,
) -> tuple[MissingModules, ...]:
    """Fetch the modules of all runs now, not in the middle of a measurement. A kernel without modules does not stop the
    others. Returns what is missing; raises the error if no run would be left."""
    workloads = {workload.name: workload for workload in described}
    wanted = {state.modules(workloads[name], values, experiment.swap or "") for name, values in settings}
    missing: list[MissingModules] = []
    for kernel, artifact in enumerate(artifacts):
        for modules in sorted(wanted):
            try:
                kernel_store.load_modules(artifact, modules, tell)
            except (BadInput, HostLacks) as error:
                problem = f"{error.what}; {error.remedy}" if error.remedy else error.what
                missing.append(MissingModules(kernel, modules, problem))
                if len(missing) == len(artifacts) * len(wanted):
                    raise
    for problem in dict.fromkeys(item.problem for item in missing):
        tell(Progress(stage="modules", subject="not there", text=problem))
    return tuple(missing)


def source_changes(
    experiment: Experiment, artifacts: Sequence[KernelArtifact], pairs: Pairs
) -> tuple[SourceChange, ...]:  # fmt: skip
    """The differing source lines of each pair of kernels that were built here from different sources. pairs: as a
    question has them."""
    names = labels(experiment)
    changes = (
        kernel_store.source_change(artifacts[base], artifacts[head], (names[base], names[head])) for base, head in pairs
    )
    return tuple(change for change in changes if change is not None)
