# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a function comes from the blocks that were executed: who counts, in which context, and what stays
open."""

import pytest

from kassay.errors import BadInput
from kassay.evidence.profile.functions import executions, profile_of, summary_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profile.totals import OtherTasks
from kassay.model.guest import GuestReport
from kassay.model.profile import NO_SYMBOL, FunctionCost, Profile
from tests.profile.files import INVLPG, KERNEL, LOCKED, NOP, REP_MOVSB, RET, File, report, symbols

ALPHA, BETA = KERNEL, KERNEL + 0x10
TWO = symbols((ALPHA, 0x10, "alpha"), (BETA, 0x10, "beta"))


def profile(file: File, ticks: GuestReport, table: Symbols = TWO, rounds: tuple[int, ...] = (0,)) -> Profile:
    return profile_of(parse(file.bytes()), table, ticks, phase="work", rounds=rounds, kernel="k", run="r")


def costs(found: Profile) -> dict[tuple[str, str], tuple[int, int, int]]:
    """(function, context) -> instructions, iterations, calls."""
    return {(f.function, f.context): (f.instructions, f.iterations, f.calls) for f in found.functions}


def test_a_block_costs_its_instructions_each_time_it_begins() -> None:
    file = File()
    block = file.block(ALPHA, NOP, LOCKED, INVLPG, RET)
    file.count(block, 7)
    found = profile(file, report(28))
    assert found.functions == (
        FunctionCost(
            function="alpha", place="kernel", context="kernel", instructions=28, calls=7, atomics=7, tlb=7
        ),
    )  # fmt: skip
    assert (found.ticks, found.operations, found.unresolved, found.idle, found.problem) == (28, 10, 0, 0, "")


def test_a_stop_takes_away_what_follows_it() -> None:
    file = File()
    block = file.block(ALPHA, NOP, LOCKED, NOP, RET)
    file.count(block, 7)
    file.count(file.stop(block, 0), 2)  # 8 instructions less, and 2 entries
    file.count(file.stop(block, 1), 1)  # 3 less, the locked one among them
    file.count(file.stop(block, 3), 1)  # 1 less
    found = profile(file, report(16))
    assert costs(found) == {("alpha", "kernel"): (16, 0, 5)}
    assert found.functions[0].atomics == 4
    assert found.problem == ""


def test_iterations_are_no_instructions_and_no_calls() -> None:
    file = File()
    first, again = file.block(ALPHA, REP_MOVSB, RET), file.block(ALPHA, REP_MOVSB)
    file.count(first, 3)
    file.count(again, 40)
    file.count(file.iteration(again), 38)
    found = profile(file, report(46))
    assert costs(found) == {("alpha", "kernel"): (8, 38, 5)}
    assert found.problem == ""


def test_a_block_over_two_functions_is_shared_by_address() -> None:
    file = File()
    block = file.block(BETA - 3, NOP, NOP, NOP, LOCKED, RET)
    file.count(block, 5)
    file.count(file.stop(block, 4), 2)
    found = profile(file, report(23))
    assert costs(found) == {("alpha", "kernel"): (15, 0, 0), ("beta", "kernel"): (8, 0, 5)}
    assert {f.function: f.atomics for f in found.functions} == {"alpha": 0, "beta": 5}
    assert found.problem == ""


def test_code_beside_all_functions_has_no_symbol() -> None:
    file = File()
    file.count(file.block(BETA + 0xE, NOP, NOP, NOP, RET), 2)
    file.count(file.block(0x401000, NOP), 3)
    assert costs(profile(file, report(11))) == {
        ("beta", "kernel"): (4, 0, 0), (NO_SYMBOL, "kernel"): (4, 0, 0), (NO_SYMBOL, "user"): (3, 0, 0),
    }  # fmt: skip


def test_contexts_are_apart() -> None:
    file = File()
    block, user = file.block(ALPHA, NOP), file.block(0x401000, NOP)
    for slot, count in enumerate((1, 20, 300, 4000)):
        file.count(block, count, slot=slot)
        file.count(user, 5 * count, slot=slot)
    found = profile(file, report(6 * 4321))
    sums = {(f.place, f.context): f.instructions for f in found.functions}
    assert sums == {
        ("kernel", "kernel"): 1, ("program", "user"): 5,
        ("kernel", "interrupt"): 20, ("program", "interrupt"): 100,
        ("kernel", "other"): 300, ("program", "other"): 1500,
        ("kernel", "idle"): 4000, ("program", "idle"): 20000,
    }  # fmt: skip


def test_only_the_chosen_rounds_and_the_phase_count() -> None:
    file = File(rounds=4, intervals=3)
    block = file.block(ALPHA, NOP)
    for number in (1, 2, 4):
        file.count(block, 10**number, round=number, slot=0)
        file.count(block, 7, round=number, slot=4)
        file.count(block, 9, round=number, slot=8)
    ticks = report(10, 100, 0, 10000, intervals=("work", "-"))
    found = profile(file, ticks, rounds=(1, 3))
    assert costs(found) == {("alpha", "kernel"): (10100, 0, 10100)}
    assert (found.ticks, found.operations, found.rounds, found.problem) == (10100, 20, (1, 3), "")


def test_the_whole_iteration_spans_its_phases() -> None:
    file = File(intervals=3)
    block = file.block(ALPHA, NOP)
    file.count(block, 3, slot=0)
    file.count(block, 4, slot=4)
    file.count(block, 50, slot=8)
    ticks = report(7, intervals=("work", "back", "iteration"))
    ticks = GuestReport(**{**{f: getattr(ticks, f) for f in ticks.__struct_fields__}, "intervals": ("work", "back")})
    found = profile_of(parse(file.bytes()), TWO, ticks, phase="iteration", rounds=(0,), kernel="k", run="r")
    assert (costs(found), found.problem) == ({("alpha", "kernel"): (7, 0, 7)}, "")


def test_a_block_left_at_an_unknown_place_leaves_its_instructions_open() -> None:
    file = File()
    block = file.block(ALPHA, NOP, NOP, NOP, RET)
    file.count(block, 5)
    file.count(file.unknown(block), 2)
    found = profile(file, report(19))
    assert costs(found) == {("alpha", "kernel"): (12, 0, 3)}
    assert (found.unresolved, found.idle, found.problem) == (7, 0, "")
    assert profile(file, report(20)).unresolved == 8
    assert profile(file, report(21)).problem == (
        "the profile has 12 instructions in work of round 0, the guest's clock 21"
    )
    assert profile(file, report(11)).problem != ""


def test_time_that_passed_while_the_cpu_was_halted_is_idle() -> None:
    file = File(rounds=2)
    block, halts = file.block(ALPHA, NOP), file.halts()
    for number in (1, 2):
        file.count(block, 5, round=number)
    file.count(halts, 1, round=1, slot=3)
    found = profile(file, report(1005, 5))
    assert (found.idle, found.unresolved, found.problem) == (1000, 0, "")
    assert profile(file, report(4, 5)).problem != ""
    assert profile(file, report(1005, 6), rounds=(1,)).problem != "", "no halt in this round"


@pytest.mark.parametrize("ticks", [4, 6])
def test_a_disagreement_with_the_clock_is_a_problem(ticks: int) -> None:
    file = File(rounds=2)
    block = file.block(ALPHA, NOP)
    file.count(block, 5, round=1)
    file.count(block, 5, round=2)
    found = profile(file, report(5, ticks), rounds=(0, 1))
    assert found.problem == f"the profile has 5 instructions in work of round 1, the guest's clock {ticks}"
    assert profile(file, report(5, ticks), rounds=(0,)).problem == ""


@pytest.mark.parametrize(("clock", "rate"), [("monotonic", 10**9), ("tsc", 62_500_000)])
def test_another_clock_cannot_disagree(clock: str, rate: int) -> None:
    file = File()
    block = file.block(ALPHA, NOP)
    file.count(block, 5)
    file.count(file.unknown(block), 1)
    found = profile(file, report(70, clock=clock, rate=rate))
    assert (found.ticks, found.unresolved, found.problem) == (None, 1, "")


def test_a_file_of_another_run_is_a_problem() -> None:
    file = File(rounds=2)
    file.count(file.block(ALPHA, NOP), 1)
    told = "the profile has 2 rounds of 2 intervals, the guest"
    assert profile(file, report(1)).problem == f"{told} 1 of 2"
    assert profile(file, report(1, 0, intervals=("work", "-"))).problem == f"{told} 2 of 3"


def test_what_the_plugin_lost_is_a_problem() -> None:
    file = File()
    file.count(file.block(ALPHA, NOP), 1)
    file.lost = 3
    assert profile(file, report(1)).problem == "the plugin lost track of 3 events"


def test_a_task_switch_that_the_plugin_could_not_follow_is_a_problem() -> None:
    file = File()
    file.count(file.block(ALPHA, NOP), 1)
    file.switches = (9, 0)
    assert profile(file, report(1)).problem == ""
    file.switches = (9, 8)
    assert "could not follow 8 of 9 task switches" in profile(file, report(1)).problem


def with_others(ran_ns: int, turns: int = 1, cpus: int = 1, *, switches: int = 0, rate: int | None = None,
                table: Symbols = TWO) -> str:  # fmt: skip
    """The problem of a region of 1000 instructions, 100 of them in interrupts and 200 of another task."""
    file = File()
    block = file.block(ALPHA, NOP)
    file.counts[1][block] = {0: 700, 1: 100, 2: 200}
    file.switches = (switches, 0)
    raw, said = parse(file.bytes()), report(1000, rate=rate)
    others = OtherTasks(ran_ns, turns, cpus)
    made = profile_of(raw, table, said, phase="work", rounds=(0,), kernel="", run="", others=others)
    assert summary_of(raw, table, said, others).problem == made.problem
    return made.problem


def test_other_tasks_that_ran_longer_than_the_profile_counted_are_a_problem() -> None:
    assert with_others(200) == with_others(0) == with_others(310) == ""
    problem = with_others(311)
    assert "executed 20.0% of the region by the profile, and had 31.1% of it" in problem
    assert with_others(311, rate=62_500_000) == ""  # no exact clock: a nanosecond is no instruction


def test_unseen_turn_lies_outside_the_region_if_switches_are_followed() -> None:
    """mremap_move in a suite: migration/0 had a turn between the reading of run times and the region."""
    follows = symbols((ALPHA, 0x10, "alpha"), (BETA, 0x10, "__switch_to_asm"))
    assert "did not see task switches" in with_others(900)
    assert with_others(900, turns=2, table=follows) == ""
    assert "did not see task switches" in with_others(900, turns=3, table=follows)


def test_with_several_cpus_the_turns_of_other_tasks_are_held_against_the_switches() -> None:
    assert with_others(900, turns=40, cpus=4, switches=20) == ""
    problem = with_others(900, turns=40, cpus=4, switches=19)
    assert problem == "the plugin saw 19 task switches, and by the guest's record other tasks were given a CPU 40 times"
    assert with_others(310, turns=40, cpus=4, switches=0) == ""


def test_more_stops_than_beginnings_are_a_problem() -> None:
    file = File()
    block = file.block(ALPHA, NOP, NOP)
    file.count(block, 4)
    file.count(file.stop(block, 1), 5)
    found = profile(file, report(3))
    assert found.problem == f"the block at {ALPHA:x} was left more often than it began"


def test_loads_and_stores_are_counted_only_when_asked_for() -> None:
    file = File(mode="memory")
    block = file.block(ALPHA, NOP)
    file.count(block, 2)
    file.count(file.load(block), 3)
    file.count(file.store(block), 4)
    found = profile(file, report(2)).functions[0]
    assert (found.loads, found.stores) == (3, 4)
    plain = File()
    plain.count(plain.block(ALPHA, NOP), 2)
    assert (profile(plain, report(2)).functions[0].loads, plain.definitions) == (None, ["b 0 ffffffff81000000 1 90"])


def test_an_unknown_phase_is_refused() -> None:
    with pytest.raises(BadInput, match=r"run r: no phase 'touch'\n.*it has work"):
        profile_of(parse(File().bytes()), TWO, report(0), phase="touch", rounds=(0,), kernel="k", run="r")


def test_executions_are_those_of_each_address() -> None:
    file = File()
    block, again = file.block(ALPHA, NOP, LOCKED, RET), file.block(ALPHA + 8, REP_MOVSB)
    file.count(block, 7)
    file.count(file.stop(block, 1), 7)
    file.count(again, 5)
    file.count(file.iteration(again), 4)
    found = executions(parse(file.bytes()), report(12), phase="work", rounds=(0,))
    assert found == {ALPHA: 7, ALPHA + 8: 5}


def test_the_summary_is_of_the_whole_region() -> None:
    file = File(rounds=2)
    file.tasks = [(1, "own"), (2, "other"), (3, "idle"), (4, "other")]
    own, other = file.block(ALPHA, NOP, NOP), file.block(BETA, NOP)
    user = file.block(0x401000, NOP)
    file.count(own, 1, round=0, slot=4)
    for number in (1, 2):
        file.count(own, 10, round=number)
        file.count(user, 3, round=number)
        file.count(other, 100, round=number, slot=6)
    file.count(other, 4, round=2, slot=7)
    found = summary_of(parse(file.bytes()), TWO, report(23, 23))
    assert found.counts == (("user", 6), ("kernel", 42), ("interrupt", 0), ("other", 200), ("idle", 4))
    assert (found.others, found.tasks, found.mode, found.problem) == ((("beta", 204),), 2, "counts", "")
    assert summary_of(parse(file.bytes()), TWO, report(23, 24)).problem == (
        "the profile has 23 instructions in work of round 1, the guest's clock 24"
    )


def test_only_the_five_largest_foreign_functions_are_named() -> None:
    functions = [(KERNEL + 16 * n, 16, f"f{n}") for n in range(7)]
    file = File()
    for number, (address, _, _) in enumerate(functions):
        file.count(file.block(address, NOP), 10 + number, slot=2)
    found = summary_of(parse(file.bytes()), symbols(*functions), report(sum(range(10, 17))))
    assert found.others == (("f6", 16), ("f5", 15), ("f4", 14), ("f3", 13), ("f2", 12))


def test_user_code_of_another_task_does_not_get_the_names_of_our_program() -> None:
    file = File()
    block = file.block(0x401000, NOP, RET)
    file.count(block, 3, slot=0)
    file.count(block, 5, slot=2)
    found = profile(file, report(16), symbols((0x401000, 16, "main"), place="program"))
    sums = {(f.function, f.context): f.instructions for f in found.functions}
    assert sums == {("main", "user"): 6, (NO_SYMBOL, "other"): 10}
