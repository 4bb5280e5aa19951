# SPDX-License-Identifier: GPL-2.0-only
"""The kernels that an answer is about, and what each directory of runs calls them."""

from pathlib import Path
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.journal.directory import open_directory
from kassay.model.experiment import KernelUse, labels
from kassay.model.kernel import KernelIdentity


class Kernel(NamedTuple):
    """label: as the first directory that has it, or the user, calls it. image_sha256: None until it is known."""

    label: str
    use: KernelUse
    image_sha256: str | None = None


class Wanted(NamedTuple):
    """head: None when one kernel is asked about."""

    base: Kernel
    head: Kernel | None

    @property
    def all(self) -> tuple[Kernel, ...]:
        return (self.base, self.head) if self.head is not None else (self.base,)


def known_in(directory: Path) -> tuple[Kernel, ...]:
    """The kernels of a run directory, in order. Raises BadInput for a directory of another kind."""
    plan = open_directory(directory).plan
    called = labels(plan.experiment)
    return tuple(
        Kernel(label, use, _image(plan.kernels[number]))
        for number, (label, use) in enumerate(zip(called, plan.experiment.kernels, strict=True))
    )


def kernels_in(directory: Path, wanted: Wanted) -> tuple[str, ...]:
    """What the directory calls the kernels: of the same image and parameters, or, where none is, of the same name.

    Raises BadInput that lists what it has.
    """
    have = known_in(directory)
    return tuple(_found(one, have, directory).label for one in wanted.all)


def other_images(directory: Path, wanted: Wanted) -> tuple[str, ...]:
    """Kernels whose image is not the one that the finding is about."""
    have = known_in(directory)
    pairs = [(one, _found(one, have, directory)) for one in wanted.all]
    return tuple(one.label for one, other in pairs if one.image_sha256 and other.image_sha256 != one.image_sha256)


def _found(one: Kernel, have: tuple[Kernel, ...], directory: Path) -> Kernel:
    same = [other for other in have if other.image_sha256 and other.image_sha256 == one.image_sha256]
    same = [other for other in same if other.use.cmdline == one.use.cmdline] or [
        other for other in have if other.label == one.label
    ]
    if not same:
        raise BadInput(f"{directory}: has no runs of {one.label}", f"it has {', '.join(other.label for other in have)}")
    return same[0]


def _image(identity: KernelIdentity) -> str | None:
    return identity.image_sha256
