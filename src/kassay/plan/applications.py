# SPDX-License-Identifier: GPL-2.0-only
"""Applications of an experiment: names -> pinned packages and input -> images in the cache."""

from collections.abc import Iterable, Sequence

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.application import Words
from kassay.model.experiment import Experiment, WorkloadUse
from kassay.model.packages import Image
from kassay.model.progress import Tell
from kassay.model.units import format_bytes, parse_bytes
from kassay.supply.applications import application, is_application
from kassay.supply.archive.packages import closure, fetched
from kassay.supply.guest.application import use_of
from kassay.supply.images.programs import check_programs
from kassay.supply.images.tree import image


def pinned_applications(uses: Sequence[WorkloadUse], arch: str, tell: Tell) -> tuple[WorkloadUse, ...]:
    """The uses with every application that is named alone pinned to the packages of today. Raises BadInput for a
    package that the archive lacks, or an architecture that the application is not for; HostLacks."""
    return tuple(use if use.program or not is_application(use.name) else _pinned(use, arch, tell) for use in uses)


def _pinned(use: WorkloadUse, arch: str, tell: Tell) -> WorkloadUse:
    app = application(use.name)
    if arch not in app.arches:
        raise BadInput(f"{use.name}: not for {arch}", f"it is for {', '.join(app.arches)}: choose another --arch")
    return structs.replace(use, program=use_of(app, closure(app.packages, arch, tell, without=app.without)))


def images(experiment: Experiment, tell: Tell) -> tuple[tuple[str, Image, str], ...]:
    """(workload, image, path of its cpio archive) of each application of a pinned experiment.

    Raises BadInput when an application needs more memory than the machine has; HostLacks for packages that cannot be
    had any more.
    """
    guest_images = []
    for use in experiment.workloads:
        words = use.program.application if use.program else None
        if not words:
            continue
        packages, arch = words.closure, experiment.arch
        guest_image, path = image(packages, words.links, arch, lambda p=packages, a=arch: fetched(p, a, tell), tell)  # type: ignore[misc]
        _check_memory(words, guest_image, experiment.memory_bytes)
        programs = (command[0] for _, command in words.commands)
        check_programs(use.name, path, [name for name in programs if not name.startswith(f"{words.directory}/")])
        guest_images.append((use.name, guest_image, str(path)))
    return tuple(guest_images)


def _check_memory(words: Words, guest_image: Image, memory_bytes: Iterable[int]) -> None:
    needed = max(parse_bytes(words.memory), -(-guest_image.needed_bytes // (64 << 20)) * (64 << 20))
    if min(memory_bytes) < needed:
        resident = format_bytes(guest_image.resident_bytes >> 20 << 20)
        raise BadInput(
            f"{words.name}: needs {format_bytes(needed)} of memory, and the machine has "
            f"{format_bytes(min(memory_bytes))} (its image takes {resident})",
            f"--memory {format_bytes(needed)}",
        )
