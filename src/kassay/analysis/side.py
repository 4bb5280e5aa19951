# SPDX-License-Identifier: GPL-2.0-only
"""One kernel's side of a comparison: its runs as costs per operation."""

from collections.abc import Iterable
from statistics import median

from kassay.analysis.gate.quiet_region import disturbed
from kassay.analysis.rounds import Summary, has_mode, summarise
from kassay.model.finding import Side
from kassay.model.guest import PhaseRounds
from kassay.model.measurement import CellEvidence, Measurement


def build_side(evidence: CellEvidence, phase: str, *, counts: bool, mode: bool) -> Side:
    """Costs per operation of one phase; instructions for counts, else ns. mode: how rounds become a number.

    value is the first plain run's under exact counts (all plain runs must agree; see
    repeats_agree) and the median of the plain runs' under a clock; None without a plain run.
    """
    plain = [m for m in evidence.measurements if m.plain]
    values = tuple(run_value(m, phase, mode=mode) for m in plain)
    first = phase_rounds(plain[0], phase) if plain else None
    summary = summarise(first.ticks, mode=mode) if first else None
    rounds = tuple(t * _scale(plain[0], first) for t in first.ticks) if first else ()
    return Side(
        kernel=evidence.label,
        value=(values[0] if counts else median(values)) if values else None,
        method=summary.method if summary else "no run succeeded",
        runs=values,
        perturbed=tuple(run_value(m, phase, mode=mode) for m in evidence.measurements if m.perturbation),
        rounds=rounds,
        warmup=rounds[: summary.warmup] if summary else (),
        failed=evidence.lost,
        unmade=evidence.unmade,
        doubts=(*_doubts(plain, summary), *(() if counts else _disturbed(evidence.cell.machine.clock, plain))),
        chosen=summary.chosen if summary else (),
        contexts=_contexts(plain),
        blocks=() if counts else tuple(m.block for m in plain),
        failed_tries=len(evidence.failures),
    )


def _contexts(plain: list[Measurement]) -> tuple[tuple[str, float], ...]:
    """What ran in the measured region, as shares of its instructions; nothing without a usable profile."""
    counts = next((m.region.counts for m in plain if m.region is not None and not m.region.problem), ())
    total = sum(count for _, count in counts)
    return tuple((context, count / total) for context, count in counts) if total else ()


def _doubts(plain: list[Measurement], summary: Summary | None) -> tuple[str, ...]:
    """What keeps this side's evidence from the strongest word, apart from the number of runs."""
    found = []
    if summary is not None and not summary.settled:
        found.append("its rounds never settle: half of them differ from the other half")
    if any(m.foreign_ns is None and (m.region is None or m.region.problem) for m in plain):
        found.append("whether other tasks ran in the region is not known")
    return tuple(found)


def _disturbed(clock: str, plain: list[Measurement]) -> tuple[str, ...]:
    """Timed boots in which other tasks ran, when these are too few to refuse the comparison."""
    dirty = [] if clock == "host" else disturbed(plain)
    return (f"other tasks ran in the measured part of {len(dirty)} of {len(plain)} boots",) if dirty else ()


def all_have_mode(group: Iterable[CellEvidence], phase: str) -> bool:
    """Whether every run of every kernel of a comparison has a mode in this phase."""
    return all(has_mode(phase_rounds(m, phase).ticks) for item in group for m in item.measurements)


def run_value(measurement: Measurement, phase: str, *, mode: bool) -> float:
    """Cost per operation of one run."""
    rounds = phase_rounds(measurement, phase)
    return summarise(rounds.ticks, mode=mode).ticks * _scale(measurement, rounds)


def repeats_agree(evidence: CellEvidence) -> str | None:
    """None when every plain run has the same count in every round of every phase; else what differs.

    Under icount a difference is a defect of the instrument, not noise.
    """
    plain = [m for m in evidence.measurements if m.plain]
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
