# SPDX-License-Identifier: GPL-2.0-only
"""The work that a user's program did on two kernels, and where it differs.

Work is compared in the rounds that the compared values stand for. A kind of work differs if the two kernels lie further
apart in it than the runs of one kernel do, perturbed ones included.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import fsum
from typing import NamedTuple

from kassay.analysis.work_done import Done, Key, clones, cost_of_one, distance
from kassay.analysis.work_faults import FAULTS, are_few, faults_are_the_kernels
from kassay.analysis.work_results import (
    ERROR,
    KIND,
    asked_otherwise,
    known_results,
    share_of,
    table_of,
)
from kassay.model.records import grouped
from kassay.model.work import FUTEX, NOT_COMPARED, OF_OTHERS, STEERING, USER_CODE, is_call

LIMIT = 0.0025
"""Share of the value that work may carry which only one of the kernels did: a quarter of the usual margin."""

TURN = (FUTEX[1], ERROR)
"""Calls of futex() that fail, as another task came first under ptrace. Their number is compared as it is measured."""

_BY_NUMBER = 0.5
"""Calls are told by their number if it carries at least this part of what their bytes carry: these follow from it."""

PER_OPERATION_LIMIT = 0.1
"""The same where values are divided by printed operations: the start of a program is not proportional to them."""


class Difference(NamedTuple):
    """One kind of work that the kernels did not do alike."""

    what: str
    base: str
    head: str
    share: float
    """Part of the value that belongs to it."""


class _Result(NamedTuple):
    """One difference in what calls were asked to do, and did."""

    name: str
    whose: str
    differs_in: str
    """ERROR, AMOUNT, KIND or TARGET."""
    difference: Difference


def work_differences(base: Sequence[Done], head: Sequence[Done]) -> tuple[Difference, ...]:
    """All kinds of work that differ, those that carry most first. Faults that only the kernel can have made are left
    out, and futex() calls that wait for the end of a thread: see faults_are_the_kernels() and clones()."""
    kinds, results = _kinds_apart(base, head)
    if _leaves_faults_out(base[0], head[0], kinds, results):
        for key in FAULTS:
            kinds.pop(key, None)
    found = [_difference(key, carried, base[0], head[0]) for key, carried in kinds.items() if carried]
    return tuple(sorted(_named_once(found, results), key=lambda difference: (-difference.share, difference.what)))


def faults_left_out(base: Sequence[Done], head: Sequence[Done]) -> Difference | None:
    """Page faults that differ and are not compared, as the kernels are taken for their cause; None without such, and
    for a few at the start of a program."""
    kinds, results = _kinds_apart(base, head)
    key = max(FAULTS, key=lambda key: kinds.get(key, 0.0))
    carried = kinds.get(key, 0.0)
    if not carried or are_few(base[0], head[0]) or not _leaves_faults_out(base[0], head[0], kinds, results):
        return None
    return _difference(key, carried, base[0], head[0])


class Mix(NamedTuple):
    """How the calls of two sides differ, where the work does."""

    otherwise: frozenset[str]
    """Names of calls with other errors, amounts, kinds or targets."""
    alike: bool
    """True if the calls differ in their numbers alone, each kind is made on both sides, and page faults do not differ
    without them."""


def mix_of(base: Sequence[Done], head: Sequence[Done]) -> Mix:
    """How the calls of two sides differ."""
    kinds, _ = _kinds_apart(base, head)
    calls = [key for key, carried in kinds.items() if carried and is_call(key)]
    on_both = all(min(side[0].times.get(key, 0.0) for side in (base, head)) > 0 for key in calls)
    otherwise = frozenset({*asked_otherwise(base[0].results, head[0].results),
                           *asked_otherwise(base[0].other_results, head[0].other_results)})  # fmt: skip
    faults_alone = any(kinds.get(key) for key in FAULTS) and not calls
    return Mix(otherwise, on_both and not otherwise and not faults_alone)


def _kinds_apart(base: Sequence[Done], head: Sequence[Done]) -> tuple[dict[Key, float], list[_Result]]:
    """(kind of work -> instructions that only one side executed for it, differences in results). Without futex() calls
    that wait for the end of a thread."""
    keys = dict.fromkeys((*base[0].times, *head[0].times))
    kinds = {key: apart(key, base, head) for key in keys if key[0] not in NOT_COMPARED}
    results = [*_results(base, head, ""), *_results(base, head, OF_OTHERS)]
    futexes = [side[0].times.get(FUTEX, 0.0) * side[0].operations for side in (base, head)]
    if abs(futexes[1] - futexes[0]) <= clones(base[0]) * base[0].operations:
        kinds.pop(FUTEX, None)
    return kinds, results


def _difference(key: Key, carried: float, base: Done, head: Done) -> Difference:
    times = [number_text(done.times.get(key, 0.0)) for done in (base, head)]
    return Difference(text_of(key, base, head), times[0], times[1], carried / min(base.ticks, head.ticks))


def _leaves_faults_out(base: Done, head: Done, kinds: Mapping[Key, float], results: Iterable[_Result]) -> bool:
    return faults_are_the_kernels(base, head) and not _steered(kinds, results)


def _steered(kinds: Mapping[Key, float], results: Iterable[_Result]) -> bool:
    """True if calls differ that decide about later faults, whatever they cost themselves."""
    otherwise = any(result.differs_in == KIND for result in results)
    return otherwise or any(kinds.get(key, 0.0) for key in STEERING)


def _named_once(found: Sequence[Difference], results: Sequence[_Result]) -> Iterator[Difference]:
    """Calls of one name differ once: in their number, or in what they were asked and did, whichever carries more."""
    chosen: dict[str, list[Difference]] = {}
    for (name, _), group in grouped(((one.name, one.whose), one) for one in results).items():
        errors = [one.difference for one in group if one.differs_in == ERROR]
        most = max((one.difference for one in group), key=lambda difference: difference.share)
        chosen.setdefault(name, []).extend(errors or [most])
    for difference in found:
        name = difference.what.removesuffix("()")
        if difference.share >= _BY_NUMBER * fsum(other.share for other in chosen.get(name, ())):
            chosen.pop(name, None)
            yield difference
    yield from chain.from_iterable(chosen.values())


def apart(key: Key, base: Sequence[Done], head: Sequence[Done]) -> float:
    """Instructions of one kind of work that only one kernel did; 0 if the runs of one kernel lie as far apart."""
    more = distance([[done.times.get(key, 0.0) for done in side] for side in (base, head)])
    return more if key == USER_CODE else more * max(cost_of_one(key, base[0]), cost_of_one(key, head[0]))


def _results(base: Sequence[Done], head: Sequence[Done], whose: str) -> list[_Result]:
    """Numbers in which the watched executions of two sides differ. whose: the tasks that made the calls, for the
    text; "" for the program's first process."""
    known = [known_results(side, whose) for side in (base, head)]
    if not all(known):
        return []
    found = []
    tables = [[table_of(results) for results in side] for side in known]
    for key in sorted({key for side in tables for table in side for key in table}):
        values = [[table.get(key, 0) for table in side] for side in tables]
        more = distance(values)
        turn = (key.name, key.number_of) == TURN and max(clones(base[0]), clones(head[0]))
        if not more or turn:
            continue
        most = max(side[0] for side in values)
        share = share_of(key, more, most, [side[0] for side in known], (base[0], head[0]))
        difference = Difference(key.text(whose), str(values[0][0]), str(values[1][0]), share)
        found.append(_Result(key.name, whose, key.number_of, difference))
    return found


def limit_of(base: Sequence[Done]) -> float:
    """Share of the value from which other work refuses a comparison."""
    return PER_OPERATION_LIMIT if base[0].divided else LIMIT


def text_of(key: Key, *runs: Done) -> str:
    """The words for a kind of work."""
    return next(done.texts[key] for done in runs if key in done.texts)


def number_text(value: float) -> str:
    """A number of calls or bytes."""
    return f"{value:.6g}" if value % 1 else str(int(value))
