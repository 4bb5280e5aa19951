# SPDX-License-Identifier: GPL-2.0-only
"""The kernels that an answer is about, and what each directory of runs calls them."""

from pathlib import Path
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.journal.directory import open_directory
from kassay.model.experiment import KernelUse, labels


class Kernel(NamedTuple):
    """One kernel that an answer is about."""

    label: str
    """Its name in the first directory that has it, or the user's name for it."""
    use: KernelUse
    image_sha256: str | None = None
    """Hash of its image; None until it is known."""


class Wanted(NamedTuple):
    """Kernels that an answer is about."""

    base: Kernel
    head: Kernel | None
    """Second kernel; None if only one kernel was given."""

    @property
    def all(self) -> tuple[Kernel, ...]:
        return (self.base, self.head) if self.head is not None else (self.base,)


def known_in(directory: Path) -> tuple[Kernel, ...]:
    """The kernels of a run directory, in order. Raises BadInput for a directory of another kind."""
    plan = open_directory(directory).plan
    called = labels(plan.experiment)
    return tuple(
        Kernel(label, use, identity.image_sha256)
        for label, use, identity in zip(called, plan.experiment.kernels, plan.kernels, strict=True)
    )


def kernels_in(directory: Path, wanted: Wanted) -> tuple[str, ...]:
    """The directory's labels of the kernels: those with the same image, parameters and CPU, else those with the same
    label. No kernel is taken twice.

    Raises BadInput that lists what it has.
    """
    return tuple(other.label for _, other in _matches(directory, wanted))


def other_images(directory: Path, wanted: Wanted) -> tuple[str, ...]:
    """Labels of the kernels that have another image here than in the finding."""
    return tuple(
        kernel.label
        for kernel, other in _matches(directory, wanted)
        if kernel.image_sha256 and other.image_sha256 != kernel.image_sha256
    )


def _matches(directory: Path, wanted: Wanted) -> list[tuple[Kernel, Kernel]]:
    """Each wanted kernel with that of the directory."""
    have = known_in(directory)
    found: list[tuple[Kernel, Kernel]] = []
    for kernel in wanted.all:
        left = [other for other in have if other not in (taken for _, taken in found)]
        named = [other for other in left if other.label == kernel.label]
        same = [other for other in left if _is_same(kernel, other)]
        best = [other for other in same if other in named] or same or named
        if not best:
            raise BadInput(
                f"{directory}: has no runs of {kernel.label}", f"it has {', '.join(other.label for other in have)}"
            )
        found.append((kernel, best[0]))
    return found


def _is_same(kernel: Kernel, other: Kernel) -> bool:
    by_image = other.image_sha256 and other.image_sha256 == kernel.image_sha256
    return bool(by_image) and (other.use.cmdline, other.use.cpu) == (kernel.use.cmdline, kernel.use.cpu)
