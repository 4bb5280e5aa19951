# SPDX-License-Identifier: GPL-2.0-only
"""What all findings of one timed session have in common: its looks, its controls, its many cells."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from kassay.analysis.families import Held, held
from kassay.analysis.looks import looks
from kassay.analysis.side import build_side
from kassay.analysis.statistics.multiplicity import holm
from kassay.analysis.statistics.planning import threshold
from kassay.analysis.timed import ORDER_DOUBTS, Session, check_control
from kassay.model.experiment import Experiment
from kassay.model.finding import REFUSED, Finding
from kassay.model.machine import MachineUse
from kassay.model.measurement import CellEvidence
from kassay.model.records import Setting
from kassay.model.timing import ControlCheck, Family

_CLOCK_DOUBTS = {"tcg": "emulated time only screens: count with icount, or measure with kvm or host"}

Point = tuple[str, tuple[Setting, ...], MachineUse]


def session_of(experiment: Experiment) -> Session:
    """The looks of an experiment on time, and what its order proves."""
    planned = looks(experiment.repeats)
    doubts = (ORDER_DOUBTS[experiment.order], _CLOCK_DOUBTS.get(experiment.clock, ""))
    return Session(
        looks=planned, threshold=threshold(len(planned)), blocks=experiment.order != "sequential",
        doubts=tuple(doubt for doubt in doubts if doubt),
    )  # fmt: skip


def control_of(first: CellEvidence, phase: str, session: Session) -> ControlCheck | None:
    """The first kernel of a group against its own control boots; None where there are none."""
    controls = tuple(msgspec.structs.replace(m, control=False) for m in first.measurements if m.control)
    if not controls:
        return None
    again = msgspec.structs.replace(first, measurements=controls, failures=(), lost=0, unmade=0)
    base, control = (build_side(item, phase, counts=False, mode=False) for item in (first, again))
    return check_control(base, control, session)


def settle(
    findings: Sequence[Finding], controls: Mapping[Point, ControlCheck], session: Session, *, families: bool
) -> tuple[tuple[Finding, ...], tuple[Family, ...]]:
    """Findings as the session allows them, and what is said of many cells together.

    A kernel that differs from itself voids all of them; a change that does not stand among the other cells is none.
    families: whether cells of one comparison are judged together.
    """
    with_controls = [_with_control(f, controls.get(point(f))) for f in findings]
    result = held(with_controls, session) if families else Held(tuple(with_controls), ())
    void = _void(controls.values(), session)
    settled = tuple(_voided(f, void) for f in result.findings) if void else result.findings
    stopped = decided(settled)
    return tuple(_stopped(f, session) for f in settled) if stopped else settled, result.families


def decided(findings: Iterable[Finding]) -> bool:
    """Whether another boot could change no primary finding: each has a verdict, is refused, or is void."""
    primary = [f for f in findings if f.primary]
    return bool(primary) and all(f.verdict != "inconclusive" or f.evidence == "unstable" for f in primary)


def point(f: Finding) -> Point:
    return f.workload, f.settings, f.machine


def _with_control(f: Finding, control: ControlCheck | None) -> Finding:
    if control is None or f.timing is None:
        return f
    return msgspec.structs.replace(f, timing=msgspec.structs.replace(f.timing, control=control))


def _void(controls: Iterable[ControlCheck], session: Session) -> str:
    """Why the session is void, "" when it is not. Many controls may err together as rarely as one."""
    known = [control for control in controls if control.p is not None]
    rejected = holm([control.p or 0.0 for control in known], session.threshold)
    worst = [control for control, out in zip(known, rejected, strict=True) if out]
    if not worst:
        return ""
    one = max(worst, key=lambda control: abs(control.change or 0.0))
    return f"the session is void: {one.kernel} differs from itself by {one.change or 0.0:+.1%} (p = {one.p:.2g})"


def _voided(f: Finding, reason: str) -> Finding:
    if f.verdict in REFUSED or f.timing is None:
        return f
    return msgspec.structs.replace(f, verdict="inconclusive", evidence="unstable", reasons=(reason, *f.reasons))


def _stopped(f: Finding, session: Session) -> Finding:
    if f.timing is None or f.timing.boots >= session.looks[-1]:
        return f
    return msgspec.structs.replace(f, timing=msgspec.structs.replace(f.timing, stopped=True))
