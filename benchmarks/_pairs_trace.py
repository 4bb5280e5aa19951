# SPDX-License-Identifier: GPL-2.0-only
"""Traces of the pairs' program in the guest: the very bytes that were timed on the host, some sides in each run."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import structs

from benchmarks._pairs import program, sides
from kassay.journal import artifacts
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.plan import Cell, PlannedRun
from kassay.model.program import ProgramUse
from kassay.model.progress import silent
from kassay.model.run import RunRecord
from kassay.plan.expand import expand
from kassay.run.jobs import Jobs, Recording
from kassay.run.measurer import Measurer
from kassay.supply.guest.program_source import pinned
from kassay.supply.machines import Job
from kassay.supply.prepare.supply import supply_for

KERNEL = "debian:6.18"
CPU = "zen4"
SIDES = 32
"""Sides of one run: the plugin records at most 64 rounds, and a side has two."""
RUNS = "runs.json"
"""File of a directory of traces that keep() writes."""
_NAME = "pairs"
_ROUNDS = 3
_BUDGET = 256 << 20
_LIMIT_MS = 60_000


class Traced(NamedTuple):
    """A run's record, and where its artifacts are. sides: in the order of its rounds."""

    sides: tuple[str, ...]
    record: RunRecord
    directory: Path

    @property
    def trace(self) -> bytes:
        assert self.record.trace is not None
        return artifacts.get(self.directory, self.record.trace)

    def rounds(self, side: str) -> tuple[int, int]:
        """Its warm round, and the one that is answered for."""
        first = _ROUNDS * self.sides.index(side) + 1
        return first, first + 1


class _Recorder(Jobs):
    """Records the two rounds of every side."""

    def job(self, run: PlannedRun, cell: Cell, directory: Path, recording: Recording | None = None) -> Job:
        job = super().job(run, cell, directory, recording)
        rounds = tuple(_ROUNDS * side + turn for side in range(SIDES) for turn in (1, 2))
        return structs.replace(job, profile="trace", rounds=rounds, trace_budget=_BUDGET)


def traced(
    sides: Sequence[str],
    directory: Path,
    tell: Callable[[str], None],
    *,
    path: Path | None = None,
    arch: str = "x86_64",
    cpu: str = CPU,
    cmdline: str = "",
    kernel: str = KERNEL,
    boot: str = "",
) -> Iterator[Traced]:
    """One guest for each SIDES of them. path: a program with the same command `mark`; None is that of the pairs.
    cmdline: what the guest's kernel has behind kassay's own words. boot: "" is a snapshot where there are any.

    Raises RuntimeError for a run that did not end well.
    """
    experiment = _experiment(sides, path or program(), KernelUse(ref=kernel, cmdline=cmdline), arch, cpu, boot)
    supply = supply_for(experiment, None, silent)
    plan = expand(experiment, supply.plan_input)
    with tempfile.TemporaryDirectory() as scratch:
        measurer = Measurer(plan, supply, directory, Path(scratch))
        measurer.jobs = _Recorder(plan, supply)
        groups = {cell.id: int(cell.workload.removeprefix(_NAME)) for cell in plan.cells}
        for number, run in enumerate(plan.runs):
            tell(f"trace {number + 1} of {len(plan.runs)}")
            record = measurer.measure(run, 0)
            if record.outcome != "ok" or record.trace is None:
                raise RuntimeError(f"{run.id}: {record.outcome}: {record.detail or record.profile_problem}")
            yield Traced(tuple(_groups(sides)[groups[run.cell]]), record, directory)


def keep(runs: Iterable[Traced], sources: str, directory: Path) -> None:
    """Writes down which runs are in a directory. sources: hash of the program that they traced."""
    found = {
        "sources": sources,
        "operations": operations(sides()),
        "runs": [{"sides": run.sides, "record": run.record} for run in runs],
    }
    (directory / RUNS).write_bytes(msgspec.json.encode(found))


def kept(directory: Path, *sources: str) -> tuple[list[Traced], dict[str, int]]:
    """The runs of a directory, and operations(). Ends the command if the program has another hash than the runs'."""
    stored = msgspec.json.decode((directory / RUNS).read_bytes())
    if set(sources) != {stored["sources"]}:
        sys.exit("the pairs' program is not the one that was traced and measured: trace and measure again")
    runs = [Traced(tuple(run["sides"]), msgspec.convert(run["record"], RunRecord), directory) for run in stored["runs"]]
    return runs, stored["operations"]


def _groups(sides: Sequence[str]) -> Sequence[Sequence[str]]:
    return [sides[first : first + SIDES] for first in range(0, len(sides), SIDES)]


def _experiment(sides: Sequence[str], path: Path, kernel: KernelUse, arch: str, cpu: str, boot: str) -> Experiment:
    uses = (pinned(ProgramUse(path=str(path), args=("mark", *group), limit_ms=_LIMIT_MS)) for group in _groups(sides))
    boot = boot or ("snapshot" if arch == "x86_64" else "short")  # an arm64 guest has no snapshots
    return Experiment(
        name="pairs", question="value", kernels=(kernel,),
        workloads=tuple(WorkloadUse(name=f"{_NAME}{n}", program=use) for n, use in enumerate(uses)),
        arch=arch, cpu=(cpu,), boot=boot, repeats=1, perturb=0, rounds=1, timeout_s=600,
    )  # fmt: skip


def operations(sides: Sequence[str]) -> dict[str, int]:
    """How many operations a side's round has that is answered for; the program says so, on any machine."""
    done = subprocess.run((str(program()), "mark", *sides), check=True, capture_output=True, text=True)
    return {side: int(number) for side, number in re.findall(r"^(\S+) operations (\d+)$", done.stdout, re.MULTILINE)}
