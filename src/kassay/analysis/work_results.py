# SPDX-License-Identifier: GPL-2.0-only
"""Results of the calls of a watched execution -> numbers that can be compared, each with the share that it carries."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from kassay.analysis.work_done import Done, Key, of_one_call
from kassay.model.work import OF_OTHERS, CallResult

ERROR, AMOUNT, KIND, TARGET = "error", "amount", "kind", "target"

_ITEMS = {
    "epoll_pwait", "epoll_pwait2", "epoll_wait", "io_getevents", "io_pgetevents", "io_submit", "move_pages", "poll",
    "ppoll", "pselect6", "recvmmsg", "select", "sendmmsg",
}  # fmt: skip
"""System calls whose amount is a number of messages, events, files, requests or pages, and not of bytes."""

_MEAN_AMOUNT = 0.05
"""Part by which the mean amount of a call may differ where some calls are made more often: others have its name."""


class ResultKey(NamedTuple):
    """One number of the calls of one name."""

    name: str
    number_of: str
    """ERROR, KIND or TARGET for a number of calls; AMOUNT for the sum of their bytes or items."""
    word: str = ""
    """The error, the kind or the target; "" of an amount."""

    def text(self, whose: str) -> str:
        """ "madvise() that failed with EINVAL". whose: "" for the program's first process, or OF_OTHERS."""
        called = f"{self.name}()"
        return {
            ERROR: f"{called}{whose} that failed with {self.word}",
            KIND: f"{called}{whose} of kind {self.word}",
            TARGET: f"{called}{whose} of {self.word}",
            AMOUNT: f"{called} {'items' if self.name in _ITEMS else 'bytes'}{whose}",
        }[self.number_of]


Table = Mapping[ResultKey, int]


def table_of(results: Sequence[CallResult]) -> Table:
    """All numbers of one execution."""
    table: dict[ResultKey, int] = {}
    for one in results:
        told = KIND if one.kind.startswith("0x") else TARGET
        numbers = (
            [(ERROR, one.error, one.times)] if one.error else [(AMOUNT, "", one.total), (told, one.kind, one.times)]
        )
        for number_of, word, number in numbers:
            if word or number_of == AMOUNT:
                key = ResultKey(one.name, number_of, word)
                table[key] = table.get(key, 0) + number
    return table


def known_results(runs: Sequence[Done], whose: str) -> list[tuple[CallResult, ...]]:
    """Results of the runs of which they are known."""
    every = (run.other_results if whose else run.results for run in runs)
    return [results for results in every if results is not None]


def share_of(
    key: ResultKey, more: float, most: float, executions: Sequence[Sequence[CallResult]], runs: Sequence[Done]
) -> float:
    """Part of the value that calls carry whose number or amount differs by more. most: the larger amount; executions:
    those that are compared, of which the one with the most calls counts; runs: one of each side."""
    called = max(sum(one.times for one in results if one.name == key.name) for results in executions)
    part = more / (most if key.number_of == AMOUNT else called)
    return part * max(share_of_name(key.name, run) for run in runs)


OF_KERNEL = ("/proc/", "/sys/")
"""Begins the name of a file whose text the kernel writes when it is read."""


def longer_files(base: Done, head: Done) -> tuple[str, ...]:
    """Files of the kernel from which as many calls on both sides read other numbers of bytes."""
    sides = [
        {(one.name, one.kind): one for one in (*(done.results or ()), *(done.other_results or ())) if not one.error}
        for done in (base, head)
    ]
    return tuple(dict.fromkeys(
        kind for name, kind in sorted(sides[0].keys() & sides[1].keys())
        if kind.startswith(OF_KERNEL) and sides[0][name, kind].total != sides[1][name, kind].total
        and sides[0][name, kind].times == sides[1][name, kind].times
    ))  # fmt: skip


def asked_otherwise(base: tuple[CallResult, ...] | None, head: tuple[CallResult, ...] | None) -> Iterator[str]:
    """Names of calls of which one differs: an error or a kind is on one side alone, or its amount is another one."""
    tables = [table_of(of_one_call(results) or ()) for results in (base, head)]
    for key in dict.fromkeys((*tables[0], *tables[1])):
        low, high = sorted(table.get(key, 0) for table in tables)
        if high - low > _MEAN_AMOUNT * high:
            yield key.name


def argued_otherwise(base: Sequence[Done], head: Sequence[Done]) -> tuple[tuple[str, float], ...]:
    """(name, share of the value) of calls that were given other arguments on one side; those that carry most first."""
    names = arguments_apart(base, head)
    shares = [(name, max(share_of_name(name, side[0]) for side in (base, head))) for name in names]
    return tuple(sorted(shares, key=lambda pair: (-pair[1], pair[0])))


def arguments_unread(base: Sequence[Done], head: Sequence[Done]) -> tuple[tuple[str, float], ...]:
    """(name, share of the value) of calls that were given more than kassay reads; those that carry most
    first."""
    runs = (*base, *head)
    names = {name.removesuffix(OF_OTHERS) for run in runs for name, found in run.found.items() if found.unread}
    shares = [(name, max(share_of_name(name, side[0]) for side in (base, head))) for name in names]
    return tuple(sorted(shares, key=lambda pair: (-pair[1], pair[0])))


def arguments_apart(base: Sequence[Done], head: Sequence[Done]) -> frozenset[str]:
    """Names of calls that were given other arguments on one side, in all of its runs. Arguments by which the runs of
    one kernel differ are chance. Calls of another number are not compared here: their sums differ in any case."""
    known = [[run.arguments for run in side if run.arguments] for side in (base, head)]
    if not all(known):
        return frozenset()
    calls = set()
    for name in {name for side in known for sums in side for name in sums}:
        first, second = ({sums.get(name) for sums in side} for side in known)
        made = {run.found[name].calls for side in (base, head) for run in side if name in run.found}
        if len(first) == len(second) == 1 and first != second and len(made) <= 1:
            calls.add(name.removesuffix(OF_OTHERS))
    return frozenset(calls)


def share_of_kinds(counts: Callable[[Key], bool], run: Done) -> float:
    """Part of a run's value that all kinds of work carry for whose keys this is true."""
    return fsum(count for key, count in run.counts.items() if counts(key)) / run.ticks


def share_of_name(name: str, run: Done) -> float:
    """Part of a run's value that calls of a name carry."""
    return sum(count for (_, of), count in run.counts.items() if of == name) / run.ticks
