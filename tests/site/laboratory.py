# SPDX-License-Identifier: GPL-2.0-only
"""A laboratory whose kernels cost what a test says: its runs are written, not made, and its archive is a list."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec

from kassay.errors import BadInput, HostLacks
from kassay.journal.directory import resumed, started
from kassay.journal.journal import open_journal
from kassay.labs.site.model import Site
from kassay.labs.site.turn.followed import Kernel, Line, measured_names
from kassay.labs.site.turn.settings import Lab, load
from kassay.labs.site.turn.turn import Outside, Turned, turn
from kassay.model.bisect import Candidate
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelIdentity
from kassay.model.plan import Plan, PlanInput
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import Setting
from kassay.model.workload import Workload
from kassay.pipeline import answer
from kassay.plan.expand import expand
from kassay.run.reuse import with_reused
from kassay.run.scheduler import owed
from kassay.supply.archive.versions import upstream_of, version_key
from kassay.supply.prepare.supply import Supply
from kassay.tools.search.candidates import Range
from tests.analysis.plans import MACHINE, WORKLOAD
from tests.history.directories import keep

Cost = int | str | None
"""Ticks per operation; a word for a kernel that cannot be fetched; None for one that does not boot."""
_NO_PROFILE = cast(Supply, SimpleNamespace(no_profile="none", artifacts=()))


class Killed(BaseException):
    """Stands for a kill at the moment of an event."""


class Laboratory:
    """The stand-in. costs: by package version and workload; offered: versions of the archive's list."""

    def __init__(self, place: Path, costs: Mapping[str, Cost | Mapping[str, int]], text: str = "") -> None:
        place.mkdir(parents=True, exist_ok=True)
        self.file = place / "lab.toml"
        self.file.write_text(text or 'archive = "all"\nsuites = ["tiny"]\nbudget = "1h"\n')
        self.costs = dict(costs)
        self.offered = list(costs)
        self.between_: list[str] = []
        self.made: list[tuple[str, str]] = []
        self.sites: list[Site] = []
        self.told: list[str] = []
        self.away = False
        self.programs = "1"
        self.compilers: dict[str, str] = {}
        self.on_event: Callable[[Progress], None] = lambda _: None

    @property
    def lab(self) -> Lab:
        return load(self.file)

    def turn(self, budget_s: float | None = None) -> Turned:
        return turn(self.lab, self.outside, self._tell, budget_s)

    @property
    def outside(self) -> Outside:
        return Outside(
            lines=self.lines, measure=self.measure, fetch=self._fetch, answer=answer, between=self._between,
            pack=lambda directory, out, tell: out.write_text(directory.name),
            name_sources=lambda archive, tell: None, write_site=self._write,
        )  # fmt: skip

    def _tell(self, event: Progress) -> None:
        self.told.append(f"{event.stage}: {event.subject} {event.text}")
        self.on_event(event)

    def lines(self, lab: Lab, tell: Tell) -> tuple[tuple[Line, ...], tuple[str, ...]]:
        names = {*([] if self.away else self.offered), *measured_names(lab, "x86_64")}
        kernels = tuple(Kernel(name=name, ref=f"debian:{name}") for name in sorted(names, key=version_key))
        return (Line(key="x86_64", arch="x86_64", kernels=kernels),), ("the archive is away",) if self.away else ()

    def _fetch(self, ref: str, arch: str, flavour: str, tell: Tell) -> None:
        tell(Progress(stage="fetch", subject=ref, text=""))
        cost = self.costs[ref.removeprefix("debian:")]
        if isinstance(cost, str):
            raise HostLacks(cost)

    def _between(self, good: str, bad: str, arch: str, flavour: str, every: str, tell: Tell) -> Range:
        refs = [good, *(f"debian:{name}" for name in self.between_), bad]
        names = [upstream_of(ref.removeprefix("debian:")) for ref in refs]
        candidates = tuple(Candidate(name=name, title=name, ref=ref) for name, ref in zip(names, refs, strict=True))
        return Range("releases", f"{good}..{bad}", candidates)

    def _write(self, site: Site, directory: Path, tell: Tell) -> None:
        tell(Progress(stage="site", subject=str(directory), text="writing"))
        self.sites.append(site)

    def measure(self, experiment: Experiment, directory: Path, tell: Tell, *, reuse: Sequence[Path] = ()) -> None:
        """Writes the runs that a directory owes; counts them in `made`."""
        tell(Progress(stage="plan", subject=directory.name, text=""))
        resumed(directory, experiment)
        plan = _plan(experiment, self.programs, self.compilers)
        folder = started(directory, plan)
        records, _ = open_journal(folder.journal, folder.plan_id)
        records = with_reused(folder, records, _NO_PROFILE, reuse, silent)
        cells = {cell.id: cell for cell in plan.cells}
        for run, attempt in owed(plan, records):
            version = plan.kernels[cells[run.cell].kernel].package_version or ""
            cost = self.costs[version]
            if isinstance(cost, Mapping):
                cost = cost[cells[run.cell].workload]
            if isinstance(cost, str):
                raise (HostLacks if "network" in cost else BadInput)(f"{version}: {cost}")
            self.made.append((version, cells[run.cell].workload))
            keep(directory, run, cost, attempt=attempt)
            tell(Progress(stage="run", subject=run.id, text="ok"))


def _plan(experiment: Experiment, programs: str, compilers: Mapping[str, str]) -> Plan:
    versions = [use.ref.removeprefix("debian:") for use in experiment.kernels]
    kernels = tuple(
        KernelIdentity(ref=f"debian:{v}", arch="x86_64", release=upstream_of(v), image_sha256=f"image {v}",
                       package_version=v, compiler=compilers.get(v, "gcc 12"))
        for v in versions
    )  # fmt: skip
    names = [use.name for use in experiment.workloads]
    workloads: tuple[Workload, ...] = tuple(msgspec.structs.replace(WORKLOAD, name=name) for name in names)
    given = PlanInput(
        kernels=kernels, settings=tuple((name, ()) for name in names), workloads=workloads, machine=MACHINE,
        guest_sha256=tuple(Setting(name=name, value=programs) for name in names),
    )  # fmt: skip
    return expand(experiment, given)
