# SPDX-License-Identifier: GPL-2.0-only
"""What all findings of one timed session have in common: its looks, its controls, its many cells."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import NamedTuple

import msgspec

from kassay.analysis.families import Held, held
from kassay.analysis.looks import looks
from kassay.analysis.side import build_side
from kassay.analysis.statistics.blocked import Boot
from kassay.analysis.statistics.multiplicity import holm, pooled
from kassay.analysis.statistics.planning import threshold
from kassay.analysis.timed import ORDER_DOUBTS, Session, boots_of, check_control
from kassay.clocks import clock_of
from kassay.model.experiment import Experiment
from kassay.model.finding import CHANGES, REFUSED, Finding
from kassay.model.measurement import CellEvidence
from kassay.model.point import Point
from kassay.model.timing import ControlCheck, Family


class Control(NamedTuple):
    """The first kernel of a group against its own control boots. check: None when no difference could show."""

    check: ControlCheck | None
    boots: tuple[Boot, ...] = ()


def session_of(experiment: Experiment, look: int | None) -> Session:
    """The looks of an experiment on time, and what its order proves. look: the one at hand, None before the first."""
    planned = looks(experiment.repeats)
    doubts = (ORDER_DOUBTS[experiment.order], clock_of(experiment.clock).doubt)
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


def settle(
    findings: Sequence[Finding], controls: Mapping[Point, Control], session: Session, *, families: bool
) -> tuple[tuple[Finding, ...], tuple[Family, ...]]:
    """Findings as the session allows them, and what is said of many cells together.

    A kernel that differs from itself voids all of them; a change that does not stand among the other cells is none.
    families: whether cells of one comparison are judged together.
    """
    checked = [_with_control(f, controls.get(f.point), session) for f in findings]
    if reason := void(tuple(controls.values()), session):
        return tuple(_voided(f, reason) for f in checked), ()
    result = held(checked, session) if families else Held(tuple(checked), ())
    if decided(result.findings):
        return tuple(_stopped(f, session) for f in result.findings), result.families
    return tuple(_provisional(f, session, result.findings) for f in result.findings), result.families


def decided(findings: Iterable[Finding]) -> bool:
    """Whether another boot could change no primary finding: each has a verdict that stands, is refused, or is void."""
    primary = [f for f in findings if f.primary]
    return bool(primary) and all(_stands(f) or f.evidence == "unstable" for f in primary)


def _stands(f: Finding) -> bool:
    return f.verdict != "inconclusive" and f.standing != "candidate"


def void(controls: Sequence[Control], session: Session) -> str:
    """Why the session is void, "" when it is not.

    Several controls share the level: one half is for all of them together, which shows at the first look what no
    single one can; the other for the worst of them.
    """
    known = [control for control in controls if control.check is not None]
    level = session.threshold / (2 if len(known) > 1 else 1)
    rejected = holm([control.check.p or 0.0 for control in known if control.check is not None], level)
    worst = [control.check for control, out in zip(known, rejected, strict=True) if out and control.check is not None]
    if worst:
        one = max(worst, key=lambda check: abs(check.change or 0.0))
        return f"the session is void: {one.kernel} differs from itself by {one.change or 0.0:+.1%} (p = {one.p:.2g})"
    if len(known) > 1:
        p, shift, _ = pooled([control.boots for control in known], level)
        if p <= level:
            change = exp(shift) - 1
            return f"the session is void: over all settings a kernel differs from itself by {change:+.1%} (p = {p:.2g})"
    return ""


def _with_control(f: Finding, control: Control | None, session: Session) -> Finding:
    if f.timing is None or f.timing.p is None or not session.control:
        return f
    if control is not None and control.check is not None:
        return msgspec.structs.replace(f, timing=msgspec.structs.replace(f.timing, control=control.check))
    reason = "the boots that would hold the first kernel against itself failed, or are too few to show a difference"
    return msgspec.structs.replace(f, evidence="partial", reasons=(*f.reasons, reason))


def _voided(f: Finding, reason: str) -> Finding:
    if f.verdict in REFUSED or f.timing is None:
        return f
    return msgspec.structs.replace(f, verdict="inconclusive", evidence="unstable", reasons=(reason, *f.reasons))


def _stopped(f: Finding, session: Session) -> Finding:
    if f.timing is None or session.look is None or session.look >= session.looks[-1]:
        return f
    return msgspec.structs.replace(f, timing=msgspec.structs.replace(f.timing, stopped=True))


def _provisional(f: Finding, session: Session, findings: Sequence[Finding]) -> Finding:
    """Of several questions some look different at every look: what is said before the end is not the answer."""
    if session.look is None or session.look >= session.looks[-1] or sum(one.primary for one in findings) < 2:
        return f
    if f.verdict not in CHANGES or not f.primary:
        return f
    reason = (
        f"provisional: the session goes on, to at most {session.looks[-1]} boots a side, for what is not decided yet"
    )
    return msgspec.structs.replace(f, evidence="partial", reasons=(*f.reasons, reason))
