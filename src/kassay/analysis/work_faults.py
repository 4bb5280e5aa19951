# SPDX-License-Identifier: GPL-2.0-only
"""Page faults: does the program touch other pages, or does a kernel map more at once? Did as many do the same?"""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from kassay.analysis.work_done import Done, clones, distance
from kassay.model.work import (
    ALLOCATION,
    AROUND,
    BY_HANDLER,
    EXECVE,
    INNER_FAULTS,
    LOOKUPS,
    OF_FAULTS,
    ON_ANONYMOUS,
    ON_FILE,
    ON_PRESENT,
    ON_SWAP,
    PAGE_FAULTS,
    USER_CODE,
)

FAULTS = (PAGE_FAULTS, INNER_FAULTS)
"""Keys of page faults: those of the program's own code, and those inside of its system calls."""

FEW_FAULTS = 4
"""Page faults that the start of a program may take more on one kernel than on another, in a whole execution."""

_KB, _PAGE = 1024, 4096

_PEAK_KB = 512
"""kB by which peaks may differ: a kernel counts resident pages with a delay on each CPU."""


def faults_are_the_kernels(base: Done, head: Done) -> bool:
    """True if the kernels alone explain another number of page faults.

    A loop that touches more pages executes at least one instruction more for each. A kernel that maps other numbers of
    pages per fault changes the number of faults, and no instruction of the program. The vDSO's names are the kernel's,
    and looking for one of them takes another number of instructions. Code that is executed as often may touch other
    pages all the same, as a hash table does: then as many more are resident, and not as many or fewer. No kernel maps
    so many pages per fault that none is left of many.
    """
    fewer, more = sorted(_faults(done) for done in (base, head))
    code_difference = abs(_own_code(head) - _own_code(base))
    if are_few(base, head):
        return True
    follows = _resident_follows(base, head) or _peak_follows(base, head) or _allocated_follows(base, head)
    return fewer > 0 and code_difference < more - fewer and not follows


class FaultsApart(NamedTuple):
    """Page faults of two sides that did not do the same."""

    what: str
    """The things that they did more or less often: "on files or shared memory"."""
    base: float
    head: float
    share: float
    """Part of the value that the faults carry, as far as they differ."""


_NOUNS = {
    ALLOCATION: "allocations of pages, as for copies, page tables, or reads in place of writes",
    AROUND: "mappings of the pages around", ON_ANONYMOUS: "on new anonymous memory",
    ON_FILE: "on files or shared memory", ON_PRESENT: "on pages that were present", ON_SWAP: "on swap entries",
}  # fmt: skip

_MAPS_AROUND = 0.2
"""Part of all faults by which those may differ that map pages around: all kernels map 64 kB around a read."""


def faults_otherwise(base: Sequence[Done], head: Sequence[Done]) -> FaultsApart | None:
    """The thing that page faults did most differently. A kernel that maps more pages at once allocates less often: then
    only the part of the faults is compared that map pages around, since a write does not."""
    few = few_faults(base[0]) / base[0].operations
    as_many = abs(_faults(head[0]) - _faults(base[0])) <= few
    found = []
    for key in OF_FAULTS:
        if key in BY_HANDLER and not all(key in side[0].times for side in (base, head)):
            continue  # inlined into its caller on one kernel
        first, second = (side[0].times.get(key, 0.0) for side in (base, head))
        more = distance([[run.times.get(key, 0.0) for run in side] for side in (base, head)])
        parts = [side[0].times.get(key, 0.0) / (_faults(side[0]) or 1.0) for side in (base, head)]
        if more > few and (as_many or (key[0] == AROUND and abs(parts[1] - parts[0]) > _MAPS_AROUND)):
            share = share_of_faults(more, max(first, second), (base[0], head[0]))
            found.append(FaultsApart(_NOUNS[key[0]], first, second, share))
    return max(found, key=lambda apart: apart.share, default=None)


def few_faults(done: Done) -> float:
    """Faults by which the starts of a program may differ in an execution: a perturbed run moves the stack."""
    return FEW_FAULTS * max(1.0, done.times.get(EXECVE, 0.0) * done.operations) + clones(done) * done.operations


def share_of_faults(more: float, most: float, runs: Sequence[Done]) -> float:
    """Part of the value that faults carry if one side did something so many times more, of the most."""
    return more / most * max(fsum(run.counts.get(of, 0.0) for of in FAULTS) / run.ticks for run in runs)


def _more_faults(base: Done, head: Done) -> float:
    """Page faults that an execution on head takes more than one on base, for as many operations."""
    return (_faults(head) - _faults(base)) * min(base.operations, head.operations)


def are_few(base: Done, head: Done) -> bool:
    """True for the few faults more or less that the start of a program may take, and one of each process or thread that
    it makes; a region has no start."""
    few = (0 if base.region else FEW_FAULTS) + clones(base) * base.operations
    return few > 0 and abs(_more_faults(base, head)) <= few


def _resident_follows(base: Done, head: Done) -> bool:
    """True if the side with more faults also has more resident pages, by half of them at least: at its end, or where
    all calls of a name look."""
    if base.region:
        return False
    faults = _more_faults(base, head)
    found: list[float] = [head.found[name].bytes - one.bytes for name, one in base.found.items() if name in head.found]
    if base.resident_kb is not None and head.resident_kb is not None:
        found.append((head.resident_kb - base.resident_kb) * _KB)
    return any(more / _PAGE * faults >= faults * faults / 2 for more in found)


def _allocated_follows(base: Done, head: Done) -> bool:
    """True if the side with more faults also allocated more pages, by half of them at least. A kernel that maps more
    pages per fault allocates as many, or more."""
    if base.region or not base.allocated or not head.allocated:
        return False
    faults = _more_faults(base, head)
    return (head.allocated - base.allocated) * faults >= faults * faults / 2


def _peak_follows(base: Done, head: Done) -> bool:
    """True if the side with more faults had more memory resident at its peak, in proportion to half of them at least: a
    program may touch other pages, and give them back before anything looks."""
    if base.region or not base.peak_kb or not head.peak_kb or abs(head.peak_kb - base.peak_kb) < _PEAK_KB:
        return False
    faults, peak = (
        max(pair) / min(pair) - 1 for pair in ((_faults(base), _faults(head)), (base.peak_kb, head.peak_kb))
    )
    return (_faults(head) > _faults(base)) == (head.peak_kb > base.peak_kb) and peak >= faults / 2


def _faults(done: Done) -> float:
    return fsum(done.times.get(key, 0.0) for key in FAULTS)


def _own_code(done: Done) -> float:
    return done.times.get(USER_CODE, 0.0) - done.times.get(LOOKUPS, 0.0)
