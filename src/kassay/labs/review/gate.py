# SPDX-License-Identifier: GPL-2.0-only
"""`kassay ci`: a suite once on both revisions; what differs by a digit is measured, until the budget ends."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import structs

import kassay
from kassay.analysis.exact import judge_counts
from kassay.analysis.work_doubts import weakened
from kassay.journal.directory import SCREEN
from kassay.labs.review import result, stages
from kassay.labs.review.budget import Budget
from kassay.labs.review.choice import use_of
from kassay.labs.review.gate_model import DECIDED, EQUAL, NOT_MEASURED, Gate, GateCell, Limit
from kassay.labs.review.limits import Limits, limit_of
from kassay.labs.review.model import SCREENED, UNDER_WAY, Cell, Key, Left
from kassay.labs.review.settings import setting_text
from kassay.labs.review.stages import Failure, Sides
from kassay.model.finding import REFUSED, Finding
from kassay.model.progress import Tell
from kassay.model.reason import Reason
from kassay.model.records import Record
from kassay.model.report import Report
from kassay.model.texts import machine_text
from kassay.spec.load import suite_workloads

_MARGIN, _SMALLEST = 0.005, 1e-9
"""Margin that every experiment has, so that runs serve for all limits, and the margin for a limit of zero."""
_BATCH = 4
"""Settings that are measured between two looks at the budget."""


class GateWanted(Record, frozen=True, kw_only=True):
    """The question; its hash names the directory. Limits are no part of it: they judge what was measured."""

    base: str
    """Reference of the sources."""
    head: str
    arch: str
    suite: str


def gate(
    wanted: GateWanted, directory: Path, *, names: tuple[str, str], fail_over: float, limits: Limits,
    budget_s: float, command: str, tell: Tell, keep: Callable[[Gate], None], allowed: Sequence[str] = (),
) -> Gate:  # fmt: skip
    """The whole answer. names: the revisions, as the user wrote them. fail_over: the limit of phases without one of
    their own. keep: stores the answer. allowed: workloads that may have no verdict, which the headline then names
    without calling the answer undecided. Raises NotBuilt."""
    budget = Budget(budget_s)
    sides = stages.built(wanted.base, wanted.head, wanted.arch, tell)
    answer = Gate(
        kassay_version=kassay.__version__, command=command, base_name=names[0], head_name=names[1],
        base=result.kernel_side(sides.refs[0], sides.base), head=result.kernel_side(sides.refs[1], sides.head),
        suite=wanted.suite, machine="", emulator="", fail_over=fail_over, allowed=tuple(allowed),
        same_image=sides.same_image,
        limits_added=limits.added, limits_removed=limits.removed,
    )  # fmt: skip
    if sides.same_image:
        return _kept(answer, budget, keep)
    asked = stages.experiment(SCREEN, sides, suite_workloads(wanted.suite), tell, once=True)
    budget.allows(directory / SCREEN)  # the first step that a command makes
    known = () if stages.finished(directory / SCREEN) else (stages.runs_of_base(asked, tell),)
    report = stages.measured(asked, directory / SCREEN, tell, known)
    impossible, failed, lost = _failures(directory / SCREEN)
    found = _screened(report, lost)
    if report.findings:
        answer = structs.replace(
            answer, machine=machine_text(report.findings[0].machine), emulator=report.machine.program
        )  # fmt: skip
    answer = structs.replace(answer, impossible=impossible, failed=failed)
    margin = max(min([fail_over, *(limit.limit for limit in limits.entries)]), _SMALLEST)
    left = _differing(report)

    def limit_of_phase(cell: Cell) -> float:
        return _limit(limit_of(cell, limits.entries), fail_over)

    for number in range(-(-len(left) // _BATCH)):
        place = directory / "measured" / f"{number}"
        if not budget.allows(place):
            return _kept(_judged(answer, found.values(), limits.entries, left, budget.reason), budget, keep)
        if not stages.finished(place):
            _kept(_judged(answer, found.values(), limits.entries, left, UNDER_WAY), budget, keep)
        found |= _measured(sides, left[:_BATCH], margin, place, tell, limit_of_phase)
        left = left[_BATCH:]
    return _kept(_judged(answer, found.values(), limits.entries), budget, keep)


def _kept(answer: Gate, budget: Budget, keep: Callable[[Gate], None]) -> Gate:
    answer = structs.replace(answer, seconds=round(budget.used_s, 1))
    keep(answer)
    return answer


def _failures(directory: Path) -> tuple[tuple[Left, ...], tuple[Left, ...], Mapping[Key, str]]:
    """(workloads that base cannot run, those that only head cannot run, settings whose run on base was lost, each with
    the reason)."""
    on_base = {one.key: one for one in stages.failures(directory) if one.kernel == stages.BASE}
    on_head = {one.key: one for one in stages.failures(directory) if one.kernel == stages.HEAD}
    impossible = (one for one in on_base.values() if one.is_certain)
    failed = (one for key, one in on_head.items() if key not in on_base)
    lost = {key: one.why for key, one in on_base.items() if not one.is_certain}
    return _left(impossible), _left(failed), lost


def _left(failures: Iterable[Failure]) -> tuple[Left, ...]:
    return tuple(Left(what=setting_text(*one.key), why=one.why) for one in failures)


_Found = dict[tuple[Key, str], tuple[Cell, str, int]]


def _screened(report: Report, lost: Mapping[Key, str]) -> _Found:
    """Each phase that ran on both kernels, with a changed line that it executed. lost: settings that stay without a
    verdict, as their run on base was lost, each with the reason."""
    found: _Found = {}
    for finding, cell in zip(report.findings, result.cells_of(report, once=True), strict=True):
        if cell.base is not None and cell.head is not None:
            verdict = EQUAL if _is_equal(finding) else NOT_MEASURED
            found[cell.key, cell.phase] = (structs.replace(cell, verdict=verdict), *_line(finding))
        elif cell.key in lost:
            why = f"the run on base was lost, --fresh makes it anew: {lost[cell.key]}"
            found[cell.key, cell.phase] = (structs.replace(cell, reason=why), *_line(finding))
        elif cell.verdict not in (SCREENED, "incomplete"):
            found[cell.key, cell.phase] = (cell, *_line(finding))
    return found


def _differing(report: Report) -> list[Key]:
    """Settings of which a phase differs, largest change first."""
    changes: dict[Key, float] = {}
    for finding in report.findings:
        if finding.change is not None and not _is_equal(finding):
            key = (finding.workload, finding.settings)
            changes[key] = max(changes.get(key, 0.0), abs(finding.change))
    return sorted(changes, key=lambda key: (-changes[key], str(key)))


def _is_equal(finding: Finding) -> bool:
    """True if every round after the warm-up has the same count on both kernels. If a kernel's rounds never settle,
    it has no warm-up."""
    base, head = finding.sides
    settles = not any(_has(side.doubts, "never-settles") for side in finding.sides)
    first = max(len(base.warmup), len(head.warmup)) if settles else 0
    same = base.rounds[first:] == head.rounds[first:]
    return finding.change is not None and finding.evidence != "unstable" and same


def _measured(
    sides: Sides, keys: Sequence[Key], margin: float, directory: Path, tell: Tell, limit: Callable[[Cell], float]
) -> _Found:  # fmt: skip
    asked = stages.experiment("measured", sides, map(use_of, keys), tell, once=False, margin=_MARGIN)
    report = stages.measured(asked, directory, tell)
    report = structs.replace(report, findings=tuple(at_margin(finding, margin) for finding in report.findings))
    rows = zip(report.findings, result.cells_of(report, once=False), strict=True)
    return {(cell.key, cell.phase): (_settled(cell, finding, limit(cell)), *_line(finding)) for finding, cell in rows}


def at_margin(finding: Finding, margin: float) -> Finding:
    """The comparison with the verdict of another margin than that of its experiment. A change that is not larger than
    the difference between runs of one kernel is not decided."""
    if finding.verdict in REFUSED or finding.evidence == "unstable":
        return finding
    judged, before = (judge_counts(*finding.sides, limit, None) for limit in (margin, _MARGIN))
    if doubts := tuple(why for why in finding.reasons if why not in before.reasons):
        judged = weakened(judged, doubts, margin)
    if _has(judged.reasons, "own-runs-apart"):
        judged = structs.replace(judged, verdict="inconclusive")
    return structs.replace(finding, verdict=judged.verdict, reasons=judged.reasons)


def _limit(entry: Limit | None, fail_over: float) -> float:
    """Limit of a phase. entry: the one of the file of limits that covers it."""
    return entry.limit if entry is not None else fail_over


def _has(reasons: Iterable[Reason], code: str) -> bool:
    return any(why.code == code for why in reasons)


def _settled(cell: Cell, finding: Finding, limit: float) -> Cell:
    """A phase of equal steady rounds is equal to the digit, however far apart its perturbed runs lie. One that changes
    by less than they do, and rises by no more than its limit, lies below the floor. Beyond the limit nothing is
    decided. Neither holds if the runs of one kernel disagree, or if its value is not that of all rounds."""
    if _is_equal(finding):
        return structs.replace(cell, verdict=EQUAL, reason="")
    if cell.evidence == "unstable" or _has(finding.reasons, "rounds-otherwise"):
        return cell
    change = cell.change or 0.0
    within = _has(finding.reasons, "own-runs-apart") or (cell.floor is not None and abs(change) <= cell.floor)
    if cell.verdict == "inconclusive" and within and change <= limit:
        return structs.replace(cell, verdict="equivalent", reason="")
    return cell


def _line(finding: Finding) -> tuple[str, int]:
    """A changed line that the setting executed: file and number; ("", 0) if none is known."""
    for part in finding.changed.parts if finding.changed is not None else ():
        if part.executed or part.removed_executed:
            return part.path, part.executed[0] if part.executed else part.line
    return "", 0


def _judged(
    answer: Gate, found: Iterable[tuple[Cell, str, int]], limits: Sequence[Limit], left: Sequence[Key] = (),
    why: str = "",
) -> Gate:  # fmt: skip
    """The answer with its phases. left: settings that differ and are not measured, for the reason `why`."""
    cells = []
    used: list[Limit] = []
    for cell, path, line in found:
        entry = limit_of(cell, limits)
        limit = _limit(entry, answer.fail_over)
        worse = cell.verdict == "regression" and cell.change is not None
        if entry is not None and cell.verdict != "improvement" and _decides(limit, answer.fail_over, cell):
            used.append(entry)
        cells.append(
            GateCell(
                cell=cell, limit=limit, over=worse and (cell.change or 0.0) > limit,
                accepted=entry.reason if entry is not None else "", path=path, line=line,
            )
        )  # fmt: skip
    unused = tuple(limit for limit in limits if limit not in used)
    rest = tuple(Left(what=setting_text(*key), why=why) for key in left)
    return structs.replace(answer, cells=tuple(cells), unused=unused, left=rest)


def _decides(limit: float, usual: float, cell: Cell) -> bool:
    """True if a change passes one of the two limits: its own and the usual one may judge it differently."""
    return abs(cell.change or 0.0) > min(limit, usual)


def exit_status(answer: Gate, allowed: Sequence[str] = ()) -> int:
    """1 if a phase is over its limit. Else 4 if one is refused, failed, not decided or not measured. Else 0.

    allowed: workloads that may have no verdict.
    """
    if answer.over:
        return 1
    open_ = [row.cell.workload for row in answer.cells if row.cell.verdict not in DECIDED]
    open_ += [row.workload for row in (*answer.failed, *answer.left)]
    nothing = not answer.cells and not answer.same_image
    return 4 if nothing or any(workload not in allowed for workload in open_) else 0
