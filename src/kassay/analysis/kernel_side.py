# SPDX-License-Identifier: GPL-2.0-only
"""One kernel's side of a comparison: its runs as costs per operation, with their doubts."""

from statistics import median

from msgspec import UNSET

from kassay.analysis.gate import rules
from kassay.analysis.rounds import Method, Summary, costs, phase_rounds, run_value, scale, summarise
from kassay.model.finding import Side
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence, Measurement
from kassay.supply.clocks import clock_of


def build_side(evidence: CellEvidence, phase: str, by: Method) -> Side:
    """Costs per operation of one phase, in the clock's unit. by: method_of() all sides of the comparison.

    value is the first plain run's where counts are exact (all plain runs must agree; see repeats_agree), else the
    median of the plain runs'; None without a plain run.
    """
    clock, plain = clock_of(evidence.cell.machine.clock), [m for m in evidence.measurements if m.plain]
    values = tuple(run_value(m, phase, by) for m in plain)
    first = phase_rounds(plain[0], phase) if plain else None
    summary = summarise(costs(first), by) if first else None
    rounds = tuple(t * scale(plain[0], first) for t in costs(first)) if first else ()
    return Side(
        kernel=evidence.label,
        value=(median(values) if clock.timed else values[0]) if values else None,
        method=summary.method if summary else "no run succeeded",
        runs=values,
        perturbed=tuple(run_value(m, phase, by) for m in evidence.measurements if m.perturbation),
        rounds=rounds,
        warmup=rounds[: summary.warmup] if summary else (),
        failed=evidence.lost,
        unmade=evidence.unmade,
        doubts=(*_doubts(plain, summary), *_doubts_of_rules(evidence)),
        chosen=summary.chosen if summary else (),
        contexts=_contexts(plain),
        blocks=tuple(m.block for m in plain) if clock.timed else (),
        failed_tries=len(evidence.failures),
        hosts=tuple(m.host for m in plain) if clock.depends_on_host and any(m.host for m in plain) else UNSET,
    )


def _contexts(plain: list[Measurement]) -> tuple[tuple[str, float], ...]:
    """Contexts that ran in the measured region, as shares of its instructions. Empty without a usable profile."""
    counts = next((m.region.counts for m in plain if m.region is not None and not m.region.problem), ())
    total = sum(count for _, count in counts)
    return tuple((context, count / total) for context, count in counts) if total else ()


def _doubts(plain: list[Measurement], summary: Summary | None) -> tuple[Reason, ...]:
    """Reasons why this side's evidence is weaker than the strongest, apart from the number of runs."""
    doubts = []
    if summary is not None and not summary.settled:
        doubts.append(reason("never-settles"))
    blind = [m for m in plain if m.region is None or m.region.problem]
    if any(m.foreign_ns is None or m.tasks_left_out for m in blind):
        doubts.append(reason("others-not-known"))
    return tuple(doubts)


def _doubts_of_rules(evidence: CellEvidence) -> tuple[Reason, ...]:
    """Doubts of the gate's rules: defects for which they do not refuse a comparison."""
    return tuple(doubt for rule in rules() if (doubt := rule.doubt(evidence)) is not None)


def repeats_agree(evidence: CellEvidence) -> Reason | None:
    """None when every plain run has the same count in every round of every phase; else what differs.

    A difference is a defect of the instrument, not noise.
    """
    plain = [m for m in evidence.measurements if m.plain]
    for other in plain[1:]:
        for phase in plain[0].phases:
            ticks = phase_rounds(other, phase.phase).ticks
            for index, (a, b) in enumerate(zip(phase.ticks, ticks, strict=True), start=1):
                if a != b:
                    return reason(
                        "repeats-disagree", evidence.label, phase=phase.phase, round=index, count=a, run=plain[0].run,
                        other_count=b, other_run=other.run,
                    )  # fmt: skip
    return None
