# SPDX-License-Identifier: GPL-2.0-only
"""The experiments of a review: each is a run directory inside the review's, and resumes by itself."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, structs

from kassay import pipeline
from kassay.effects.files import cache_directory, disk_errors, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput
from kassay.evidence.profiles import lines_of_run, raw_of
from kassay.journal.directory import open_directory
from kassay.journal.repeats import REPEATED
from kassay.labs.review.model import Key
from kassay.labs.review.outcomes import Ways, functions_executed, ways_of
from kassay.model.build import parse_build
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelArtifact, parse_ref, with_build
from kassay.model.lines import SourceChange
from kassay.model.plan import Cell
from kassay.model.progress import Progress, Tell
from kassay.model.records import content_id
from kassay.model.report import Report
from kassay.model.run import RunRecord
from kassay.model.texts import counted
from kassay.spec.load import check
from kassay.supply import kernels as kernel_store
from kassay.supply.arches import arches
from kassay.supply.building.config import for_sources
from kassay.supply.prepare.pin import pin_experiment

BASE, HEAD = "base", "with the series"
"""Names of the kernels in every stage."""
NO_FLAVOUR = ""
"""Flavour of kernels that are built: flavours are of the archive's kernels."""
_MARGIN = 0.01
_ROUNDS, _FEW_ROUNDS = 10, 4


class Sides(NamedTuple):
    """The two kernels, built."""

    arch: str
    refs: tuple[str, str]
    """References that name the sources by their content."""
    base: KernelArtifact
    head: KernelArtifact

    @property
    def same_image(self) -> bool:
        """True if both are one kernel."""
        return self.base.identity.image_sha256 == self.head.identity.image_sha256

    @property
    def images(self) -> tuple[KernelArtifact, KernelArtifact]:
        """The kernels without and with the series."""
        return self.base, self.head

    def lacks(self, symbol: str) -> bool:
        """True if a symbol of the configuration is off in the kernel with the series."""
        return kernel_store.option(self.head, symbol.removeprefix("CONFIG_")) in (None, "n")

    @property
    def uses(self) -> tuple[KernelUse, ...]:
        """The kernels of an experiment."""
        return tuple(KernelUse(ref=ref, name=name) for ref, name in zip(self.refs, (BASE, HEAD), strict=True))


def built(base: str, head: str, arch: str, tell: Tell) -> Sides:
    """Builds both kernels, base first, neither with symbols that only the other one defines. Raises NotBuilt."""
    first, second = _asked([kernel_store.pinned(parse_ref(ref, arch), tell) for ref in (base, head)], arch)
    artifacts = [kernel_store.fetch((parse_ref(ref, arch),), NO_FLAVOUR, tell)[0] for ref in (first, second)]
    return Sides(arch, (first, second), artifacts[0], artifacts[1])


def _asked(refs: Sequence[str], arch: str) -> list[str]:
    """The pinned references, each with the fragments of its configuration that its sources know."""
    parsed = [parse_ref(ref, arch) for ref in refs]
    builds = [parse_build(ref.locator) for ref in parsed]
    trees = [build.pin for build in builds]
    pairs = zip(parsed, builds, strict=True)
    return [with_build(ref, for_sources(build, build.pin, trees, arch)) for ref, build in pairs]


def source_change(sides: Sides) -> SourceChange | None:
    """The differing lines of the two kernels, with those that have code."""
    return kernel_store.source_change(sides.base, sides.head, (BASE, HEAD))


def experiment(
    name: str, sides: Sides, uses: Iterable[WorkloadUse], tell: Tell, *, once: bool, question: str = "compare",
    predict: tuple[str, ...] = (), margin: float = _MARGIN,
) -> Experiment:  # fmt: skip
    """An experiment over these settings. once: one plain run of each cell, few rounds, and no perturbed ones."""
    snapshots = arches()[sides.arch].qemu.snapshots
    asked = Experiment(
        name=name, question=question, kernels=sides.uses, workloads=tuple(uses), arch=sides.arch,
        boot="snapshot" if snapshots else "short", repeats=1 if once else 2, perturb=0 if once else 2,
        margin=margin, rounds=_FEW_ROUNDS if once else _ROUNDS, profile="counts" if once else "auto",
        retries=0 if once else 1, predict=predict or UNSET,
    )  # fmt: skip
    return pin_experiment(check(asked, f"review, {name}"), tell)


def measured(asked: Experiment, directory: Path, tell: Tell, reuse: Sequence[Path] = ()) -> Report:
    """The answer of a stage; makes the runs that are missing. reuse: directories whose equal runs are taken instead."""
    pipeline.measure(asked, directory, tell, reuse=reuse)
    return pipeline.answer(directory, tell)


def runs_of_base(asked: Experiment, tell: Tell) -> Path:
    """A directory of the cache with the runs of the first kernel of a stage; makes those that are missing.

    Every head that is held against this base reuses them.
    """
    alone = structs.replace(asked, name=BASE, question="value", kernels=asked.kernels[:1])
    directory = cache_directory() / "baselines" / content_id(alone)
    busy = waiting(tell, BASE, "another gate with the same base")
    with disk_errors(directory.parent):
        directory.parent.mkdir(parents=True, exist_ok=True)
    with locked(directory.with_suffix(".lock"), busy):
        former = directory.with_suffix(".lost")
        is_there = (directory / "plan.json").is_file()
        if is_there and (lost := [one for one in failures(directory) if not one.is_certain]):
            _discard(former)
            directory.rename(former)  # all runs but the lost ones are taken from there
            tell(Progress(stage="reuse", subject=BASE, text=f"{counted(len(lost), 'run')} made anew: {lost[0].why}"))
        reuse = (former,) if former.is_dir() else ()
        try:
            pipeline.measure(alone, directory, tell, reuse=reuse)
        except BadInput as error:
            if not (directory / "plan.json").is_file():
                raise
            # The runs are of another emulator or of other guest programs.
            tell(Progress(stage="reuse", subject=BASE, text=f"measured anew: {error.what}"))
            _discard(directory)
            pipeline.measure(alone, directory, tell, reuse=reuse)
        _discard(former)
    return directory


def _discard(directory: Path) -> None:
    with disk_errors(directory):
        if directory.exists():
            shutil.rmtree(directory)


_NO_RUNS = "no-runs"
"""File of a stage that ended without a run: the same image twice, or no kernel."""


def note_without_runs(directory: Path) -> None:
    """Notes that a stage ended, and that there is nothing to run."""
    with disk_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        write_atomic(directory / _NO_RUNS, b"")


def finished(directory: Path) -> bool:
    """True if a stage has a record of every planned run, or ended without one: its answer only has to be read."""
    if not (directory / "plan.json").exists():
        return (directory / _NO_RUNS).exists()
    folder = open_directory(directory)
    return {run.id for run in folder.plan.runs} <= {record.run for record in folder.records()}


class Seen(NamedTuple):
    """Changed functions and ways that one setting executed on one kernel."""

    key: Key
    kernel: str
    functions: frozenset[str]
    ways: Ways


def seen(directory: Path, functions: frozenset[str]) -> tuple[Seen, ...]:
    """Functions of these, and ways through them, that each run of a stage executed; runs that failed are left out."""
    found = []
    for cell, record in _runs(directory):
        if record.outcome != "ok":
            continue
        table, raw = lines_of_run(directory, record), raw_of(directory, record)
        if table is None or raw is None:
            continue
        executed = functions_executed(table, raw)
        ways = ways_of(raw, table, functions) if executed & functions else Ways(frozenset(), frozenset(), frozenset())
        found.append(Seen((cell.workload, cell.settings), (BASE, HEAD)[cell.kernel], executed & functions, ways))
    return tuple(found)


_BY_KERNEL = (*REPEATED, "panic", "oops")
"""Outcomes that the guest or the kernel decided. Any other may be the host's doing."""


class Failure(NamedTuple):
    """A run that failed."""

    key: Key
    kernel: str
    why: str
    is_certain: bool
    """True if the guest or the kernel decided it: another run would fail alike."""


def failures(directory: Path) -> tuple[Failure, ...]:
    """The runs of a stage that failed."""
    return tuple(
        Failure((cell.workload, cell.settings), (BASE, HEAD)[cell.kernel], record.detail or record.outcome,
                record.outcome in _BY_KERNEL)
        for cell, record in _runs(directory)
        if record.outcome != "ok"
    )  # fmt: skip


def _runs(directory: Path) -> Iterator[tuple[Cell, RunRecord]]:
    """Each run of a stage with its cell."""
    folder = open_directory(directory)
    cells = {cell.id: cell for cell in folder.plan.cells}
    planned = {run.id: cells[run.cell] for run in folder.plan.runs}
    return ((planned[record.run], record) for record in folder.records() if record.run in planned)
