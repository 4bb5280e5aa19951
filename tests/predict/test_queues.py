# SPDX-License-Identifier: GPL-2.0-only
"""CPUs that wait for each other: cases worked out by hand, and laws that any queue obeys."""

import pytest

from kassay.labs.pcp.queueing import wait_bounds
from kassay.labs.predict.contention.names import LINE, MUTEX, NODE, READER, SPIN, SYSTEM, WRITER
from kassay.labs.predict.contention.queues import (
    FEWEST,
    GIVE,
    MOST,
    TAKE,
    TOUCH,
    Action,
    Level,
    Load,
    Machine,
    contended,
)

NS = 1000
FREE = Machine((Level(64, 0),), 64)
MOVES = Machine((Level(4, 10 * NS), Level(8, 100 * NS)), 4)


def lock(think: int, hold: int, discipline: str = SPIN, sharers: str = SYSTEM, loads: int = 0, stores: int = 0) -> Load:
    """One lock; times in ns."""
    take = Action(think * NS, TAKE, 0, discipline, loads, stores)
    return Load((take, Action(hold * NS, GIVE, 0, discipline)), 0, (sharers,))


def speedup(load: Load, machine: Machine, cpus: int, end: int = 1) -> float:
    return contended(load, machine, cpus, end).repeats * load.length


def test_one_cpu_never_waits() -> None:
    alone = contended(lock(70, 30), MOVES, 1)
    assert alone.repeats * 100 * NS == pytest.approx(1, rel=1e-3)
    assert alone.waiting == (0.0,)


def test_without_shared_locks_throughput_is_linear() -> None:
    assert contended(Load((), 100 * NS, ()), MOVES, 7).repeats * 100 * NS == pytest.approx(7)


def test_a_lock_without_transfers_serves_as_fast_as_it_is_held() -> None:
    """Equal times: nobody waits until the lock is always held, then throughput stays at 1 / hold."""
    assert speedup(lock(90, 10), FREE, 5) == pytest.approx(5, rel=0.01)
    assert speedup(lock(90, 10), FREE, 40) == pytest.approx(10, rel=0.01)
    assert speedup(lock(0, 10), FREE, 3) == pytest.approx(1, rel=0.01)


@pytest.mark.parametrize("cpus", [2, 8, 20])
def test_waiting_lies_between_the_bounds_of_any_queue(cpus: int) -> None:
    found = contended(lock(90, 10), FREE, cpus)
    wait = found.waiting[0] * cpus / found.repeats / NS
    low, high = wait_bounds(cpus, 90.0, 10.0)
    assert low - 1 <= wait <= high + 1


def test_a_handover_of_a_spinlock_costs_one_transfer_and_the_lines_that_move() -> None:
    def each(end: int, loads: int, stores: int) -> float:
        return 1 / contended(lock(0, 10, loads=loads, stores=stores), MOVES, 4, end).repeats / NS

    assert each(1, 0, 0) == pytest.approx(10 + 1 * 10, rel=0.01)
    assert each(1, 3, 2) == pytest.approx(10 + 4 * 10, rel=0.01)
    assert each(FEWEST, 3, 2) == pytest.approx(10 + 2 * 10, rel=0.01)
    assert each(MOST, 3, 2) == pytest.approx(10 + 8 * 10, rel=0.01)


def test_a_mutex_takes_one_transfer_more() -> None:
    spin, mutex = (1 / contended(lock(0, 10, which), MOVES, 4).repeats / NS for which in (SPIN, MUTEX))
    assert mutex - spin == pytest.approx(10, rel=0.05)


def test_beyond_a_group_a_transfer_takes_longer() -> None:
    assert speedup(lock(0, 10), MOVES, 8) < 0.5 * speedup(lock(0, 10), MOVES, 4)


def test_each_socket_has_a_lock_of_its_own() -> None:
    assert speedup(lock(0, 10, sharers=NODE), MOVES, 8) == pytest.approx(2 * speedup(lock(0, 10), MOVES, 4), rel=0.02)


def test_readers_hold_together_and_move_one_line() -> None:
    """Each repeat writes the counter's line twice, in turn with all others: 2 x 10 ns of the line, whatever is held."""
    readers = lock(0, 1000, READER)
    assert speedup(readers, MOVES, 4) == pytest.approx(4, rel=0.1)
    assert 1 / contended(lock(0, 1, READER), MOVES, 4).repeats / NS == pytest.approx(20, rel=0.05)


def test_readers_that_wait_for_a_writer_are_told() -> None:
    both = Load(
        (Action(50 * NS, TAKE, 0, WRITER), Action(50 * NS, GIVE, 0, WRITER),
         Action(50 * NS, TAKE, 0, READER), Action(50 * NS, GIVE, 0, READER)), 0, (SYSTEM,),
    )  # fmt: skip
    assert contended(both, FREE, 4).sleeping > 0.05
    assert contended(lock(50, 50, READER), FREE, 4).sleeping == 0


def test_a_line_serves_one_cpu_at_a_time() -> None:
    line = Load((Action(5 * NS, TOUCH, 0, LINE),), 0, (SYSTEM,))
    assert 1 / contended(line, MOVES, 1).repeats / NS == pytest.approx(5, rel=0.01)
    assert 1 / contended(line, MOVES, 4).repeats / NS == pytest.approx(10, rel=0.02)


def test_holds_in_holds_add_up() -> None:
    """The inner lock is the outer one's time: it is never waited for."""
    nested = Load(
        (Action(10 * NS, TAKE, 0, SPIN), Action(10 * NS, TAKE, 1, SPIN), Action(10 * NS, GIVE, 1, SPIN),
         Action(10 * NS, GIVE, 0, SPIN)), 0, (SYSTEM, SYSTEM),
    )  # fmt: skip
    found = contended(nested, FREE, 8)
    assert 1 / found.repeats / NS == pytest.approx(30, rel=0.01)
    assert found.waiting[0] > 0.8 and found.waiting[1] == 0


def pair(first: int, second: int) -> tuple[Action, ...]:
    """One lock in another one."""
    order = ((TAKE, first), (TAKE, second), (GIVE, second), (GIVE, first))
    return tuple(Action(50 * NS, kind, number, SPIN) for kind, number in order)


def test_cpus_that_wait_for_each_other_without_end_are_told() -> None:
    """A trylock can take two locks the other way round. Such a sequence cannot be simulated, and is not linear."""
    both = Load((*pair(0, 1), *pair(1, 0)), 0, (SYSTEM, SYSTEM))
    assert contended(both, MOVES, 1).stuck == ()
    for cpus in (2, 8):
        found = contended(both, MOVES, cpus)
        assert found.stuck == (0, 1) and found.repeats == 0
    assert contended(Load((*pair(0, 1), *pair(0, 1)), 0, (SYSTEM, SYSTEM)), MOVES, 8).stuck == ()


def test_a_cpu_that_waits_for_itself_is_told() -> None:
    assert contended(Load(pair(0, 0), 0, (SYSTEM,)), MOVES, 1).stuck == (0,)


def test_a_socket_whose_cpus_wait_without_end_is_told_while_another_one_runs() -> None:
    both = Load((*pair(0, 1), *pair(1, 0)), 0, (NODE, NODE))
    found = contended(both, MOVES._replace(node=4), 5)  # the fifth CPU is alone in its socket
    assert found.stuck == (0, 1)


def test_the_same_load_gives_the_same_digits() -> None:
    found = contended(lock(83, 17, loads=2), MOVES, 8)
    assert found == contended(lock(83, 17, loads=2), MOVES, 8)
    assert found.repeats == 4.008016032064128e-06
