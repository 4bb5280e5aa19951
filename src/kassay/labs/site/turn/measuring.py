# SPDX-License-Identifier: GPL-2.0-only
"""Measure a pair within the budget; a kernel that cannot be had or does not boot is found before its suite is run."""

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Protocol

from msgspec import UNSET, structs

from kassay.effects import clock
from kassay.effects.files import disk_errors
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.journal.directory import open_directory
from kassay.labs.site.turn.followed import BETWEEN, Kernel
from kassay.labs.site.turn.pairs import (
    Pair,
    boot_directory,
    directories_to_reuse,
    is_boot_directory,
    pair_experiment,
)
from kassay.labs.site.turn.settings import Lab
from kassay.model.experiment import Experiment
from kassay.model.kernel import parse_ref
from kassay.model.progress import Progress, Tell, silent
from kassay.supply import kernels as kernel_store
from kassay.supply.archive.index import NotOnMirror

_BOOT_FAILURES = ("no-boot", "panic", "oops", "machine-died", "timeout")


class Measure(Protocol):
    """pipeline.measure(), or what stands for it in a test."""

    def __call__(self, experiment: Experiment, directory: Path, tell: Tell, *, reuse: Sequence[Path] = ()) -> None: ...


Fetch = Callable[[str, str, str, Tell], None]
"""Gets a kernel into the store: reference, architecture, flavour. Raises KassayError."""


class Spent(Exception):
    """The budget is used up. Runs that were made are kept."""


class KernelFailed(Exception):
    """A kernel cannot be fetched or built, or does not boot. soon: it may work as soon as this host has the network."""

    def __init__(self, kernel: Kernel, why: str, *, soon: bool = False) -> None:
        super().__init__(why)
        self.kernel, self.why, self.soon = kernel, why, soon


class Budget:
    """The time that a turn may measure."""

    def __init__(self, seconds: float) -> None:
        self._end = clock.monotonic_s() + seconds

    @property
    def spent(self) -> bool:
        """True if nothing more may be begun."""
        return clock.monotonic_s() >= self._end

    def check(self) -> None:
        """Raises Spent."""
        if self.spent:
            raise Spent

    def telling(self, tell: Tell) -> Tell:
        """A Tell that raises Spent at the end of the first run that is made after the budget. It raises once, so that
        runs which end meanwhile are kept."""
        raised = False

        def checked(event: Progress) -> None:
            nonlocal raised
            tell(event)
            if event.stage == "run" and not event.passing and not raised:
                raised = self.spent
                self.check()

        return checked


def is_of_disk(error: KassayError) -> bool:
    """True if this host's disk is full or cannot be written, so that nothing further can be done."""
    return isinstance(error, HostLacks) and isinstance(error.__cause__, OSError)


def fetched(ref: str, arch: str, flavour: str, tell: Tell) -> None:
    """A Fetch from the archive, or from a git tree."""
    kernel_store.fetch((parse_ref(ref, arch),), flavour, tell)


def measure_pair(pair: Pair, lab: Lab, measure: Measure, fetch: Fetch, budget: Budget, tell: Tell) -> Path:
    """Makes the missing runs of a pair; returns its directory. Raises Spent, KernelFailed, KassayError.

    A directory that was begun with other guest programs, or by a kassay that plans otherwise, is moved aside, and the
    pair is measured anew.
    """
    runs = Path(lab.runs)
    directory = runs / pair.directory
    known = {name for path in directories_to_reuse(pair, runs) if _came_up(path) for name in path.name.split(BETWEEN)}
    for kernel in (pair.before, pair.after):
        if kernel.name not in known:
            _check_boot(pair, kernel, lab, measure, fetch, budget, tell)
        else:
            _fetch(pair, kernel, lab, fetch, tell)
    or_anew(lambda: _measure_begun(pair, lab, measure, budget, tell), directory, tell, pair.text)
    return directory


def or_anew(make: Callable[[], None], directory: Path, tell: Tell = silent, subject: str = "") -> None:
    """Makes the missing runs of a directory. If this version of kassay cannot resume it, the directory is moved aside,
    and all runs are made anew. subject: the pair in words, for progress."""
    try:
        make()
    except BadInput as error:
        if not (directory / "plan.json").is_file():
            raise
        tell(Progress(stage="lab", subject=subject, text=f"measured anew: {error.what}"))
        move_aside(directory)
        make()


def _measure_begun(pair: Pair, lab: Lab, measure: Measure, budget: Budget, tell: Tell) -> None:
    directory = Path(lab.runs, pair.directory)
    experiment = pair_experiment(pair, lab, directory, tell)
    measure(experiment, directory, budget.telling(tell), reuse=directories_to_reuse(pair, Path(lab.runs)))


def move_aside(directory: Path) -> None:
    """Moves a directory into `superseded` beside it; nothing is deleted."""
    place = directory.parent / "superseded"
    with disk_errors(place):
        place.mkdir(exist_ok=True)
        names = (place / f"{directory.name}.{number}" for number in count(1))
        directory.rename(next(path for path in names if not path.exists()))


def _fetch(pair: Pair, kernel: Kernel, lab: Lab, fetch: Fetch, tell: Tell) -> None:
    try:
        fetch(kernel.ref, pair.arch, lab.flavour, tell)
    except KassayError as error:
        if is_of_disk(error):
            raise
        soon = isinstance(error, HostLacks) and not isinstance(error, NotOnMirror)
        raise KernelFailed(kernel, error.what, soon=soon) from error


def _check_boot(
    pair: Pair, kernel: Kernel, lab: Lab, measure: Measure, fetch: Fetch, budget: Budget, tell: Tell
) -> None:
    """One run of the suite's first workload. The pair reuses it."""
    _fetch(pair, kernel, lab, fetch, tell)
    directory = boot_directory(pair, kernel, Path(lab.runs))
    if _boot_failure(directory):  # of an earlier day
        move_aside(directory)
    whole = pair_experiment(pair, lab, Path(lab.runs, pair.directory), tell)
    place = (pair.before, pair.after).index(kernel)
    use = whole.workloads[0]
    axes = tuple(structs.replace(axis, values=axis.values[:1]) for axis in use.axes)
    once = structs.replace(
        whole, name=f"boot-{kernel.name}", question="value", kernels=(whole.kernels[place],), repeats=1, perturb=0,
        workloads=(structs.replace(use, axes=axes),), predict=UNSET,
    )  # fmt: skip
    measure(once, directory, budget.telling(tell))
    if why := _boot_failure(directory):
        raise KernelFailed(kernel, why)


def _came_up(directory: Path) -> bool:
    """True for a boot check whose run came up, and for the directory of a pair, which is begun after both checks."""
    if not is_boot_directory(directory):
        return True
    return bool(open_directory(directory).records()) and not _boot_failure(directory)


def _boot_failure(directory: Path) -> str:
    """Why no run of a boot check came up; "" if one did, if none was made, or if the workload alone failed."""
    if not (directory / "plan.json").is_file():
        return ""
    records = open_directory(directory).records()
    if not records or any(record.outcome not in _BOOT_FAILURES for record in records):
        return ""
    return f"{records[-1].outcome}: {records[-1].detail}"
