# SPDX-License-Identifier: GPL-2.0-only
"""Programs whose amount of work may depend on time: rounds that differ, timers, and the start and the end of each."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from kassay.analysis.own_work import own_spreads, timers
from kassay.model.finding import Finding
from kassay.model.run import CellEvidence, Measurement
from tests.analysis.sides import evidence
from tests.analysis.works import CALL, PAGE_FAULT, USER, Items, changed, did, two

LOOP: Items = {(CALL, "mmap"): (57, 260_000), (PAGE_FAULT, "page fault"): (936, 5_100_000), (USER, ""): (22_600, 0)}
END: Items = {**LOOP, (CALL, "exit_group"): (1, 400_000)}


def of_rounds(
    operations: Sequence[int], repeat: int, *, items: Items = LOOP, scale: float = 1.0, region: bool = False,
    printed: bool = False,
) -> Measurement:  # fmt: skip
    """A run whose rounds do so many operations; items has the work of 57. A kind that is done once stays once."""
    made = did(items, rounds=len(operations), repeat=repeat, perturbation=repeat // 2, region=region)
    (phase,), work = made.phases, made.work
    assert work is not None
    grown = []
    for item in work.items:
        parts = [1.0 if item.times[0] == 1 else count / 57 for count in operations]
        times = tuple(round(item.times[0] * part) for part in parts)
        counts = tuple(round(scale * item.counts[0] * part) for part in parts) if item.counts else ()
        grown.append(structs.replace(item, times=times, counts=counts))
    ticks = tuple(sum((item.counts or item.times)[n] for item in grown) for n in range(len(operations)))
    phase = structs.replace(phase, ticks=ticks)
    if printed:
        phase = structs.replace(phase, printed=tuple(operations), operations=1)
    return structs.replace(made, phases=(phase,), work=structs.replace(work, items=tuple(grown)))


def compared(base: Sequence[int], head: Sequence[int], scale: float, *, region: bool = False) -> Finding:
    sides = [
        evidence(ref, *(of_rounds(rounds, n, scale=factor, region=region) for n in range(3)), index=index)
        for index, (ref, rounds, factor) in enumerate((("6.12", base, 1.0), ("7.3", head, scale)))
    ]
    return two(*sides)


MOSTLY_57 = (58, 57, 57, 56, 57, 57, 58, 57, 57, 56, 57, 57)


@pytest.mark.parametrize(
    ("rounds", "scale", "verdict"),
    [
        (MOSTLY_57, 1.014, "different-work"),  # as many as the rounds differ by
        (MOSTLY_57, 1.08, "regression"),
        ((58, *[57] * 10, 56), 1.014, "regression"),  # one round each, of which no mode is made
    ],
)
def test_rounds_that_differ_in_their_work_are_no_verdict_on_less(
    rounds: Sequence[int], scale: float, verdict: str
) -> None:
    finding = compared(rounds, [57] * 12, scale)
    assert finding.verdict == verdict
    if verdict == "different-work":
        (why,) = finding.reasons
        assert (why.code, why["low"], why["high"]) == ("work-by-chance", "920", "936")


def test_rounds_of_a_region_may_do_other_work_each() -> None:
    assert compared(MOSTLY_57, MOSTLY_57, 1.014, region=True).verdict == "regression"


def test_a_mean_of_rounds_is_as_steady_as_those_of_its_halves() -> None:
    side = evidence("6.12", *(of_rounds((58, 57, 56, 55) * 6, n) for n in range(3)))
    several = structs.replace(side, cell=structs.replace(side.cell, machine=structs.replace(side.cell.machine, cpus=4)))
    assert [sum(spread.share for spread in own_spreads(one)) > 0.01 for one in (side, several)] == [True, False]


def printing(ref: str, items: Items, index: int) -> CellEvidence:
    """Rounds that print one operation more, every second time."""
    return evidence(ref, *(of_rounds((57, 58, 57, 58), n, items=items, printed=True) for n in range(3)), index=index)


@pytest.mark.parametrize(
    ("end", "touch", "verdict"),
    [
        (480_000, 5_100_000, "inconclusive"),  # the end alone costs more
        (480_000, 5_400_000, "regression"),  # both do
        (300_000, 5_200_000, "inconclusive"),  # the end hides what an operation costs more
    ],
)
def test_the_end_of_a_program_is_no_cost_of_its_operations(end: int, touch: int, verdict: str) -> None:
    head = changed(END, exit_group=(1, end), fault=(936, touch))
    finding = two(printing("6.12", END, 0), printing("7.3", head, 1))
    (why,) = (why for why in finding.reasons if why.code == "fixed-in-value")
    assert (finding.verdict, finding.evidence, why["calls"]) == (verdict, "partial", "exit_group()")
    rest = (touch - 5_100_000) / sum(count or times for times, count in LOOP.values())
    assert why["rest"] == pytest.approx(rest, rel=1e-4)


@pytest.mark.parametrize(
    ("calls", "named"),
    [
        (("setitimer",), None),  # a watchdog, which does not fire
        (("setitimer", "rt_sigreturn"), "setitimer()"),
        (("nanosleep",), None),  # the only task sleeps
        (("nanosleep", "clone"), "nanosleep()"),
    ],
)
def test_a_program_that_a_timer_may_end_is_no_exact_evidence(calls: Sequence[str], named: str | None) -> None:
    items = changed(LOOP, **dict.fromkeys(calls, (1, 900)))
    sides = [evidence(ref, *(did(items, repeat=n, perturbation=n // 2) for n in range(3)), index=index)
             for index, ref in enumerate(("6.12", "7.3"))]  # fmt: skip
    finding = two(*sides)
    assert (finding.verdict, finding.evidence) == ("equivalent", "partial" if named else "exact")
    assert timers(sides) == named and [why["timers"] for why in finding.reasons if why.code == "timer-may-end"] == (
        [named] if named else []
    )
