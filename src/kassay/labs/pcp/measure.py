# SPDX-License-Identifier: GPL-2.0-only
"""Measures real kernels: the workloads and machine of the runs, and the counts of zone path and lists in each run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET

from kassay import __version__, pipeline
from kassay.errors import BadInput
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profiles import raw_of, report_of, symbols_of
from kassay.journal.directory import RunDirectory, open_directory
from kassay.journal.journal import read_journal
from kassay.labs.pcp import list_samples, zone_path
from kassay.labs.pcp.model.measured import PcpMeasured, PcpRow, ZoneCounts
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse, labels
from kassay.model.guest import GuestReport
from kassay.model.kernel import full_ref, parse_ref
from kassay.model.plan import Cell
from kassay.model.progress import Progress, Tell, silent
from kassay.model.run import RunRecord
from kassay.spec.load import check
from kassay.supply.guest.audit import delta
from kassay.supply.kernels import fetch, lacks_function
from kassay.supply.machine_code.images import Image
from kassay.tools.recording.zoneinfo import tunes_high

FEWEST, MOST = 1, 8
LEAST_FRACTION = 8
NO_HUGE_PAGES = "transparent_hugepage=never"
"""Huge pages raise vm.min_free_kbytes, and with it high_min, tenfold: lists of a small machine would never be full."""
WORK_ROUNDS, IDLE_ROUNDS = 16, 40
_WORK, _IDLE = _PARTS = ("work", "idle")
_AUTO, _FIXED = "auto", "fixed-"
_LOWERS_HIGH = "decay_pcp_high"
_STARTS_CPUS = "cpuhp_ap_sync_alive"
"""Function of every kernel that starts CPUs without a busy loop (since 6.5). In the loop of an older kernel the other
CPU never runs under QEMU 7.2."""
_SiteCache = dict[str, tuple[zone_path.Site, ...]]
"""The sites of the tracepoints in each kernel, by its reference; an image is read once."""


class Wanted(NamedTuple):
    """Kernels and settings to measure."""

    kernels: tuple[str, ...]
    cpus: int = 1
    memory_bytes: int = 1 << 30
    depths: tuple[str, ...] = ("1MiB", "4MiB", "16MiB")
    """Sizes at which page_fault is measured."""
    fixed: bool | int = False
    """True if each kernel is also measured with lists of the fixed length that 6.1 would choose. A number is a value of
    vm.percpu_pagelist_high_fraction to use instead."""
    repeats: int = 2
    timeout_s: int = 300


def measure(wanted: Wanted, directory: Path, tell: Tell = silent, cluster: str = "") -> PcpMeasured:
    """Makes the runs that are still missing in `directory`, and reads them all. cluster: as of pipeline.measure().

    Raises BadInput before anything is booted.
    """
    if not FEWEST <= wanted.cpus <= MOST:
        raise BadInput(f"--cpus {wanted.cpus}: outside {FEWEST}..{MOST}", "larger machines: kassay pcp simulate")
    if not isinstance(wanted.fixed, bool) and wanted.fixed < LEAST_FRACTION:
        raise BadInput(
            f"a fixed length of 1/{wanted.fixed}: the kernel takes at least {LEAST_FRACTION}", "write a larger number"
        )
    parts = _experiments(wanted, None)
    if wanted.cpus > 1:
        _refuse_second_cpu(parts[_WORK], tell)
    _make(parts, directory / _AUTO, tell, cluster)
    if wanted.fixed is not False:
        fraction = (
            wanted.fixed if wanted.fixed is not True else fraction_of([directory / _AUTO / part for part in _PARTS])
        )
        _make(_experiments(wanted, fraction), directory / f"{_FIXED}{fraction}", tell, cluster)
    return read(directory, tell)


def read(directory: Path, tell: Tell = silent) -> PcpMeasured:
    """The results of the runs of a directory; measures nothing. Raises BadInput where there are none."""
    policies = {_AUTO: _AUTO, **{d.name: d.name.replace("-", "=") for d in sorted(directory.glob(f"{_FIXED}*"))}}
    machine = open_directory(directory / _AUTO / _WORK).plan.experiment
    site_cache: _SiteCache = {}
    rows = [
        row
        for name, policy in policies.items()
        for part in _PARTS
        if (directory / name / part / "plan.json").exists()
        for row in _rows(directory / name / part, policy, site_cache, tell)
    ]
    return PcpMeasured(
        kassay_version=__version__,
        machine=f"x86_64, icount, {NO_HUGE_PAGES}",
        cpus=machine.cpus[0],
        memory_bytes=machine.memory_bytes[0],
        rows=tuple(sorted(rows, key=_order(rows))),
        directory=str(directory),
    )


def _refuse_second_cpu(experiment: Experiment, tell: Tell) -> None:
    """Raises BadInput for a kernel whose boot would never end."""
    refs = [parse_ref(use.ref) for use in experiment.kernels]
    for artifact in fetch(refs, experiment.flavour, tell):
        if lacks_function(artifact, _STARTS_CPUS):
            raise BadInput(f"{artifact.identity.ref}: it does not start its second CPU where instructions are counted",
                           "measure it with --cpus 1 (docs/how-to/pcp.md, limits)")  # fmt: skip


def fraction_of(directories: Sequence[Path]) -> int:
    """The vm.percpu_pagelist_high_fraction at which lists have the length that a kernel without auto-tuning gives them:
    the shortest high that any run had at any moment, in the largest zone. Raises BadInput where no run succeeded."""
    fractions: set[int] = set()
    for directory in directories:
        folder = open_directory(directory)
        for record in read_journal(folder.journal, folder.plan_id):
            if record.outcome != "ok":
                continue
            report = report_of(directory, record)
            zones = list_samples.managed(list_samples.zoneinfo_before(report))
            zone = max(zones, key=lambda name: zones[name], default="")
            lists = [state for sample in list_samples.samples(report) for state in sample.lists if state.zone == zone]
            cpus = len({state.cpu for state in lists})
            for state in lists:
                fractions.add(zones[zone] // (max(state.high, 1) * cpus))
    if not fractions:
        raise BadInput(f"{directories[0]}: no run succeeded", "look at its journal, and measure again")
    return max(LEAST_FRACTION, *fractions)


def _experiments(wanted: Wanted, fraction: int | None) -> Mapping[str, Experiment]:
    tasks = Axis(name="tasks", values=(str(wanted.cpus),))
    work = [
        WorkloadUse(name="page_fault", axes=(Axis(name="size", values=wanted.depths), tasks)),
        WorkloadUse(name="process_mix", axes=(tasks,)),
    ]
    idle = WorkloadUse(name="pcp_idle", axes=(Axis(name="size", values=("16MiB",)), tasks))
    if wanted.cpus > 1:
        work.append(WorkloadUse(name="page_handover"))
        idle = WorkloadUse(name="pcp_idle", axes=(*idle.axes, Axis(name="wake", values=("first", "all"))))
    return {
        name: _experiment(wanted, fraction, name, uses, rounds)
        for name, uses, rounds in ((_WORK, tuple(work), WORK_ROUNDS), (_IDLE, (idle,), IDLE_ROUNDS))
    }


def _experiment(
    wanted: Wanted, fraction: int | None, name: str, uses: tuple[WorkloadUse, ...], rounds: int
) -> Experiment:
    refs = tuple(dict.fromkeys(full_ref(text) for text in wanted.kernels))
    experiment = Experiment(
        name=f"pcp-{name}",
        question="ladder" if len(refs) > 1 else "value",
        kernels=tuple(KernelUse(ref=ref, cmdline=NO_HUGE_PAGES) for ref in refs),
        workloads=uses,
        cpus=(wanted.cpus,),
        memory_bytes=(wanted.memory_bytes,),
        repeats=wanted.repeats,
        perturb=0,
        rounds=rounds,
        timeout_s=wanted.timeout_s,
        boot="snapshot" if wanted.cpus == 1 else "short",
        profile="counts",
        sampled="zoneinfo",
        percpu_high_fraction=str(fraction) if fraction is not None else UNSET,
    )
    return check(experiment, "kassay pcp measure")


def _make(parts: Mapping[str, Experiment], directory: Path, tell: Tell, cluster: str) -> None:
    for name, experiment in parts.items():
        (directory / name).mkdir(parents=True, exist_ok=True)
        pipeline.measure(experiment, directory / name, tell, cluster=cluster)


def _rows(directory: Path, policy: str, site_cache: _SiteCache, tell: Tell) -> Iterator[PcpRow]:
    folder = open_directory(directory)
    records = [record for record in read_journal(folder.journal, folder.plan_id) if record.outcome == "ok"]
    cells = {run.id: run.cell for run in folder.plan.runs}
    for number, cell in enumerate(folder.plan.cells, 1):
        cell_records = [record for record in records if cells[record.run] == cell.id]
        tell(Progress(stage="count", subject=f"{number}/{len(folder.plan.cells)}", text=cell.workload))
        yield _row(folder, cell, policy, cell_records, site_cache)


def _row(folder: RunDirectory, cell: Cell, policy: str, records: Sequence[RunRecord], site_cache: _SiteCache) -> PcpRow:
    plan = folder.plan
    workload = next(workload for workload in plan.workloads if workload.name == cell.workload)
    whole = any(phase.name == "iteration" for phase in workload.phases)
    phase = "iteration" if whole else next(p.name for p in workload.phases if p.primary)
    operation = next(p.operation for p in workload.phases if p.name == phase)
    results = [_counted(folder, cell, record, phase, site_cache) for record in records]
    reports = [report_of(folder.path, record) for record in records]
    symbols, release = _symbols(folder, records), plan.kernels[cell.kernel].release
    rounds = next((p for report in reports[:1] for p in report.phases if p.phase == phase), None)
    lists = list_samples.samples(reports[0]) if reports else ()
    return PcpRow(
        kernel=labels(plan.experiment)[cell.kernel].partition(" [")[0],
        release=release,
        policy="fixed" if policy == "auto" and not raises_high(symbols, release) else policy,
        workload=cell.workload,
        settings=cell.settings,
        phase=phase,
        operation=operation,
        operations=rounds.operations * len(rounds.ticks) if rounds is not None else 0,
        rounds=len(rounds.ticks) if rounds is not None else 0,
        runs=len(results),
        alike=len({repr(counts) for counts, _ in results}) == 1,
        problem=next((problem for _, problem in results if problem), "" if results else "no run succeeded"),
        counts=results[0][0] if results else None,
        samples=lists,
    )


def _symbols(folder: RunDirectory, records: Sequence[RunRecord]) -> Symbols | None:
    """Symbols of the first run that has them."""
    for record in records:
        with suppress(ProfileError):
            return symbols_of(folder.path, record, report_of(folder.path, record))
    return None


def raises_high(symbols: Symbols | None, release: str) -> bool:
    """True if a kernel tunes high: by its function that lowers it, which a patched kernel of an earlier release has,
    too; by its release where no symbols are known."""
    return tunes_high(release) if symbols is None else symbols.kernel_entry(_LOWERS_HIGH) is not None


def _counted(
    folder: RunDirectory, cell: Cell, record: RunRecord, phase: str, site_cache: _SiteCache
) -> tuple[ZoneCounts | None, str]:
    report = report_of(folder.path, record)
    try:
        raw, symbols = raw_of(folder.path, record), symbols_of(folder.path, record, report)
    except ProfileError as error:
        return None, str(error)
    if raw is None:
        return None, record.profile_problem or "the run carries no profile"
    use, flavour = folder.plan.experiment.kernels[cell.kernel], folder.plan.experiment.flavour
    sites = _sites(use.ref, flavour, symbols, site_cache)
    return zone_path.counted(raw, symbols, report, sites, phase=phase, pages=_pages(report))


def _sites(ref: str, flavour: str, symbols: Symbols, site_cache: _SiteCache) -> tuple[zone_path.Site, ...]:
    if ref not in site_cache:
        (artifact,) = fetch((parse_ref(ref),), flavour, silent)
        site_cache[ref] = zone_path.sites(Image(artifact), symbols)
    return site_cache[ref]


def _pages(report: GuestReport) -> int | None:
    values = [value for name, value in delta(report, "pgalloc_").items() if value is not None]
    return sum(map(int, values)) if values else None


def _order(rows: Sequence[PcpRow]) -> Callable[[PcpRow], tuple[int, int, int]]:
    workloads = list(dict.fromkeys((row.workload, row.settings) for row in rows))
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    policies = {"fixed": 0, "auto": 1}
    return lambda row: (
        workloads.index((row.workload, row.settings)),
        kernels.index(row.kernel),
        policies.get(row.policy, len(policies)),
    )
