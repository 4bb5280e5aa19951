# SPDX-License-Identifier: GPL-2.0-only
"""How often whole sessions err: plans, looks, controls, families and ladders together, through analyse() itself.

usage: python -m benchmarks.session_rates [--sessions N] [--cv CV]
Every session is simulated boot by boot (lognormal, with a wandering level and 3 % outliers three times as slow) and
looked at as kassay does until it is decided or at its end. A rate of N sessions has a standard error of
sqrt(rate (1 - rate) / N). All kernels are equal but in the rows that say otherwise. Markdown on stdout.
"""

import argparse
import random
import sys
from collections.abc import Callable
from math import exp
from typing import NamedTuple

from tests.analysis.plans import plan_of

from kassay.analysis.analyse import analyse
from kassay.analysis.planned_looks import looks, within
from kassay.model.guest import PhaseRounds
from kassay.model.plan import Plan, PlannedRun
from kassay.model.report import Comparisons
from kassay.model.run import CellEvidence, Measurement
from kassay.spec.rules import question_of

TICKS = 10_000_000
CHANGES = ("regression", "improvement")
Level = Callable[[int, int], float]


class Case(NamedTuple):
    """level: of (kernel, setting), relative. control: of the first kernel's control boots, relative to its others."""

    name: str
    plan: Plan
    level: Level
    control: float = 1.0


def same(kernel: int, setting: int) -> float:
    return 1.0


def cases() -> tuple[Case, ...]:
    sizes = tuple(n << 30 for n in range(1, 6))
    common: dict[str, object] = {"clock": "kvm", "repeats": 24, "perturb": 0, "margin": 0.02}
    pair, five = plan_of(2, **common), plan_of(2, **common, memory_bytes=sizes)
    ladder = plan_of(5, **common, question="ladder")
    return (
        Case("two kernels", pair, same),
        Case("two kernels, +10 %", pair, lambda kernel, _: 1 + 0.1 * kernel),
        Case("two kernels, control +10 %", pair, same, control=1.1),
        Case("five settings", five, same),
        Case("five settings, one +10 %", five, lambda kernel, setting: 1 + 0.1 * kernel * (setting == 0)),
        Case("five settings, all +5 %", five, lambda kernel, _: 1 + 0.05 * kernel),
        Case("ladder of five", ladder, same),
        Case("ladder of five, +10 % at the third", ladder, lambda kernel, _: 1 + 0.1 * (kernel >= 2)),
    )


def session(case: Case, cv: float, draw: random.Random) -> Comparisons:
    """One session, looked at after each planned number of boots until it is decided."""
    values = _boots(case, cv, draw)
    for look in looks(case.plan.experiment.repeats):
        found = analyse(case.plan, _evidence(case.plan, values, look), question_of(case.plan.experiment))
        if found.decided:
            break
    return found


def _boots(case: Case, cv: float, draw: random.Random) -> dict[str, int]:
    cells = {cell.id: cell for cell in case.plan.cells}
    settings = list(dict.fromkeys(cell.setting_key for cell in case.plan.cells))
    drift, made = 0.0, {}
    for run in case.plan.runs:
        cell = cells[run.cell]
        drift = 0.9 * drift + draw.gauss(0, 0.2 * cv)
        level = case.level(cell.kernel, settings.index(cell.setting_key)) * (case.control if run.control else 1.0)
        stray = 3.0 if draw.random() < 0.03 else 1.0
        made[run.id] = round(TICKS * level * stray * exp(draw.gauss(0, cv) + drift))
    return made


def _evidence(plan: Plan, values: dict[str, int], look: int) -> list[CellEvidence]:
    return [
        CellEvidence(
            cell=cell, kernel=plan.kernels[cell.kernel], label=plan.kernels[cell.kernel].ref, failures=(), lost=0,
            measurements=tuple(
                _measured(run, values) for run in plan.runs if run.cell == cell.id and within(run, look)
            ),
        )
        for cell in plan.cells
    ]  # fmt: skip


UNSOUND = ("kernel-differs-from-itself", "kernels-differ-from-themselves")


def _measured(run: PlannedRun, values: dict[str, int]) -> Measurement:
    ticks = values[run.id]  # rounds of one boot hardly differ; three of them show that the clock is fine enough
    rounds = (ticks, ticks + 1, ticks + 3, ticks - 2, ticks + 7, ticks - 5)
    return Measurement(
        run=run.id, repeat=run.repeat, perturbation=0, block=run.block, control=run.control, ns_per_tick=1.0,
        phases=(PhaseRounds(phase="iteration", operations=1, ticks=rounds),), before=(), after=(), requirements=(),
        foreign_ns=(), region_ns=1,
    )  # fmt: skip


def row(case: Case, cv: float, sessions: int) -> list[str]:
    """Shares of sessions: void; with a change named where there is none; with every true one named; and boots."""
    void = false = found = boots = 0
    for number in range(sessions):
        result = session(case, cv, random.Random(f"{case.name}/{number}"))
        named = [f for f in result.findings if f.primary and f.verdict in CHANGES]
        true = [f for f in result.findings if f.primary and _differs(case, f.machine.memory_bytes or 0, f.base, f.head)]
        void += any(reason.code in UNSOUND for f in result.findings for reason in f.reasons)
        false += any(f not in true for f in named)
        found += bool(true) and all(f in named for f in true if _next_to(case, f.base, f.head))
        boots += result.look or 0
    true_share = f"{found / sessions:.1%}" if found or "%" in case.name.partition("control")[0] else "-"
    return [case.name, f"{void / sessions:.1%}", f"{false / sessions:.1%}", true_share, f"{boots / sessions:.1f}"]


def _differs(case: Case, memory: int, base: str, head: str) -> bool:
    refs = [kernel.ref for kernel in case.plan.kernels]
    setting = list(case.plan.experiment.memory_bytes).index(memory)
    return case.level(refs.index(base), setting) != case.level(refs.index(head), setting)


def _next_to(case: Case, base: str, head: str) -> bool:
    refs = [kernel.ref for kernel in case.plan.kernels]
    return refs.index(head) - refs.index(base) == 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=400)
    parser.add_argument("--cv", type=float, default=0.05)
    asked = parser.parse_args()
    print(f"{asked.sessions} sessions each, boots scatter by {asked.cv:.0%}")
    print("\n| session | void | a change named that is none | every true change named | boots per kernel |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for case in cases():
        print(f"session_rates: {case.name}", file=sys.stderr)
        print(f"| {' | '.join(row(case, asked.cv, asked.sessions))} |", flush=True)


if __name__ == "__main__":
    main()
