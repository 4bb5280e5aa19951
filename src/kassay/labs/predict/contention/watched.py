# SPDX-License-Identifier: GPL-2.0-only
"""One trace on one CPU -> the locks that it takes and the shared lines that it writes, each with its cycles."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kassay.labs.predict import core
from kassay.labs.predict.contention.names import (
    LINE,
    OWN,
    PROCESS,
    SLOW_PATHS,
    SPIN,
    SYSTEM,
    Rule,
    discipline_of,
    gives_back,
    is_thunk,
    rule_of,
)
from kassay.labs.predict.core import Watched
from kassay.labs.predict.decode import decoder_of
from kassay.labs.predict.static import program_text
from kassay.labs.predict.timing import Timing
from kassay.labs.predict.trace import Trace, read_trace
from kassay.model.profile import base_name
from kassay.supply.arches import of_target

_HALF = 1 << 63
_PAGES = ((0xFFFFEA0000000000, 0xFFFFEB0000000000), (0xFFFFFC0000000000, 0xFFFFFE0000000000))
"""Addresses of `struct page`, on x86_64 and arm64: nobody else's while a task uses the page."""
_IMAGE_ALIGNMENT, _IMAGE_BYTES = 1 << 24, 1 << 27
_LINE_BYTES = 64


class KernelLock(NamedTuple):
    """A lock, or a line that is written without one."""

    name: str
    sharers: str
    address: int
    known: bool
    """False if `sharers` is an assumption, as the lock is in no table."""


class Use(NamedTuple):
    """A hold of a lock, or one write to a line (then `end` is `begin`)."""

    lock: KernelLock
    discipline: str
    round: int
    interval: int
    begin: int
    end: int
    loads: int
    stores: int


class Uses(NamedTuple):
    """All uses of locks in one trace."""

    uses: tuple[Use, ...]
    cycles: Mapping[tuple[int, int], float]
    """Cycles of the measured task, by round and interval."""
    slow: tuple[str, ...]
    """Executed functions that run only if a lock has to be waited for."""
    open: Mapping[str, int]
    """Acquisitions whose end was not seen, by lock."""
    elsewhere: float
    """Share of all instructions that other tasks and the idle loop executed."""
    callers: frozenset[str] = frozenset()
    """Functions that take locks or write shared lines, as --scale-shared names them."""


def uses_of(data: bytes, timing: Timing, name_of: Callable[[int], str], shared: Sequence[str] = ()) -> Uses:
    """name_of: address -> function. shared: functions whose locks are shared by all CPUs, whatever the table says.

    Raises BadInput for a trace that cannot be read, HostLacks where the core model cannot be built.
    """
    trace = read_trace(data)
    numbers: dict[str, int] = {}
    program, _ = program_text(trace, timing, lambda start: numbers.setdefault(name_of(start), len(numbers)))
    code = _Code(trace, name_of)
    with tempfile.TemporaryDirectory(prefix="kassay-uses-") as scratch:
        path = Path(scratch) / "trace"
        path.write_bytes(data)
        replayed = core.replay(timing.params_text(), program, path, code.watch_text(numbers))
    names = list(numbers)
    seen = [_seen(one, code, names) for one in replayed.watched]
    locks = _locks(seen, code.image, frozenset(shared))
    uses = tuple(
        Use(locks[_place(one)], one.discipline, one.at.round, one.at.interval, one.at.begin,
            one.at.end if one.at.held else one.at.begin, one.at.loads, one.at.stores)
        for one in sorted(seen, key=lambda one: one.at.begin) if one.at.end or not one.at.held
    )  # fmt: skip
    elsewhere = sum(executed for (*_, context), (executed, _) in replayed.others.items() if context > 1)
    executed = {names[row.function] for row in replayed.rows if row.instructions}
    return Uses(
        uses, {(one.round, one.interval): one.cycles100 / 100 for one in replayed.intervals},
        tuple(sorted(name for name in executed if SLOW_PATHS.fullmatch(base_name(name)))),
        Counter(locks[_place(one)].name for one in seen if one.at.held and not one.at.end),
        elsewhere / (elsewhere + sum(one.instructions for one in replayed.intervals) or 1),
        frozenset(one.caller for one in seen),
    )  # fmt: skip


class _Seen(NamedTuple):
    """A use with the functions around it. An inlined spinlock, as on arm64, has no taker; its caller is the function
    that it is in."""

    at: Watched
    discipline: str
    taker: str
    caller: str


def _seen(one: Watched, code: "_Code", names: Sequence[str]) -> _Seen:
    function = code.functions[one.block]
    before = base_name(names[one.function_before]) if one.function_before >= 0 else ""
    discipline = discipline_of(function)
    if not one.held or not (discipline or one.end):
        return _Seen(replace(one, held=False), LINE, function, function)
    return _Seen(one, discipline, function, before) if discipline else _Seen(one, SPIN, "", function)


def _place(one: _Seen) -> tuple[bool, int]:
    return one.at.held, one.at.address if one.at.held else one.at.address // _LINE_BYTES * _LINE_BYTES


def _locks(
    seen: Sequence[_Seen], image: tuple[int, int], shared: frozenset[str]
) -> Mapping[tuple[bool, int], KernelLock]:  # fmt: skip
    """Every address has one name: the most frequent of the rules that its acquisitions match."""
    rules: dict[tuple[bool, int], Counter[Rule | None]] = {}
    callers: dict[tuple[bool, int], Counter[str]] = {}
    named: dict[tuple[bool, int], str] = {}
    for one in seen:
        place = _place(one)
        rules.setdefault(place, Counter())[rule_of(one.discipline, one.taker, one.caller)] += 1
        callers.setdefault(place, Counter())[one.caller] += 1
        if one.caller in shared:
            named[place] = one.caller
    locks = {}
    for (held, address), votes in rules.items():
        caller = min(callers[held, address].items(), key=lambda item: (-item[1], item[0]))[0]
        rule = next((rule for rule, _ in votes.most_common() if rule is not None), None)
        name = rule.name if rule else f"lock taken in {caller}()" if held else f"line written in {caller}()"
        known, sharers = rule is not None, rule.sharers if rule else OWN
        if any(low <= address < high for low, high in _PAGES) and not held:
            name, sharers, known = "counters of a page", OWN, True
        elif image[0] <= address < image[1] and (sharers in (OWN, PROCESS) or not held):
            sharers, known = SYSTEM, True
        if (held, address) in named:
            sharers, known = SYSTEM, True
        locks[held, address] = KernelLock(name, sharers, address, known)
    return locks


class _Code:
    """Facts about the kernel's blocks of a trace."""

    def __init__(self, trace: Trace, name_of: Callable[[int], str]) -> None:
        self.trace = trace
        self.functions = {block.id: base_name(name_of(block.start)) for block in trace.blocks}
        starts = [block.start for block in trace.blocks if block.start >= _HALF]
        low = min(starts, default=0) // _IMAGE_ALIGNMENT * _IMAGE_ALIGNMENT
        self.image = low, low + _IMAGE_BYTES

    def watch_text(self, numbers: Mapping[str, int]) -> str:
        """WATCH of the core model."""
        thunks = (f"t {number}\n" for name, number in numbers.items() if is_thunk(base_name(name)))
        low, high = self.image if self.trace.target == "x86_64" else (0, 0)  # arm64 has stacks behind the image
        return f"s {low} {high}\n" + "".join(thunks) + "".join(self._roles())

    def _roles(self) -> Iterator[str]:
        arch = of_target(self.trace.target)
        assert arch is not None
        decoder = decoder_of(arch.name)
        for block in self.trace.blocks:
            if block.start < _HALF:
                continue
            function, at = self.functions[block.id], 0
            takes, gives = bool(discipline_of(function)), gives_back(function)
            for index, length in enumerate(block.lengths):
                facts = decoder.facts(block.code[at : at + length])
                at += length
                if facts.locked:
                    inlined = facts.form.startswith("casa ")
                    yield f"{'r' if gives else 'a' if takes or inlined else 'n'} {block.id} {index}\n"
                elif facts.store_bytes and (facts.store_bytes == 1 or gives or facts.form.startswith("stl")):
                    yield f"r {block.id} {index}\n"
