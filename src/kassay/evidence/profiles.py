# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> profiles: what the plugin counted in a run, with the names of functions."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.evidence.profile.counters import ProfileError, RawProfile
from kassay.evidence.profile.deferred import ticks_without_deferred, without_deferred
from kassay.evidence.profile.function_branches import branches_of
from kassay.evidence.profile.functions import executed_in_region, executions, profile_of, summary_of
from kassay.evidence.profile.line_table import executed_lines, read_table
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols, is_program
from kassay.evidence.profile.totals import OtherTasks, with_counted_rounds
from kassay.evidence.profile.work import work_items
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory
from kassay.model.branches import FunctionBranches
from kassay.model.finding import Side
from kassay.model.guest import GuestReport
from kassay.model.lines import LinesRan, LineTable
from kassay.model.plan import Cell
from kassay.model.profile import Executed, NoProfile, Profile, RegionSummary
from kassay.model.reason import reason
from kassay.model.run import CellEvidence, RunRecord
from kassay.model.work import Work
from kassay.supply.clocks import Clock, clock_of, profiling
from kassay.supply.guest import program_output, protocol
from kassay.supply.guest.audit import foreign, online, sections, turns
from kassay.supply.guest.printed_operations import operations_printed
from kassay.supply.guest.program_output import (
    ARGUMENTS,
    ARGUMENTS_OF_OTHERS,
    FOUND,
    FOUND_BY_OTHERS,
    RESULTS,
    RESULTS_OF_OTHERS,
    call_arguments,
    call_results,
    calls_found,
    is_program_run,
    with_printed_operations,
)

_CACHED = 8  # parsed files; an answer reads the same ones for each phase
_KERNELS = 16  # symbol tables; each workload of a suite reads those of all its kernels


def report_of(directory: Path, record: RunRecord) -> GuestReport:
    """Report of an ok run's guest, with the rounds that only its profile knows."""
    assert record.stream_sha256 is not None  # an ok run has a stream
    return _whole_report(directory, record.stream_sha256, record.profile_sha256)


def report_apart(directory: Path, record: RunRecord) -> GuestReport | None:
    """The same without deferred work; None where the run's profile does not tell how much there was."""
    region = region_of(directory, record)
    if region is None or region.problem or not region.deferred or record.profile_sha256 is None:
        return None
    return ticks_without_deferred(report_of(directory, record), _raw(directory, record.profile_sha256))


def region_of(directory: Path, record: RunRecord) -> RegionSummary | None:
    """Summary of the measured region of one run. None without a profile. The file's contents never make it raise."""
    if record.profile_sha256 is None:
        return None
    assert record.stream_sha256 is not None  # an ok run has a stream
    return _region(directory, record.stream_sha256, record.profile_sha256, record.symbols)


def work_of_run(directory: Path, record: RunRecord, *, apart: bool, region: bool) -> Work | None:
    """The work of a user's program in one run, without items where the profile cannot tell; None of another workload.
    Never raises for what the profile's file holds. apart: leave out deferred work. region: rounds are parts of an
    execution."""
    report = report_of(directory, record)
    if not is_program_run(report):
        return None
    phase = report.phases[0].phase
    nothing = Work(
        phase=phase, items=(), results=call_results(report, RESULTS),
        other_results=call_results(report, RESULTS_OF_OTHERS), arguments=call_arguments(report, ARGUMENTS),
        other_arguments=call_arguments(report, ARGUMENTS_OF_OTHERS), found=calls_found(report, FOUND),
        found_by_others=calls_found(report, FOUND_BY_OTHERS), operations=operations_printed(report),
        executions=len(program_output.executions(report) or ()), region=region,
    )  # fmt: skip
    if record.profile_sha256 is None:
        return nothing
    try:
        whole, symbols = _raw(directory, record.profile_sha256), symbols_of(directory, record, report)
        raw = without_deferred(whole) if apart else whole
        return structs.replace(nothing, items=work_items(raw, symbols, report, phase))
    except ProfileError:
        return nothing


def symbols_of(directory: Path, record: RunRecord, report: GuestReport) -> Symbols:
    """The functions of everything that a run executed. Raises ProfileError."""
    return _symbols(directory, record.symbols, sections(report))


def lines_of_run(directory: Path, record: RunRecord) -> LineTable | None:
    """Source lines of what a run executed in the kernel; None of a kernel without line tables. Raises NoProfile."""
    if not record.lines_sha256:
        return None
    try:
        return _line_table(directory, record.lines_sha256)
    except ProfileError as error:
        raise NoProfile(reason("profile-not-readable", run=record.run, problem=str(error))) from error


def raw_of(directory: Path, record: RunRecord) -> RawProfile | None:
    """Counts of the plugin in a run. None without a profile. Raises ProfileError."""
    return _raw(directory, record.profile_sha256) if record.profile_sha256 is not None else None


class StoredProfiles:
    """The profiles of one directory's runs, each read when it is first asked for.

    known() gives all functions that a kernel has, executed or not.
    """

    def __init__(self, folder: RunDirectory, records: Iterable[RunRecord], evidence: Sequence[CellEvidence]) -> None:
        self._directory = folder.path
        self._apart = folder.plan.experiment.apart
        self._records = {record.run: record for record in records if record.outcome == "ok"}
        self._evidence: Mapping[tuple[str, str], CellEvidence] = {
            (item.cell.setting_key, item.label): item for item in evidence
        }
        self._profiles: dict[tuple[str, str, tuple[int, ...]], Profile] = {}

    def of(self, cell: Cell, side: Side, phase: str) -> Profile:
        """The profile of the rounds that a side's value stands for. Raises NoProfile where there is none."""
        item = self._evidence[cell.setting_key, side.kernel]
        plain = next((m for m in item.measurements if m.plain), None)
        if plain is None:
            raise NoProfile(reason("no-run-to-profile", side.kernel))
        record = self._records[plain.run]
        if record.profile_sha256 is None:
            problem = record.profile_problem or None
            code = "profile-not-made" if problem else "run-without-profile"
            why = reason(code, side.kernel, run=plain.run, problem=problem)
            raise NoProfile(why, _remedy(clock_of(cell.machine.clock)))
        key = (plain.run, phase, side.chosen)
        if key not in self._profiles:
            self._profiles[key] = self._read(record, phase, side)
        return self._profiles[key]

    def known(self, cell: Cell, side: Side) -> frozenset[str]:
        """Names of all functions of the kernel a side's first plain run booted."""
        run = next(m.run for m in self._evidence[cell.setting_key, side.kernel].measurements if m.plain)
        return self._opened(self._records[run]).symbols.names()

    def sizes(self, cell: Cell, side: Side, phase: str) -> Mapping[str, int]:
        """Bytes of machine code of each function that a side's kernel has."""
        record = self._record(cell, side, phase)
        return self._opened(record).symbols.kernel.sizes

    def executed(self, cell: Cell, side: Side, phase: str) -> Executed:
        """Instructions executed in a side's rounds, added up over all of them."""
        record = self._record(cell, side, phase)
        opened = self._opened(record)
        places = executions(opened.raw, opened.report, phase=phase, rounds=side.chosen)
        blocks = {(block.address, block.code) for block in opened.raw.blocks.values() if block.address in places}
        return Executed(places, tuple(sorted(blocks)), lines_of_run(self._directory, record))

    def branches(self, cell: Cell, side: Side, phase: str, function: str) -> FunctionBranches:
        """Branches and loops of a function in a side's rounds."""
        record = self._record(cell, side, phase)
        opened = self._opened(record)
        return branches_of(
            opened.raw, opened.symbols, opened.report, function, phase=phase, rounds=side.chosen,
            lines=lines_of_run(self._directory, record),
        )  # fmt: skip

    def lines(self, cell: Cell, side: Side, phase: str) -> LinesRan | None:
        """Lines that a side executed in its rounds, and anywhere. None without line tables."""
        record = self._record(cell, side, phase)
        table = lines_of_run(self._directory, record)
        if table is None:
            return None
        opened = self._opened(record)
        measured = executions(opened.raw, opened.report, phase=phase, rounds=side.chosen)
        return LinesRan(executed_lines(table, measured), executed_lines(table, executed_in_region(opened.raw)))

    def _record(self, cell: Cell, side: Side, phase: str) -> RunRecord:
        """The run that of() takes the profile of."""
        return self._records[self.of(cell, side, phase).run]

    def _read(self, record: RunRecord, phase: str, side: Side) -> Profile:
        opened = self._opened(record)
        return profile_of(
            opened.raw, opened.symbols, opened.report, phase=phase, rounds=side.chosen, kernel=side.kernel,
            run=record.run, others=opened.others, lines=lines_of_run(self._directory, record),
        )  # fmt: skip

    def _opened(self, record: RunRecord) -> "_Opened":
        assert record.profile_sha256 is not None
        report = report_of(self._directory, record)
        try:
            raw = _raw(self._directory, record.profile_sha256)
            symbols = _symbols(self._directory, record.symbols, sections(report))
            if self._apart and (without := report_apart(self._directory, record)) is not None:
                return _Opened(without, without_deferred(raw), symbols, None)
            return _Opened(report, raw, symbols, _others(report))
        except ProfileError as error:
            why = reason("profile-not-readable", run=record.run, problem=str(error))
            raise NoProfile(why, "measure anew with --fresh") from error


def _remedy(clock: Clock) -> str:
    if clock.profile_cpus:
        return "measure with --profile stacks, in another --out"
    return f"only an emulator counts by function: measure with --clock {profiling()[0]}, in another --out"


class _Opened(NamedTuple):
    report: GuestReport
    raw: RawProfile
    symbols: Symbols
    others: OtherTasks | None
    """To be compared with the profile; None too if that lacks deferred work: report_apart() has compared the whole."""


def _others(report: GuestReport) -> OtherTasks | None:
    """The guest's own record of other tasks, with which the profile is compared."""
    times = foreign(report)
    return None if times is None else OtherTasks(sum(ns for _, ns in times), turns(report), online(report))


@lru_cache(maxsize=_CACHED)
def _report(directory: Path, name: str) -> GuestReport:
    return protocol.parse(artifacts.get(directory, name))


def _whole_report(directory: Path, stream: str, profile: str | None) -> GuestReport:
    report = with_printed_operations(_report(directory, stream))
    return with_counted_rounds(report, _raw(directory, profile)) if report.counted and profile is not None else report


@lru_cache(maxsize=_CACHED)
def _region(directory: Path, stream: str, profile: str, tables: tuple[str, ...]) -> RegionSummary:
    """Exact runs of one cell have the same files, and are read once."""
    report = _whole_report(directory, stream, profile)
    try:
        raw, symbols = _raw(directory, profile), _symbols(directory, tables, sections(report))
        return summary_of(raw, symbols, report, _others(report))
    except ProfileError as error:
        return RegionSummary(mode="", counts=(), problem=str(error))


@lru_cache(maxsize=_CACHED)
def _line_table(directory: Path, name: str) -> LineTable:
    return read_table(artifacts.get(directory, name))


@lru_cache(maxsize=_CACHED)
def _raw(directory: Path, name: str) -> RawProfile:
    return parse(artifacts.get(directory, name))


@lru_cache(maxsize=_CACHED)
def _symbols(directory: Path, tables: tuple[str, ...], loaded: tuple[tuple[tuple[str, str], int], ...]) -> Symbols:
    programs = [name for name in tables if _is_program(directory, name)]
    kernel = _kernel_symbols(directory, tuple(name for name in tables if name not in programs), loaded)
    return kernel.with_program(_program_symbols(directory, tuple(programs)))


@cache
def _is_program(directory: Path, name: str) -> bool:
    return is_program(artifacts.get(directory, name))


@lru_cache(maxsize=_CACHED)
def _program_symbols(directory: Path, tables: tuple[str, ...]) -> Symbols:
    return Symbols.load([artifacts.get(directory, name) for name in tables], {})


@lru_cache(maxsize=_KERNELS)
def _kernel_symbols(
    directory: Path, tables: tuple[str, ...], loaded: tuple[tuple[tuple[str, str], int], ...]
) -> Symbols:
    return Symbols.load([artifacts.get(directory, name) for name in tables], dict(loaded))
