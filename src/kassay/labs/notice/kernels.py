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
    """The directory's labels of the kernels: those with the same image and parameters, else those with the same label.

    Raises BadInput that lists what it has.
    """
    have = known_in(directory)
    return tuple(_matching(kernel, have, directory).label for kernel in wanted.all)


def other_images(directory: Path, wanted: Wanted) -> tuple[str, ...]:
    """Labels of the kernels that have another image here than in the finding."""
    have = known_in(directory)
    pairs = [(kernel, _matching(kernel, have, directory)) for kernel in wanted.all]
    return tuple(
        kernel.label for kernel, other in pairs if kernel.image_sha256 and other.image_sha256 != kernel.image_sha256
    )


def _matching(kernel: Kernel, have: tuple[Kernel, ...], directory: Path) -> Kernel:
    same = [other for other in have if other.image_sha256 and other.image_sha256 == kernel.image_sha256]
    same = [other for other in same if other.use.cmdline == kernel.use.cmdline] or [
        other for other in have if other.label == kernel.label
    ]
    if not same:
        raise BadInput(
            f"{directory}: has no runs of {kernel.label}", f"it has {', '.join(other.label for other in have)}"
        )
    return same[0]
