# SPDX-License-Identifier: GPL-2.0-only
"""Kernels -> pairs of neighbours that are missing, the newest first, each with its runs and its experiment."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import prod
from pathlib import Path

from msgspec import structs

from kassay.errors import BadInput
from kassay.journal.directory import open_directory
from kassay.labs.site.turn.followed import BETWEEN, Kernel, Line, name_in_reports
from kassay.labs.site.turn.settings import Lab
from kassay.labs.site.turn.status import Status
from kassay.model.experiment import Experiment, WorkloadUse
from kassay.model.progress import Tell
from kassay.model.records import Record
from kassay.model.texts import counted
from kassay.spec.load import parse, suite_workloads
from kassay.supply.applications import is_application
from kassay.supply.arches import arch_of
from kassay.supply.prepare.pin import pin_experiment

_ROUNDS = 10
"""Rounds of a suite, as of `kassay compare --suite`."""
_RUNS = 4
"""Runs of a kernel and a cell: two plain and two perturbed ones."""
_BOOT = "boot"


class Pair(Record, frozen=True, kw_only=True):
    """Two neighbouring kernels and a suite: one run directory."""

    line: str
    arch: str
    suite: str
    before: Kernel
    after: Kernel
    rank: int
    """Place in its line by age; 0 for the newest pair."""
    part: int = 1
    """2 and more: the pair was finished with an earlier list of the suite."""
    workloads: tuple[WorkloadUse, ...]
    """Workloads that it measures: those of the suite, or those that earlier parts lack."""

    @property
    def directory(self) -> str:
        """Below the directory of all runs."""
        part = f"+{self.part}" if self.part > 1 else ""
        return f"{self.line}/{self.suite}{part}/{self.before.name}{BETWEEN}{self.after.name}"

    @property
    def text(self) -> str:
        """In words."""
        more = f", {counted(len(self.workloads), 'workload')} more" if self.part > 1 else ""
        return f"{self.line}: {self.before.name} to {self.after.name}, suite {self.suite}{more}"


def workload_texts(uses: Iterable[WorkloadUse]) -> tuple[str, ...]:
    """ "mprotect_toggle size=2MiB" for each workload of a suite."""
    return tuple(" ".join((use.name, *(f"{axis.name}={'|'.join(axis.values)}" for axis in use.axes))) for use in uses)


def missing_pairs(lines: Sequence[Line], lab: Lab, status: Status, now: str) -> tuple[Pair, ...]:
    """Pairs that are not finished: the newest of each line first, then the others from new to old.

    A kernel that failed is left out until it is tried again. Until then the kernels before and after it make a pair.
    If a suite grew after a pair was finished, the pair lacks the new workloads.
    """
    finished = {done.directory: done.workloads for done in status.finished}
    pairs = []
    for line in lines:
        usable = [kernel for kernel in line.kernels if not status.failed(failure_of(line, kernel), now)]
        newest = list(reversed(list(pairwise(usable))))
        for suite in lab.suites_of(line.arch):
            uses = suite_workloads(suite)
            for rank, (before, after) in enumerate(newest):
                whole = Pair(
                    line=line.key, arch=line.arch, suite=suite, before=before, after=after, rank=rank, workloads=uses
                )
                pair = _unfinished(whole, finished)
                if pair is not None and not status.failed(pair.directory, now):
                    pairs.append(pair)
    return tuple(sorted(pairs, key=lambda pair: pair.rank))  # stable: lines and suites keep their order


def _unfinished(whole: Pair, finished: Mapping[str, tuple[str, ...] | None]) -> Pair | None:
    """The part of a pair that is missing; None if it has every workload of its suite.

    finished: the workloads of each finished directory; None for all of the suite.
    """
    pair, texts, known = whole, workload_texts(whole.workloads), set[str]()
    while pair.directory in finished:
        done = finished[pair.directory]
        known |= set(texts if done is None else done)
        pair = structs.replace(pair, part=pair.part + 1)
    left = tuple(use for use, text in zip(whole.workloads, texts, strict=True) if text not in known)
    return structs.replace(pair, workloads=left) if left else None


def failure_of(line: Line | Pair, kernel: Kernel) -> str:
    """Name of a kernel's failure in the status."""
    return f"{line.arch}/{kernel.ref}"


def runs_to_make(pair: Pair, lab: Lab, measured: Sequence[str]) -> int:
    """Runs that a pair still needs, without those that it can reuse. measured: directories of pairs that are finished
    or are measured before it."""
    begun = Path(lab.runs, pair.directory)
    if (begun / "plan.json").is_file():
        try:
            directory = open_directory(begun)
            return len(directory.plan.runs) - len({record.run for record in directory.records()})
        except BadInput:  # damaged: measuring the pair reports it
            pass
    cells = sum(prod(len(axis.values) for axis in use.axes) for use in pair.workloads)
    known = {name for directory in measured for name in _kernels_of(directory, pair)}
    new = sum(kernel.name not in known for kernel in (pair.before, pair.after))
    return cells * (_RUNS * new + (2 if lab.cpus_of(pair.arch) else 0))


def _kernels_of(directory: str, pair: Pair) -> tuple[str, ...]:
    """Kernels of another pair of the same line and suite."""
    place, _, name = directory.rpartition("/")
    return name.partition(BETWEEN)[::2] if place == pair.directory.rpartition("/")[0] else ()


def directories_to_reuse(pair: Pair, runs: Path) -> tuple[Path, ...]:
    """Run directories that have one of the two kernels, of any suite: two suites may share a workload."""
    names = {pair.before.name, pair.after.name}
    place = runs / pair.line
    others = (path for path in sorted(place.glob(f"*/*{BETWEEN}*")) if names & {*path.name.split(BETWEEN)})
    checks = (boot_directory(pair, kernel, runs) for kernel in (pair.before, pair.after))
    return tuple(path for path in (*others, *checks) if (path / "plan.json").is_file())


def boot_directory(pair: Pair, kernel: Kernel, runs: Path) -> Path:
    """Directory of the one run that shows whether a kernel boots."""
    return runs / pair.line / pair.suite / _BOOT / kernel.name


def is_boot_directory(directory: Path) -> bool:
    """True for a directory of boot_directory(), False for that of a pair."""
    return directory.parent.name == _BOOT


def pair_experiment(pair: Pair, lab: Lab, directory: Path, tell: Tell) -> Experiment:
    """The experiment of a pair, as of `kassay compare --suite`. A directory that was begun keeps its own."""
    if (directory / "plan.json").is_file():
        return open_directory(directory).plan.experiment
    experiment = parse(experiment_text(pair, lab), f"{pair.suite}.toml")
    return pin_experiment(structs.replace(experiment, workloads=pair.workloads), tell)


def experiment_text(pair: Pair, lab: Lab) -> str:
    """The experiment file of a pair.

    Perturbations are drawn by the kernel, so that the pairs on both sides of a kernel have equal runs of it.
    """
    names = [use.name for use in pair.workloads]
    text = [f'question = "compare"\nsuite = "{pair.suite}"\narch = "{pair.arch}"\nflavour = "{lab.flavour}"']
    text += [f"rounds = {_ROUNDS}"] if not all(map(is_application, names)) else []
    text += ['boot = "snapshot"'] if arch_of(pair.arch).qemu.snapshots else []
    cpus = ", ".join(_quoted(cpu) for cpu in lab.cpus_of(pair.arch))
    text += [f"predict = [{cpus}]"] if cpus else []
    for kernel in (pair.before, pair.after):
        text += [f"[[kernels]]\nref = {_quoted(kernel.ref)}\ndraw = {zlib.crc32(kernel.name.encode())}"]
        text += [f"name = {_quoted(name)}"] if (name := name_in_reports(kernel.ref, kernel.name)) else []
    return "\n".join(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
