# SPDX-License-Identifier: GPL-2.0-only
"""One kernel's side of a comparison: its runs as costs per operation."""

from kassay.analysis.rounds import summarise
from kassay.model.finding import Side
from kassay.model.guest import PhaseRounds
from kassay.model.measurement import CellEvidence, Measurement


def build_side(evidence: CellEvidence, phase: str, *, counts: bool) -> Side:
    """Costs per operation of one phase; instructions for counts, else ns.

    value is the first plain run's under exact counts (all plain runs must agree; see
    repeats_agree) and the median of the plain runs' under a clock; None without a plain run.
    """
    plain = [m for m in evidence.measurements if m.perturbation == 0]
    values = tuple(run_value(m, phase, counts=counts) for m in plain)
    first = phase_rounds(plain[0], phase) if plain else None
    summary = summarise(first.ticks, counts=counts) if first else None
    rounds = tuple(t * _scale(plain[0], first) for t in first.ticks) if first else ()
    return Side(
        kernel=evidence.label,
        value=(values[0] if counts else _median(values)) if values else None,
        method=summary.method if summary else "no run succeeded",
        runs=values,
        perturbed=tuple(run_value(m, phase, counts=counts) for m in evidence.measurements if m.perturbation),
        rounds=rounds,
        warmup=rounds[: summary.warmup] if summary else (),
        failed=evidence.lost,
    )


def run_value(measurement: Measurement, phase: str, *, counts: bool) -> float:
    """Cost per operation of one run."""
    rounds = phase_rounds(measurement, phase)
    return summarise(rounds.ticks, counts=counts).ticks * _scale(measurement, rounds)


def repeats_agree(evidence: CellEvidence) -> str | None:
    """None when every plain run has the same count in every round of every phase; else what differs.

    Under icount a difference is a defect of the instrument, not noise.
    """
    plain = [m for m in evidence.measurements if m.perturbation == 0]
    for other in plain[1:]:
        for phase in plain[0].phases:
            ticks = phase_rounds(other, phase.phase).ticks
            for index, (a, b) in enumerate(zip(phase.ticks, ticks, strict=True), start=1):
                if a != b:
                    where = f"{phase.phase}, round {index}"
                    return f"{evidence.label}: {where}: {a} instructions in {plain[0].run}, {b} in {other.run}"
    return None


def phase_rounds(measurement: Measurement, phase: str) -> PhaseRounds:
    """The rounds of one phase, which analyse() has seen to be there."""
    return next(p for p in measurement.phases if p.phase == phase)


def _scale(measurement: Measurement, rounds: PhaseRounds) -> float:
    # Under icount a nanosecond of guest time is one instruction, so this serves counts and times alike.
    return measurement.ns_per_tick / rounds.operations


def _median(values: tuple[float, ...]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
