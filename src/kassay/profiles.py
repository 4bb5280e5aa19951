# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> profiles: what the plugin counted in a run, with names, and the findings itemised by it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from kassay.analysis.attribution import itemise
from kassay.choosing import Chosen
from kassay.directory import RunDirectory
from kassay.errors import BadInput
from kassay.guest import protocol
from kassay.guest.audit import sections
from kassay.journal import artifacts
from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.guest import GuestReport
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Cell
from kassay.model.profile import Profile, RegionSummary
from kassay.model.records import Record
from kassay.model.report import KernelStacks
from kassay.model.run import RunRecord
from kassay.profile.counters import ProfileError, RawProfile
from kassay.profile.functions import executions, profile_of, summary_of
from kassay.profile.raw import parse
from kassay.profile.symbols import Symbols

_REMEDIES = {
    **dict.fromkeys(("icount", "tcg"), "measure with --profile stacks, in another --out"),
    **dict.fromkeys(
        ("kvm", "host"), "only an emulator counts by function: measure with --clock icount, in another --out"
    ),
}
_KEPT = 8  # parsed files; an answer asks for the same ones phase by phase


def region_of(directory: Path, record: RunRecord, report: GuestReport) -> RegionSummary | None:
    """What ran in the measured region of one run; None without a profile. Never raises for what the file holds."""
    if record.profile_sha256 is None:
        return None
    try:
        raw, symbols = _raw(directory, record.profile_sha256), _symbols(directory, record.symbols, sections(report))
        return summary_of(raw, symbols, report)
    except ProfileError as error:
        return RegionSummary(mode="", counts=(), problem=str(error))


class Profiles:
    """The profiles of one directory's runs, each read when it is first asked for.

    known() is what a kernel has, executed or not.
    """

    def __init__(self, here: RunDirectory, records: Iterable[RunRecord], evidence: Sequence[CellEvidence]) -> None:
        self._directory = here.path
        self._records = {record.run: record for record in records if record.outcome == "ok"}
        self._evidence: Mapping[tuple[str, str], CellEvidence] = {
            (item.cell.setting_key, item.label): item for item in evidence
        }
        self._made: dict[tuple[str, str, tuple[int, ...]], Profile] = {}

    def of(self, cell: Cell, side: Side, phase: str) -> Profile:
        """The profile of the rounds that a side's value stands for. Raises BadInput that says why there is none."""
        item = self._evidence[cell.setting_key, side.kernel]
        plain = next((m for m in item.measurements if m.plain), None)
        if plain is None:
            raise BadInput(f"{side.kernel}: no plain run succeeded, so there is no profile")
        record = self._records[plain.run]
        if record.profile_sha256 is None:
            why = record.profile_problem or "the run carries no profile"
            raise BadInput(f"{side.kernel}, run {plain.run}: {why}", _REMEDIES[cell.machine.clock])
        key = (plain.run, phase, side.chosen)
        if key not in self._made:
            self._made[key] = self._read(record, phase, side)
        return self._made[key]

    def known(self, cell: Cell, side: Side) -> frozenset[str]:
        """Names of all functions of the kernel a side's first plain run booted."""
        run = next(m.run for m in self._evidence[cell.setting_key, side.kernel].measurements if m.plain)
        return self._opened(self._records[run]).symbols.names()

    def executed(self, cell: Cell, side: Side, phase: str) -> "Executed":
        """What was executed in a side's rounds, over all of them."""
        record = self._records[self.of(cell, side, phase).run]
        found = self._opened(record)
        places = executions(found.raw, found.report, phase=phase, rounds=side.chosen)
        blocks = {(one.address, one.code) for one in found.raw.blocks.values() if one.address in places}
        return Executed(places, tuple(sorted(blocks)))

    def _read(self, record: RunRecord, phase: str, side: Side) -> Profile:
        found = self._opened(record)
        return profile_of(
            found.raw, found.symbols, found.report, phase=phase, rounds=side.chosen, kernel=side.kernel, run=record.run
        )

    def _opened(self, record: RunRecord) -> "_Opened":
        assert record.stream_sha256 is not None and record.profile_sha256 is not None
        report = protocol.parse(artifacts.get(self._directory, record.stream_sha256))
        try:
            raw = _raw(self._directory, record.profile_sha256)
            return _Opened(report, raw, _symbols(self._directory, record.symbols, sections(report)))
        except ProfileError as error:
            raise BadInput(f"run {record.run}: the profile cannot be read: {error}",
                           "measure anew with --fresh") from error  # fmt: skip


class _Opened(NamedTuple):
    report: GuestReport
    raw: RawProfile
    symbols: Symbols


def itemised(findings: Iterable[Finding], cells: Sequence[Cell], profiles: Profiles) -> tuple[Finding, ...]:
    """Findings with their attribution, or with the reason why they have none."""
    return tuple(_itemised(finding, cells, profiles) for finding in findings)


def _itemised(finding: Finding, cells: Sequence[Cell], profiles: Profiles) -> Finding:
    base, head = finding.sides
    if finding.verdict in REFUSED or base.value is None or head.value is None:
        return finding
    if finding.machine.clock != "icount":
        note = "a profile counts instructions, this metric is time"
        return msgspec.structs.replace(finding, profile_note=note)
    try:
        found = [profiles.of(cell_of(finding, cells), side, finding.metric) for side in finding.sides]
    except BadInput as error:
        return msgspec.structs.replace(finding, profile_note=error.what)
    problem = next((f"{one.kernel}, run {one.run}: {one.problem}" for one in found if one.problem), "")
    if problem:
        return msgspec.structs.replace(finding, profile_note=problem)
    attribution = itemise(found[0], found[1], base.value, head.value, unit=finding.unit)
    return msgspec.structs.replace(finding, attribution=attribution)


class Profiled(Record, frozen=True, kw_only=True):
    """One kernel's profile with what it is a profile of. value: of the finding's side, per operation. known: every
    function the kernel has. refused, where: as in choosing.Chosen."""

    profile: Profile
    unit: str
    value: float
    known: frozenset[str]
    refused: str = ""
    where: str = ""


def profiled(found: Iterable[Chosen], cells: Sequence[Cell], profiles: Profiles) -> tuple[Profiled, ...]:
    """The profiles of what was chosen. Raises BadInput."""
    return tuple(_profiled(one, cells, profiles) for one in found)


def _profiled(one: Chosen, cells: Sequence[Cell], profiles: Profiles) -> Profiled:
    cell, side, unit = cell_of(one.finding, cells), one.side, one.finding.unit
    profile = profiles.of(cell, side, one.finding.metric)
    if profile.problem or side.value is None:
        raise BadInput(f"{profile.kernel}, run {profile.run}: {profile.problem or side.method}", "measure with --fresh")
    known = profiles.known(cell, side)
    return Profiled(profile=profile, unit=unit, value=side.value, known=known, refused=one.refused, where=one.where)


class Executed(NamedTuple):
    """What one kernel executed. places: address of each instruction -> how often. blocks: address and code of the
    translation blocks these lie in."""

    places: dict[int, int]
    blocks: tuple[tuple[int, bytes], ...]


def executed(one: Chosen, cells: Sequence[Cell], profiles: Profiles) -> Executed:
    """The instructions behind profiled()."""
    return profiles.executed(cell_of(one.finding, cells), one.side, one.finding.metric)


def stacks_of(findings: Iterable[Finding], cells: Sequence[Cell], profiles: Profiles) -> tuple[KernelStacks, ...]:
    """Call stacks behind the findings on primary metrics, each kernel once per setting; nothing without call stacks."""
    found: dict[tuple[str, str, str], KernelStacks] = {}
    for finding in findings:
        cell = cell_of(finding, cells)
        for side in finding.sides if finding.primary and finding.attribution is not None else ():
            profile = profiles.of(cell, side, finding.metric)
            if profile.stacks is not None:
                found.setdefault((cell.setting_key, finding.metric, side.kernel), _stacks(finding, profile))
    return tuple(found.values())


def _stacks(finding: Finding, profile: Profile) -> KernelStacks:
    assert profile.stacks is not None
    return KernelStacks(
        kernel=profile.kernel, workload=finding.workload, settings=finding.settings, machine=finding.machine,
        metric=finding.metric, unit=finding.unit, operations=profile.operations, stacks=profile.stacks,
    )  # fmt: skip


def cell_of(finding: Finding, cells: Sequence[Cell]) -> Cell:
    """Any cell of a finding's setting; its setting_key is that of all kernels."""
    asked = (finding.workload, finding.settings, finding.machine)
    return next(cell for cell in cells if (cell.workload, cell.settings, cell.machine) == asked)


@lru_cache(maxsize=_KEPT)
def _raw(directory: Path, name: str) -> RawProfile:
    return parse(artifacts.get(directory, name))


@lru_cache(maxsize=_KEPT)
def _symbols(directory: Path, tables: tuple[str, ...], loaded: tuple[tuple[tuple[str, str], int], ...]) -> Symbols:
    return Symbols.load([artifacts.get(directory, name) for name in tables], dict(loaded))
