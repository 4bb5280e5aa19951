# SPDX-License-Identifier: GPL-2.0-only
"""Findings with the profiles behind them: itemised by function, with call stacks, or with the reason why not."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from kassay.analysis.attribution import itemise
from kassay.analysis.choosing import Chosen
from kassay.clocks import clock_of
from kassay.errors import BadInput
from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.plan import Cell
from kassay.model.profile import Executed, NoProfile, Profile
from kassay.model.reason import Reason, own_words, reason
from kassay.model.records import Record
from kassay.model.report import KernelStacks


class Profiles(Protocol):
    """The profiles of one directory's runs. Each raises NoProfile where there is none."""

    def of(self, cell: Cell, side: Side, phase: str) -> Profile:
        """Of the rounds that a side's value stands for."""

    def known(self, cell: Cell, side: Side) -> frozenset[str]:
        """Names of all functions of the side's kernel, executed or not."""

    def executed(self, cell: Cell, side: Side, phase: str) -> Executed:
        """Every instruction address executed in the side's rounds."""


def itemised(findings: Iterable[Finding], cells: Sequence[Cell], profiles: Profiles) -> tuple[Finding, ...]:
    """Findings with their attribution, or with the reason why they have none."""
    return tuple(_itemised(finding, cells, profiles) for finding in findings)


def _itemised(finding: Finding, cells: Sequence[Cell], profiles: Profiles) -> Finding:
    base, head = finding.sides
    if finding.verdict in REFUSED or base.value is None or head.value is None:
        return finding
    if not clock_of(finding.machine.clock).exact:
        return msgspec.structs.replace(finding, profile_note=reason("metric-is-time"))
    try:
        found = [profiles.of(cell_of(finding, cells), side, finding.metric) for side in finding.sides]
    except BadInput as error:
        note = error.reason if isinstance(error, NoProfile) else own_words(error.what)
        return msgspec.structs.replace(finding, profile_note=note)
    unusable = next((_unusable(profile) for profile in found if profile.problem), None)
    if unusable is not None:
        return msgspec.structs.replace(finding, profile_note=unusable)
    attribution = itemise(found[0], found[1], base.value, head.value, unit=finding.unit)
    return msgspec.structs.replace(finding, attribution=attribution)


def _unusable(profile: Profile, problem: str = "") -> Reason:
    return reason("profile-not-usable", profile.kernel, run=profile.run, problem=problem or profile.problem)


class Profiled(Record, frozen=True, kw_only=True):
    """One kernel's profile with what it is a profile of. value: of the finding's side, per operation. known: every
    function the kernel has. verdict, reasons: of a refused comparison, "" and none of another. where: as in
    choosing.Chosen."""

    profile: Profile
    unit: str
    value: float
    known: frozenset[str]
    verdict: str = ""
    reasons: tuple[Reason, ...] = ()
    where: str = ""


def profiled(found: Iterable[Chosen], cells: Sequence[Cell], profiles: Profiles) -> tuple[Profiled, ...]:
    """The profiles of what was chosen. Raises BadInput."""
    return tuple(_profiled(one, cells, profiles) for one in found)


def _profiled(one: Chosen, cells: Sequence[Cell], profiles: Profiles) -> Profiled:
    cell, side, unit = cell_of(one.finding, cells), one.side, one.finding.unit
    profile = profiles.of(cell, side, one.finding.metric)
    if profile.problem or side.value is None:
        raise NoProfile(_unusable(profile, profile.problem or side.method), "measure with --fresh")
    known = profiles.known(cell, side)
    return Profiled(
        profile=profile, unit=unit, value=side.value, known=known, verdict=one.verdict, reasons=one.reasons,
        where=one.where,
    )  # fmt: skip


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
    return next(cell for cell in cells if cell.point == finding.point)
