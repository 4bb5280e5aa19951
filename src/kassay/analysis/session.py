# SPDX-License-Identifier: GPL-2.0-only
"""The common part of all findings of one timed session: its looks, its controls, and its many cells together."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import NamedTuple

import msgspec

from kassay.analysis.kernel_side import build_side
from kassay.analysis.planned_looks import looks
from kassay.analysis.statistics.blocked import Boot
from kassay.analysis.statistics.multiplicity import benjamini_hochberg, holm, pooled
from kassay.analysis.statistics.planning import threshold
from kassay.analysis.timed import ORDER_DOUBTS, Session, boots_of, check_control
from kassay.model.experiment import Experiment
from kassay.model.finding import CHANGES, REFUSED, Finding
from kassay.model.machine import Point
from kassay.model.reason import Reason, reason
from kassay.model.records import grouped
from kassay.model.run import CellEvidence
from kassay.model.timing import ControlCheck, Family
from kassay.supply.clocks import clock_of


class JudgedTogether(NamedTuple):
    """Findings as they stand among their cells, and one family for each comparison of several cells."""

    findings: tuple[Finding, ...]
    families: tuple[Family, ...]


def judged_together(findings: Sequence[Finding], session: Session) -> JudgedTogether:
    """Judges the primary findings of one base and head together, whatever their workloads; a single one stays as it is.
    The settings of one workload are a family."""
    tested = [
        index for index, f in enumerate(findings) if f.primary and f.timing is not None and f.timing.p is not None
    ]
    changed = list(findings)
    for members in grouped((findings[index].kernels, index) for index in tested).values():
        if len(members) > 1:
            standing = _standing([findings[index] for index in members], session)
            for index, word in zip(members, standing, strict=True):
                changed[index] = _placed(findings[index], word, len(members))
    groups = grouped(((f.workload, f.metric, *f.kernels), f) for f in (changed[index] for index in tested))
    families = (_family(cells, session) for cells in groups.values() if len(cells) > 1)
    return JudgedTogether(tuple(changed), tuple(families))


def _standing(cells: Sequence[Finding], session: Session) -> list[str]:
    """One word of STANDING for each cell. Its p is held against the level of a look, as that of a single cell is."""
    ps = [f.timing.p for f in cells if f.timing is not None and f.timing.p is not None]
    first = holm(ps, session.threshold)
    second = benjamini_hochberg(ps, session.threshold)
    standings = []
    for f, sure, likely in zip(cells, first, second, strict=True):
        word = "confirmed" if sure else "candidate" if likely else "alone"
        standings.append(word if f.verdict in CHANGES else "")
    return standings


def _placed(f: Finding, word: str, settings: int) -> Finding:
    """The finding with its standing; one that stands alone has no verdict."""
    if word != "alone" or f.timing is None:
        return msgspec.structs.replace(f, standing=word)
    lost = reason("lost-among-settings", p=f.timing.p, settings=settings)
    return msgspec.structs.replace(
        f, standing=word, verdict="inconclusive", evidence="partial", reasons=(lost, *f.reasons)
    )


def _family(cells: Sequence[Finding], session: Session) -> Family:
    first, standing = cells[0], [f.standing for f in cells]
    p, shift, interval = pooled([boots_of(*f.sides, session) for f in cells], session.threshold)
    changes = [f.change for f in cells if f.change is not None]
    return Family(
        workload=first.workload, metric=first.metric, base=first.sides[0].kernel, head=first.sides[1].kernel,
        cells=len(cells), change=exp(shift) - 1,
        interval=None if interval is None else (exp(interval[0]) - 1, exp(interval[1]) - 1), p=p,
        smallest=min(changes), largest=max(changes),
        confirmed=standing.count("confirmed"), candidates=standing.count("confirmed") + standing.count("candidate"),
    )  # fmt: skip


class Control(NamedTuple):
    """The first kernel of a group against its own control boots."""

    check: ControlCheck | None
    """Result of the check; None if no difference could show."""
    boots: tuple[Boot, ...] = ()


def session_of(experiment: Experiment, look: int | None) -> Session:
    """The looks of an experiment on time, and what its order proves. look: the one at hand, None before the first."""
    planned = looks(experiment.repeats)
    of_order, of_clock = ORDER_DOUBTS[experiment.order], clock_of(experiment.clock).doubt
    doubts = (of_order, reason("clock-doubt", text=of_clock) if of_clock else None)
    return Session(
        looks=planned, threshold=threshold(len(planned)), blocks=experiment.order != "sequential",
        doubts=tuple(doubt for doubt in doubts if doubt), look=look, control=experiment.controlled,
    )  # fmt: skip


def control_of(first: CellEvidence, phase: str, session: Session) -> Control:
    """The first kernel of a group against its own control boots."""
    controls = tuple(msgspec.structs.replace(m, control=False) for m in first.measurements if m.control)
    again = msgspec.structs.replace(first, measurements=controls, failures=(), lost=0, unmade=0)
    base, control = (build_side(item, phase, "median") for item in (first, again))
    check = check_control(base, control, session)
    return Control(check, tuple(boots_of(base, control, session)) if check is not None else ())


def judge_session(
    findings: Sequence[Finding], controls: Mapping[Point, Control], session: Session, *, families: bool
) -> tuple[tuple[Finding, ...], tuple[Family, ...]]:
    """Findings as the session allows them, and what is said of many cells together.

    No verdict stands when a kernel differs from itself; a change that does not stand among the other cells is none.
    families: whether cells of one comparison are judged together.
    """
    checked = [_with_control(f, controls.get(f.point), session) for f in findings]
    if unsound := unsoundness(tuple(controls.values()), session):
        return tuple(_unsound(f, unsound) for f in checked), ()
    result = judged_together(checked, session) if families else JudgedTogether(tuple(checked), ())
    if decided(result.findings):
        return tuple(_stopped(f, session) for f in result.findings), result.families
    return tuple(_provisional(f, session, result.findings) for f in result.findings), result.families


def decided(findings: Iterable[Finding]) -> bool:
    """True if another boot could change no primary finding: each is refused, unsound, or has a verdict that stands."""
    primary = [f for f in findings if f.primary]
    return bool(primary) and all(
        (f.verdict != "inconclusive" and f.standing != "candidate") or f.evidence == "unstable" for f in primary
    )


def unsoundness(controls: Sequence[Control], session: Session) -> Reason | None:
    """Reason why the session proves nothing. None if it may prove something.

    Several controls share the level. One half is for all of them pooled, which may show at the first look what no
    single control can; the other half is for the worst of them.
    """
    checked = [control for control in controls if control.check is not None]
    level = session.threshold / (2 if len(checked) > 1 else 1)
    rejected = holm([control.check.p or 0.0 for control in checked if control.check is not None], level)
    worst = [control.check for control, out in zip(checked, rejected, strict=True) if out and control.check is not None]
    if worst:
        check = max(worst, key=lambda check: abs(check.change or 0.0))
        return reason("kernel-differs-from-itself", which=check.kernel, change=check.change or 0.0, p=check.p)
    if len(checked) > 1:
        p, shift, _ = pooled([control.boots for control in checked], level)
        if p <= level:
            return reason("kernels-differ-from-themselves", change=exp(shift) - 1, p=p)
    return None


def _with_control(f: Finding, control: Control | None, session: Session) -> Finding:
    if f.timing is None or f.timing.p is None or not session.control:
        return f
    if control is not None and control.check is not None:
        return msgspec.structs.replace(f, timing=msgspec.structs.replace(f.timing, control=control.check))
    return msgspec.structs.replace(f, evidence="partial", reasons=(*f.reasons, reason("control-missing")))


def _unsound(f: Finding, why: Reason) -> Finding:
    if f.verdict in REFUSED or f.timing is None:
        return f
    return msgspec.structs.replace(f, verdict="inconclusive", evidence="unstable", reasons=(why, *f.reasons))


def _stopped(f: Finding, session: Session) -> Finding:
    if f.timing is None or session.look is None or session.look >= session.looks[-1]:
        return f
    return msgspec.structs.replace(f, timing=msgspec.structs.replace(f.timing, stopped=True))


def _provisional(f: Finding, session: Session, findings: Sequence[Finding]) -> Finding:
    """With several questions, a change that an early look shows may be gone at the next one: it is provisional."""
    if session.look is None or session.look >= session.looks[-1] or sum(finding.primary for finding in findings) < 2:
        return f
    if f.verdict not in CHANGES or not f.primary:
        return f
    goes_on = reason("provisional", most=session.looks[-1])
    return msgspec.structs.replace(f, evidence="partial", reasons=(*f.reasons, goes_on))
