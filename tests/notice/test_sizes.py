# SPDX-License-Identifier: GPL-2.0-only
"""How large calls were, out of what a guest's recorder writes."""

import pytest

from kassay.labs.notice.sizes import Commands, Recorded, call_sizes
from kassay.tools.recording.pages import PagesError
from tests.recording.written import EVENTS, Happened, written

CALLS = {
    "kmem/mm_page_alloc": EVENTS["kmem/mm_page_alloc"],
    "sched/sched_process_fork": (20, "ii", ("parent_pid", "child_pid")),
    "sched/sched_process_exec": (21, "i", ("old_pid",)),
    "sched/sched_process_exit": (22, "i", ("prio",)),
    "syscalls/sys_enter_mprotect": (23, "QQQ", ("start", "len", "prot")),
    "syscalls/sys_enter_madvise": (24, "QQQ", ("start", "len_in", "behavior")),
    "syscalls/sys_enter_brk": (25, "Q", ("brk",)),
}
RECORDER, RUNNER = 50, 51
TIME = 10_000  # that one command takes


def commands(*each: list[Happened]) -> list[Happened]:
    """The runner starts a command for each, 100 and more; its events lie behind 1000, 11000 ... as they are given."""
    made = [Happened(1000, "sched/sched_process_fork", (RECORDER, RUNNER), RECORDER)]
    made.append(Happened(1001, "sched/sched_process_exec", (RUNNER,), RUNNER))
    for number, happened in enumerate(each):
        begin, pid = 2000 + number * TIME, 100 + number
        made.append(Happened(begin, "sched/sched_process_fork", (RUNNER, pid), RUNNER))
        made.append(Happened(begin + 1, "sched/sched_process_exec", (pid,), pid))
        made += [one._replace(time=begin + one.time, pid=one.pid if one.pid > 1 else pid) for one in happened]
        made.append(Happened(begin + TIME - 1, "sched/sched_process_exit", (0,), pid))
    return made


def mprotect(pages: int, prot: int = 1, pid: int = 1) -> Happened:
    """A call of so many pages by the command itself, or another task."""
    return Happened(100 + pages, "syscalls/sys_enter_mprotect", (0, pages * 4096 - 1, prot), pid)


def read(happened: list[Happened], of: Commands) -> Recorded:
    """All events on one CPU."""
    return call_sizes(written([happened], events=CALLS), of, 4096)


def test_only_measured_executions_count_and_not_what_stands_between_them() -> None:
    other, first, own = [mprotect(99)], [mprotect(7)], [mprotect(1), mprotect(3), mprotect(64)]
    recorded = read(commands(other, first, other, own, other, own, [mprotect(50)]), Commands(2, between=1, checks=1))
    assert recorded.executions == 2 and recorded.lost == 0
    whole, split = recorded.sizes
    assert (whole.what, split.what) == ("mprotect", "mprotect r--")
    assert (whole.calls, whole.pages, whole.median, whole.largest, whole.typical) == (6, 136, 3, 64, 64)
    assert [(one.least, one.most, one.calls, one.pages) for one in whole.bins] == [
        (1, 1, 2, 2), (3, 4, 2, 6), (33, 64, 2, 128),
    ]  # fmt: skip


def test_a_shell_that_executes_its_last_command_in_its_own_place_is_one_execution() -> None:
    again = Happened(500, "sched/sched_process_exec", (101,))
    (whole, _) = read(commands([], [mprotect(4), again, mprotect(600)]), Commands(1)).sizes
    assert whole.calls == 2


def test_tasks_that_serve_the_command_count_and_the_recorder_does_not() -> None:
    happened = [mprotect(2, pid=40), mprotect(5, pid=RECORDER)]
    (whole, _) = read(commands([], happened), Commands(1)).sizes
    assert (whole.calls, whole.largest) == (1, 2)


def test_advice_protection_growth_and_folios_are_told_apart() -> None:
    happened = [
        mprotect(2, prot=3), mprotect(4, prot=5),
        Happened(200, "syscalls/sys_enter_madvise", (0, 8192, 4)),
        Happened(300, "syscalls/sys_enter_brk", (0,)), Happened(301, "syscalls/sys_enter_brk", (0x10000,)),
        Happened(302, "syscalls/sys_enter_brk", (0x31000,)),
        Happened(400, "kmem/mm_page_alloc", (7, 9, 0, 1)), Happened(401, "kmem/mm_page_alloc", (8, 0, 0, 1)),
        Happened(402, "kmem/mm_page_alloc", (9, 0, 0, 0)),
    ]  # fmt: skip
    found = {one.what: one for one in read(commands([], happened), Commands(1)).sizes}
    assert found.keys() == {"mprotect", "mprotect rw-", "mprotect r-x", "madvise DONTNEED", "brk", "folio order"}
    assert (found["brk"].calls, found["brk"].pages) == (1, 33)
    folios = found["folio order"]
    assert (folios.unit, folios.calls, folios.pages, folios.largest, folios.typical) == ("order", 2, 513, 9, 9)


def test_a_workload_that_executes_nothing_is_recorded_as_a_whole() -> None:
    happened = [*commands(), mprotect(4, pid=RUNNER)._replace(time=3000)]
    happened.append(Happened(5000, "sched/sched_process_exit", (0,), RUNNER))
    assert read(happened, Commands(2, programs=False)).sizes[0].calls == 1


def test_fewer_commands_than_there_should_be_are_refused() -> None:
    with pytest.raises(PagesError, match="2 commands were recorded instead of 3"):
        read(commands([], []), Commands(2))
