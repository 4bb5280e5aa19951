# SPDX-License-Identifier: GPL-2.0-only
"""Work outside of a region: what it leaves behind may make the region cost more."""

from collections import Counter
from collections.abc import Sequence

from kassay.analysis.work_done import Done, distance
from kassay.analysis.work_found import PAGES, PAGES_APART
from kassay.analysis.work_results import AMOUNT, OF_KERNEL, ResultKey, arguments_apart, table_of
from kassay.model.work import CLONES, OUTPUT, CallResult, is_call

_LEAVING_NOTHING = {
    "clock_getres", "clock_gettime", "clock_nanosleep", "epoll_pwait", "epoll_wait", "futex", "getcpu", "getegid",
    "geteuid", "getgid", "getpgid", "getpgrp", "getpid", "getppid", "getrandom", "getrusage", "getsid", "gettid",
    "gettimeofday", "getuid", "nanosleep", "poll", "ppoll", "pselect6", "restart_syscall", "sched_getaffinity",
    "sched_yield", "select", "sysinfo", "time", "times", "uname",
}  # fmt: skip
"""Calls behind which a process and its files are as before."""

_FAULTS, _FAULTS_APART = 32, 0.2
"""Page faults, and part of them, by which whole executions may differ: kernels map other numbers of pages at once."""
_PAGES_OF_OBJECT = 0.1
"""Pages by which kernels may differ for each object of a call: 172 messages in a queue took 10 pages less on one."""
_END = "exit_group"
_MAKING_TASKS, _OF_TASKS = {key[1] for key in CLONES}, 5
"""Calls that make tasks; and calls of several tasks by which runs may differ, as one comes before or behind an end."""
_ONCE = 0.5
"""Calls outside of a region for each of its rounds, from which they belong to the round."""
_READING = {"getdents64", "pread64", "read"}
_MOVING = _READING | {"copy_file_range", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "readv", "sendfile",
                      "splice", "write", "writev"}  # fmt: skip
_APART = 0.02
"""Part by which the calls of runs may differ."""


def outside_otherwise(base: Sequence[Done], head: Sequence[Done]) -> tuple[str, ...]:
    """Calls that a program makes outside of its region, and not alike on the two sides or in the runs of one: their
    number, and what they were told and given if none of their name is inside. Calls that leave nothing behind do not
    count, nor output, nor what reading the kernel's own files returns. And page faults, if those of the whole execution
    differ by more than a kernel maps at once, and allocated pages."""
    inside = {key[1] for side in (base, head) for key in side[0].times if is_call(key)}
    known = [[run for run in side if run.execution is not None] for side in (base, head)]
    if not base[0].region or not all(known):
        return ()
    tables = [[_outside(run, inside) for run in side] for side in known]
    rounds = _rounds(known[0][0]), _rounds(known[1][0])
    keys = {key for side in tables for table in side for key in table}
    numbers = {key: [[float(table.get(key, 0)) for table in side] for side in tables] for key in keys}
    names = {key[0] for key, (first, second) in numbers.items()
             if distance((first, second)) and not _alike_in_each((first[0], second[0]), rounds)}  # fmt: skip
    every = {one.name for side in known for run in side for one in run.execution or ()} - _LEAVING_NOTHING
    as_many_rounds = len({_rounds(run) for side in known for run in side}) == 1
    counted = all(run.executions for side in known for run in side)
    comparable = (inside if counted else set()) | (every - inside if as_many_rounds else set())
    names |= {name for name in every & comparable if _made_otherwise(name, known)}
    argued = {name for name in arguments_apart(base, head) if name not in inside and name not in _LEAVING_NOTHING}
    faults = [[_faults(run) for run in side if _faults(run)] for side in (base, head)]
    touched = all(faults) and distance(faults) > max(_FAULTS, _FAULTS_APART * faults[0][0])
    apart = {"page faults": touched, "page allocations": _allocate_otherwise(base, head)}
    other = (what for what, differs in apart.items() if differs)
    return (*other, *(f"{name}()" for name in sorted(names | argued)))


def _faults(run: Done) -> float:
    """Page faults of the watched execution, on average over the processes that end; 0 where they are not known."""
    found = run.found.get(_END)
    return found.faults / found.looked if found is not None and found.looked else 0.0


def _made_otherwise(name: str, sides: Sequence[Sequence[Done]]) -> bool:
    """True if calls of a name are made before or behind the region, and not as often in all runs."""
    numbers = [_made_outside(name, run) for side in sides for run in side]
    few = _OF_TASKS if any(one.name in _MAKING_TASKS for one in sides[0][0].execution or ()) else 1
    more = max(numbers) - min(numbers)
    return more >= max(few, _APART * max(numbers)) and not _are_rounds(more, name, sides[0][0])


def _are_rounds(more: float, name: str, run: Done) -> bool:
    """True if so many calls more are those of whole rounds, where an execution has several: a watched one may have
    fewer of them than another."""
    each = _in_each_round(run).get(name, 0.0)
    return each > 0 and run.inside.get(name, 0.0) > each and more % each == 0


def _made_outside(name: str, run: Done) -> float:
    """Calls of a name in the watched execution, without those of its rounds. An execution that is watched is slower:
    where rounds depend on time, it has fewer than those that are measured."""
    made, inside = _calls_made(run), run.inside.get(name, 0.0)
    each = {other: times for other, times in _in_each_round(run).items() if made[other]}
    rounds = min((made[other] // times for other, times in each.items()), default=0.0)
    part = min((rounds * each[other] / run.inside[other] for other in each if run.inside.get(other)), default=1.0)
    left = sum(one.times for one in run.execution or () if one.name == name and _leaves_something(one))
    return max(0.0, left - min(1.0, part) * inside)


def _in_each_round(run: Done) -> dict[str, float]:
    """Calls of each name in a round of the region."""
    return {key[1]: times for key, times in run.times.items() if is_call(key) and times}


def _calls_made(run: Done) -> Counter[str]:
    made = Counter[str]()
    for one in run.execution or ():
        made[one.name] += one.times
    return made


def _allocate_otherwise(base: Sequence[Done], head: Sequence[Done]) -> bool:
    """True if whole runs allocated other numbers of pages: a file in memory, whose pages no call names, was filled
    before the region. Kernels have slabs of other sizes for what calls make, such as mappings and messages."""
    pages = [[run.allocated for run in side if run.allocated] for side in (base, head)]
    made = max(run.executions * _makes_objects(run) for run in (base[0], head[0]))
    few = max(PAGES, made * _PAGES_OF_OBJECT)
    return all(pages) and distance(pages) > max(few, PAGES_APART * max(map(max, pages)))


def _makes_objects(run: Done) -> int:
    """Calls of an execution that may make an object of the kernel: all but those that move data."""
    return sum(one.times for one in run.execution or () if one.name not in _MOVING and _leaves_something(one))


def _outside(run: Done, inside: set[str]) -> dict[tuple[str, str, str], int]:
    """(name, number of, word) -> number, of all calls of an execution but those of the names inside of its region; two
    empty words for all calls of a name."""
    results = [one for one in run.execution or () if one.name not in inside and _leaves_something(one)]
    table = {(key.name, key.number_of, key.word): n for key, n in table_of(results).items() if not _is_returned(key)}
    for one in results:
        table[one.name, "", ""] = table.get((one.name, "", ""), 0) + one.times
    return table


def _leaves_something(one: CallResult) -> bool:
    """True if calls may leave something behind that a later one finds."""
    of_kernel = one.name in _READING and one.kind.startswith(OF_KERNEL)
    return one.name not in _LEAVING_NOTHING and one.kind != OUTPUT and not of_kernel


def _rounds(run: Done) -> float:
    """Rounds of the watched execution, by the calls in each: the smallest estimate, as the same may be called outside.
    1 where a round makes no call."""
    made = _calls_made(run)
    each = (made[name] / times for name, times in _in_each_round(run).items() if made[name])
    return min(each, default=1.0)


def _alike_in_each(numbers: tuple[float, float], rounds: tuple[float, float]) -> bool:
    """True if a program makes as many calls for each of its rounds, but for one, and has other numbers of rounds: so
    all that came before a round is the same."""
    each = [number / of for number, of in zip(numbers, rounds, strict=True)]
    return rounds[0] != rounds[1] and min(each) >= _ONCE and max(each) - min(each) <= max(each) / min(rounds)


def _is_returned(key: ResultKey) -> bool:
    return key.number_of == AMOUNT and key.name in _READING
