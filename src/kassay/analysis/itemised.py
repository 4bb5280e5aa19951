# SPDX-License-Identifier: GPL-2.0-only
"""Findings with the profiles behind them, or why there are none; and which of them a user asks for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from kassay.analysis.attribution import itemise
from kassay.analysis.counters import called
from kassay.analysis.one_sided import one_sided
from kassay.errors import BadInput, nearest, nearest_of, unknown
from kassay.model.branches import FunctionBranches, KernelBranches, of_kernel
from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.lines import LinesRan
from kassay.model.machine import Point
from kassay.model.plan import Cell
from kassay.model.profile import Executed, NoProfile, Profile, base_name
from kassay.model.reason import Reason, own_words, reason
from kassay.model.records import Record
from kassay.model.report import KernelStacks
from kassay.model.texts import machine_text, memory_text, settings_text
from kassay.model.units import is_same_value
from kassay.supply.clocks import clock_of


class Chosen(NamedTuple):
    """One kernel's side of a finding."""

    finding: Finding
    side: Side
    verdict: str
    """Verdict of a refused comparison of these kernels; "" if it was admitted."""
    reasons: tuple[Reason, ...]
    """Reasons of a refused comparison; none if it was admitted."""
    where: str
    """Setting, such as "setting 1 of 4: size=256KiB"; "" if there is only one."""


def chosen(
    findings: Sequence[Finding], kernels: Sequence[str] | None, metric: str | None, settings: Mapping[str, str]
) -> tuple[Chosen, ...]:
    """One entry per kernel, by default the first and the last, of the first setting that has these values.

    settings: parameters of the workload, cpus, memory or workload -> the value wanted. Raises BadInput that lists
    what there is.
    """
    points = list(dict.fromkeys(f.point for f in findings))
    point = _with(points, settings)[0]
    at_point = [f for f in findings if f.point == point]
    of_metric = [f for f in at_point if f.metric == metric or (metric is None and f.primary)]
    if not of_metric:
        raise unknown("unknown metric", str(metric), dict.fromkeys(f.metric for f in at_point))
    sides = {side.kernel: (finding, side) for finding in of_metric for side in finding.sides}
    names = list(sides)
    wanted = list(dict.fromkeys(kernels if kernels is not None else (names[0], names[-1])))
    strange = [name for name in wanted if name not in sides]
    if strange:
        raise unknown("unknown kernel", strange[0], names)
    pair = [f for f in of_metric if {*f.kernels} == set(wanted)]
    return tuple(
        Chosen(*sides[name], *_refusal(pair or of_metric, wanted if pair else [name]), _where(point, points))
        for name in wanted
    )


def _with(points: Sequence[Point], settings: Mapping[str, str]) -> Sequence[Point]:
    for name, value in settings.items():
        have = [values_of(point).get(name) for point in points]
        if not any(have):
            names = dict.fromkeys(name for point in points for name in values_of(point))
            raise BadInput(f"--set {name}: unknown name", nearest_of(name, names))
        left = [
            point for point, text in zip(points, have, strict=True) if text is not None and is_same_value(text, value)
        ]
        if not left:
            choices = ", ".join(filter(None, dict.fromkeys(have)))
            raise BadInput(f"--set {name}: no setting has {value!r}", f"known: {choices}")
        points = left
    return points


def values_of(point: Point) -> dict[str, str]:
    """Values by which a setting is chosen: workload, cpus, memory, and the parameters of the workload."""
    workload, settings, machine = point
    of_machine = {"workload": workload, "cpus": str(machine.cpus or ""), "memory": memory_text(machine.memory_bytes)}
    return of_machine | {setting.name: setting.value for setting in settings}


def _refusal(findings: Iterable[Finding], wanted: Sequence[str]) -> tuple[str, tuple[Reason, ...]]:
    """Verdict and reasons of the first refused comparison whose reasons do not all concern another kernel."""
    for f in findings:
        reasons = tuple(reason for reason in f.reasons if not reason.kernel or reason.kernel in wanted)
        if f.verdict in REFUSED and reasons and any(side.kernel in wanted for side in f.sides):
            return f.verdict, reasons
    return "", ()


def _where(point: Point, points: Sequence[Point]) -> str:
    if len(points) == 1:
        return ""
    number = points.index(point)
    return f"setting {number + 1} of {len(points)}: {own_texts(points)[number]}"


def own_texts(points: Sequence[Point]) -> tuple[str, ...]:
    """Text of each point: its workload, settings and machine, as far as these differ between the points."""
    parts = [(point.workload, settings_text(point.settings), machine_text(point.machine)) for point in points]
    differing = [index for index in range(3) if len({texts[index] for texts in parts}) > 1]
    return tuple(", ".join(texts[index] for index in differing) for texts in parts)


class Profiles(Protocol):
    """The profiles of one directory's runs. Each raises NoProfile where there is none."""

    def of(self, cell: Cell, side: Side, phase: str) -> Profile:
        """Profile of the rounds that a side's value stands for."""

    def known(self, cell: Cell, side: Side) -> frozenset[str]:
        """Names of all functions of the side's kernel, executed or not."""

    def executed(self, cell: Cell, side: Side, phase: str) -> Executed:
        """Every instruction address executed in the side's rounds."""

    def branches(self, cell: Cell, side: Side, phase: str, function: str) -> FunctionBranches:
        """Branches and loops of a function in the side's rounds."""

    def lines(self, cell: Cell, side: Side, phase: str) -> LinesRan | None:
        """Lines executed in the side's rounds, and anywhere. None without line tables."""


def itemised(
    findings: Iterable[Finding], cells: Sequence[Cell], profiles: Profiles, *, primary_only: bool = False
) -> tuple[Finding, ...]:
    """Findings with their attribution, or with the reason why they have none."""
    return tuple(
        msgspec.structs.replace(finding, profile_note=reason("not-in-overview"))
        if primary_only and not finding.primary
        else _itemised(finding, cells, profiles)
        for finding in findings
    )


def _itemised(finding: Finding, cells: Sequence[Cell], profiles: Profiles) -> Finding:
    base, head = finding.sides
    if finding.verdict == "state-mismatch":
        return _parted(finding, cell_of(finding, cells), profiles)
    if finding.verdict in REFUSED or base.value is None or head.value is None:
        return finding
    if not clock_of(finding.machine.clock).counts_work:
        return msgspec.structs.replace(finding, profile_note=reason("metric-is-time"))
    try:
        pair = [profiles.of(cell_of(finding, cells), side, finding.metric) for side in finding.sides]
    except BadInput as error:
        note = error.reason if isinstance(error, NoProfile) else own_words(error.what)
        return msgspec.structs.replace(finding, profile_note=note)
    unusable = next((_unusable(profile) for profile in pair if profile.problem), None)
    if unusable is not None:
        return msgspec.structs.replace(finding, profile_note=unusable)
    attribution = itemise(pair[0], pair[1], base.value, head.value, unit=finding.unit)
    more = called(attribution) if finding.primary else ()
    return msgspec.structs.replace(finding, attribution=attribution, counters=(*more, *finding.counters))


def _parted(finding: Finding, cell: Cell, profiles: Profiles) -> Finding:
    """A comparison refused for unequal state, with the functions that ran on one kernel only; none without profiles."""
    try:
        base, head = (profiles.of(cell, side, finding.metric) for side in finding.sides)
    except BadInput:
        return finding
    if base.problem or head.problem:
        return finding
    known = profiles.known(cell, finding.sides[0]), profiles.known(cell, finding.sides[1])
    return msgspec.structs.replace(finding, one_sided=one_sided(base, head, known))


def _unusable(profile: Profile, problem: str = "") -> Reason:
    return reason("profile-not-usable", profile.kernel, run=profile.run, problem=problem or profile.problem)


class Profiled(Record, frozen=True, kw_only=True):
    """One kernel's profile, with the value that it explains."""

    profile: Profile
    unit: str
    value: float
    """Value of the finding's side, per operation."""
    known: frozenset[str]
    """Every function that the kernel has."""
    verdict: str = ""
    """Verdict of a refused comparison; "" if it was admitted."""
    reasons: tuple[Reason, ...] = ()
    """Reasons of a refused comparison; none if it was admitted."""
    where: str = ""
    """Setting, as in Chosen."""
    workload: str = ""


def profiled(choices: Iterable[Chosen], cells: Sequence[Cell], profiles: Profiles) -> tuple[Profiled, ...]:
    """The profiles of what was chosen. Raises BadInput."""
    return tuple(_profiled(choice, cells, profiles) for choice in choices)


def _profiled(choice: Chosen, cells: Sequence[Cell], profiles: Profiles) -> Profiled:
    cell, side, unit = cell_of(choice.finding, cells), choice.side, choice.finding.unit
    profile = profiles.of(cell, side, choice.finding.metric)
    if profile.problem or side.value is None:
        raise NoProfile(_unusable(profile, profile.problem or side.method), "measure with --fresh")
    known = profiles.known(cell, side)
    return Profiled(
        profile=profile, unit=unit, value=side.value, known=known, verdict=choice.verdict, reasons=choice.reasons,
        where=choice.where, workload=choice.finding.workload,
    )  # fmt: skip


def executed(choice: Chosen, cells: Sequence[Cell], profiles: Profiles) -> Executed:
    """The instructions behind profiled()."""
    return profiles.executed(cell_of(choice.finding, cells), choice.side, choice.finding.metric)


def branches(choice: Chosen, cells: Sequence[Cell], profiles: Profiles, function: str) -> KernelBranches:
    """Branches and loops of a function. Raises BadInput where profiled() does, or for a function without a name there.

    A function that did not run in this phase has none.
    """
    whole = _profiled(choice, cells, profiles)
    found = profiles.branches(cell_of(choice.finding, cells), choice.side, choice.finding.metric, function)
    if not found.branches and not found.calls and function not in {base_name(name) for name in whole.known}:
        near = nearest(function, map(base_name, whole.known))
        listing = "without --branches, --top 0 lists the functions that ran"
        remedy = f"did you mean {near}? {listing}" if near else listing
        raise BadInput(f"--branches: {whole.profile.kernel} has no function {function}", remedy)
    return of_kernel(whole.profile, whole.unit, whole.where, found)


def stacks_of(findings: Iterable[Finding], cells: Sequence[Cell], profiles: Profiles) -> tuple[KernelStacks, ...]:
    """Call stacks behind the findings on primary metrics, each kernel once per setting; nothing without call stacks."""
    stacks: dict[tuple[str, str, str], KernelStacks] = {}
    for finding in findings:
        cell = cell_of(finding, cells)
        for side in finding.sides if finding.primary and finding.attribution is not None else ():
            profile = profiles.of(cell, side, finding.metric)
            if profile.stacks is not None:
                stacks.setdefault((cell.setting_key, finding.metric, side.kernel), _stacks(finding, profile))
    return tuple(stacks.values())


def _stacks(finding: Finding, profile: Profile) -> KernelStacks:
    assert profile.stacks is not None
    return KernelStacks(
        kernel=profile.kernel, workload=finding.workload, settings=finding.settings, machine=finding.machine,
        metric=finding.metric, unit=finding.unit, operations=profile.operations, stacks=profile.stacks,
    )  # fmt: skip


def cell_of(finding: Finding, cells: Sequence[Cell]) -> Cell:
    """Any cell of a finding's setting; its setting_key is that of all kernels."""
    return next(cell for cell in cells if cell.point == finding.point)
