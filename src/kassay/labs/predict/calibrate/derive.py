# SPDX-License-Identifier: GPL-2.0-only
"""From measured points to parameters of the core model, costs of system instructions and latencies.

Each parameter has one function.
"""

from collections.abc import Mapping
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from kassay.labs.predict.calibrate import privileged
from kassay.labs.predict.calibrate.caches import CACHES
from kassay.labs.predict.calibrate.facts import (
    CacheUnfit,
    Estimate,
    Facts,
    Rule,
    Unmeasured,
    decision,
    plain,
    step_in,
)
from kassay.labs.predict.calibrate.points import CHAINS, PARALLEL_KIB, PARALLEL_NEAR_KIB, WALKED_PAGES
from kassay.labs.predict.calibrate.samples import curve
from kassay.labs.predict.calibrate.steps import level
from kassay.labs.predict.calibrate.strings import STRINGS


class Derived(NamedTuple):
    """Parameters that follow from measured points."""

    estimates: dict[str, Estimate]
    unknown: dict[str, str]
    """Reason, by parameter, if only the size of a cache stands in the way."""


def parameters_of(facts: Facts) -> Derived:
    """Every parameter that the points say something of."""
    estimates, unknown = {}, {}
    for name, rule in _RULES.items():
        try:
            estimates[name] = rule(facts)
        except CacheUnfit as missing:
            unknown[name] = str(missing)
        except Unmeasured:
            continue
    return Derived(estimates, unknown)


def _first(how: str, *points: str, less: float = 0.0) -> Rule:
    """Same as plain(), for the first of the points that this architecture has."""

    def rule(facts: Facts) -> Estimate:
        point = next((name for name in points if name in facts.measured), points[0])
        return plain(point, how, less=less)(facts)

    return rule


def _width(facts: Facts) -> Estimate:
    """The larger of two rates: a mix may be held up by ports, and CPUs need not have a unit for each slot."""
    mixed, nops = facts.point("mixed_many"), facts.measured.get("nop_many")
    rates = [1 / point.value for point in (mixed, nops) if point is not None]
    value = max(ceil(rate - 0.1) for rate in rates)
    how = "instructions of all kinds, or without effect, in a cycle, none waiting (mixed_many, nop_many)"
    return Estimate(value, min(round(rate) for rate in rates), value, mixed.n, how)


def _step(name: str, how: str) -> Rule:
    """In the middle of the two points that a step is between. Before and behind it more instructions take their own
    time, which is taken away."""

    def rule(facts: Facts) -> Estimate:
        points = curve(facts.measured, name)
        step = step_in(level(points))
        n = sum(facts.measured[f"{name}:{size}"].n for size in points)
        return Estimate((step.size + step.after) // 2, step.low, step.high, n, f"{how} ({name})")

    return rule


def _mispredict(facts: Facts) -> Estimate:
    by_chance, never = facts.point("branch_conditional:1"), facts.point("branch_conditional:0")
    # Half of them are mispredicted. Of twice the difference 8 cycles go from the end of the generator's chain to the
    # branch's execution and from dispatch to execution of what follows: so do pairs of programs with such branches.
    whole = 2 * (by_chance.value - never.value)
    return Estimate(whole - 8, whole - 10, 2 * (by_chance.high - never.low), by_chance.n,
                    "branches taken by chance against branches never taken, twice the difference less the 8 cycles "
                    "until the branch executes (branch_conditional)")  # fmt: skip


def _mispredict_return(facts: Facts) -> Estimate:
    """As of a branch, unless the relative tells the two apart: no probe does."""
    if facts.like.get("mispredict_return") != facts.like.get("mispredict"):
        raise Unmeasured
    return _mispredict(facts)


def _return_stack(facts: Facts) -> Estimate:
    points = curve(facts.measured, "call_depth")
    sizes = sorted(points)
    steps = {b: points[b] - points[a] for a, b in pairwise(sizes) if b == a + 1}
    step = step_in(steps, least=1.5)
    # The first of the nested functions is called from outside of them.
    n = sum(facts.measured[f"call_depth:{depth}"].n for depth in points)
    return Estimate(step.size + 1, step.low + 1, step.high + 1, n,
                    "depth of nested calls from which on each level costs a misprediction (call_depth)")  # fmt: skip


def _fill_buffers(facts: Facts) -> Estimate:
    """The larger of what memory and the second level show: memory may have no more lines to give at a time."""
    found = []
    for kib in (PARALLEL_KIB, PARALLEL_NEAR_KIB):
        names = [f"parallel:{(count << 20) + kib}" for count in CHAINS]
        available = [facts.measured[name] for name in names if name in facts.measured]
        if names[0] in facts.measured and len(available) >= 3:
            one, best = available[0], min(available, key=lambda point: point.value)
            found.append((one.value / best.value, one.low / best.high, one.high / best.low, best.n))
    if not found:
        raise Unmeasured
    value, low, high, n = max(found)
    how = "time of one chain of misses by that of many at once, in memory or the second level (parallel)"
    return Estimate(round(value), max(1, int(low)), round(high), n, how)


def _dtlb_entries(facts: Facts) -> Estimate:
    step = step_in({size: value for size, value in curve(facts.measured, "pages_small").items() if size <= 256})
    return Estimate(step.size, step.low, step.high, facts.point("pages_small:64").n,
                    "pages of a chase whose translations are at hand (pages_small)")  # fmt: skip


def _stlb_latency(facts: Facts) -> Estimate:
    near, far = facts.point("pages_small:32"), facts.point("pages_small:256")
    return Estimate(far.value - near.value, max(0.0, far.low - near.high), far.high - near.low, far.n,
                    "a chase of 256 pages against one of 32 (pages_small)")  # fmt: skip


def _stlb_entries(facts: Facts) -> Estimate:
    step = step_in({size: value for size, value in curve(facts.measured, "pages_small").items() if size >= 1024})
    return Estimate(step.size, step.low, step.high, facts.point("pages_small:1024").n,
                    "pages of a chase whose translations are in the second level (pages_small)")  # fmt: skip


def _walk_start(facts: Facts) -> Estimate:
    near, far = facts.point("pages_small:1024"), facts.point("pages_small:8192")
    if far.value < near.value:
        raise Unmeasured
    read = facts.like["l2_latency"] + facts.like["walk_step"]
    value, low, high = (max(0.0, cycles - read) for cycles in (
        far.value - near.value, far.low - near.high, far.high - near.low))  # fmt: skip
    return Estimate(value, low, high, far.n, "a chase of 8192 pages against one of 1024, less one read from the "
                    "second level; under a hypervisor with its second tables (pages_small)")  # fmt: skip


def _forward_fail(facts: Facts) -> Estimate:
    refused, load = facts.point("forward_refused_chain"), facts.point("load_chain")
    value = max(0.0, refused.value - 1 - load.value)
    return Estimate(value, max(0.0, value - 4), refused.value, refused.n,
                    "a load of two smaller stores, less a hit and an addition (forward_refused_chain)")  # fmt: skip


def _split(facts: Facts) -> Estimate:
    split, load = facts.point("load_split_chain"), facts.point("load_chain")
    return Estimate(max(0.0, split.value - load.value), 0.0, max(0.0, split.high - load.low), split.n,
                    "a chain of loads across lines against one inside a line (load_split_chain)")  # fmt: skip


def _least(how: str, *points: str) -> Rule:
    def rule(facts: Facts) -> Estimate:
        available = {point: facts.measured[point] for point in points if point in facts.measured}
        if not available:
            raise Unmeasured
        point = min(available, key=lambda name: available[name].value)
        smallest = available[point]
        highest = max(other.high for other in available.values())
        return Estimate(smallest.value, smallest.low, highest, smallest.n, f"{how} ({', '.join(available)})")

    return rule


def _lock_interval(facts: Facts) -> Estimate:
    """The interval on several lines, which stands for one line too: only bare additions are quicker there."""
    chain = facts.measured.get("lock_add_chain")
    atomic = facts.measured.get("lock_add_lines") or facts.point("lock_add_chain")
    missing = facts.measured.get("read_atomic:256", atomic)
    low = min(atomic.low, chain.low if chain else atomic.low)
    return Estimate(atomic.value, low, max(atomic.high, missing.high), atomic.n,
                    "atomic additions on four lines; low: on one, high: beside misses (lock_add_*)")  # fmt: skip


def _lock_apart(facts: Facts) -> Estimate:
    if "lock_lines_apart" in facts.measured:
        how = "atomic additions on two lines, with other instructions between"
        return plain("lock_lines_apart", how)(facts)
    return _as_at_once("lock_apart", "lock_interval")(facts)


def _as_at_once(name: str, other: str) -> Rule:
    """As `other`, of atomics that follow each other at once, unless the relative tells the two apart: no probe does."""

    def rule(facts: Facts) -> Estimate:
        estimate = _lock_interval(facts)
        if facts.like[name] != facts.like[other]:
            raise Unmeasured(name)
        return estimate

    return rule


def _blocks_loads(facts: Facts) -> Estimate:
    """True if a chain of eight loads takes half an atomic operation longer with one before it."""
    chain, atomic = facts.point("load_chain"), facts.point("lock_add_chain")
    both = facts.point("lock_then_load")
    how = "eight loads in a chain behind an atomic addition (lock_then_load, load_chain, lock_add_chain)"
    return decision(
        both.value > 8 * chain.value + atomic.value / 2,
        surely=both.low > 8 * chain.high + atomic.high / 2, perhaps=both.high > 8 * chain.low + atomic.low / 2,
        n=both.n, how=how,
    )  # fmt: skip


def _fence_load(facts: Facts) -> Estimate:
    """Among other instructions where there is a probe of that: a fence behind another one is quicker."""
    apart, add = facts.measured.get("lfence_apart"), facts.measured.get("add_chain")
    if apart is None or add is None:
        return _least("fences of execution in a row", "lfence_many", "isb_many")(facts)
    value, low, high = (cycles - 8 * add.value for cycles in apart[:3])
    return Estimate(value, low, high, apart.n, "a fence and eight additions, less those (lfence_apart, add_chain)")


def _taken_call(facts: Facts) -> Estimate:
    both, jump = facts.point("call_many"), facts.point("jump_many")
    value, low, high = (max(0.0, (cycles - jump.value) / 2) for cycles in both[:3])
    return Estimate(value, low, high, both.n, "half of a call and its return (call_many, jump_many)")


def _page_walkers(facts: Facts) -> Estimate:
    points = {count >> 20: cycles for count, cycles in curve(facts.measured, "parallel_pages").items()}
    hit = facts.point("pages_small:1024")
    if 2 not in points:
        raise Unmeasured
    most = max(points)
    value = max(1.0, (2 * points[2] - hit.value) / min(points.values()))
    return Estimate(round(value), max(1, round(value) - 2), min(most, round(value) + 2),
                    facts.measured[f"parallel_pages:{(2 << 20) + WALKED_PAGES}"].n,
                    "time of page walks of two chases by that of many at once (parallel_pages)")  # fmt: skip


def _forward(facts: Facts) -> Estimate:
    """The loads of the probes are by one register: where such loads are faster, they say nothing of others."""
    if facts.like.get("forward_based"):
        raise Unmeasured
    return _first("a store, a load of it, an addition, less that", "forward_other_chain", "forward_chain", less=1)(
        facts
    )


def _fence_behind(facts: Facts) -> Estimate:
    """A cycle is that of the store itself."""
    behind, alone = facts.point("mfence_store"), facts.point("mfence_many")
    value, low, high = (
        max(0.0, one - other - 1)
        for one, other in ((behind.value, alone.value), (behind.low, alone.high), (behind.high, alone.low))
    )
    return Estimate(
        value, low, high, behind.n, "a full fence behind a store, less one alone (mfence_store, mfence_many)"
    )


def _drains(facts: Facts) -> Estimate:
    """True if an atomic operation takes longer behind a store to another line."""
    behind, alone = facts.point("lock_after_store"), facts.point("lock_add_chain")
    return decision(
        behind.value > alone.value + 1, surely=behind.low > alone.high + 1, perhaps=behind.high > alone.low + 1,
        n=behind.n, how="an atomic addition behind a store (lock_after_store, lock_add_chain)",
    )  # fmt: skip


_RULES: Mapping[str, Rule] = {
    "width": _width,
    "rob": _step("window_mixed", "instructions between two long waits that overlap"),
    "scheduler": _step("window_dependent", "instructions that wait before a second long wait does not overlap"),
    "load_queue": _step("window_loads", "loads between two long waits that overlap"),
    "store_queue": _step("window_stores", "stores between two long waits that overlap"),
    "mispredict": _mispredict, "mispredict_return": _mispredict_return,
    "taken_branch": plain("jump_many", "jumps to the next one, each taken"), "taken_call": _taken_call,
    "return_stack": _return_stack, "page_walkers": _page_walkers,
    "fill_buffers": _fill_buffers,
    "line_split": _split,
    "dtlb_entries": _dtlb_entries, "stlb_latency": _stlb_latency, "stlb_entries": _stlb_entries,
    "walk_start": _walk_start,
    "store_forward": _forward,
    "store_forward_same": plain("forward_chain", "a store, a load of it by the same register, an addition, less that",
                                less=1),
    "store_forward_fail": _forward_fail,
    "store_interval": plain("store_lines", "stores to four lines that hit"),
    "store_together": plain("store_many", "stores to one line"), "fence_behind": _fence_behind,
    "lock_latency": _first("chain of atomic additions on one line", "lock_xadd_chain", "lock_add_release",
                           "exclusive_add_chain"),
    "lock_value": _first("chain of atomic additions on one line", "lock_xadd_chain", "lock_add_release",
                         "exclusive_add_chain"),
    "lock_interval": _lock_interval, "lock_same": _lock_interval,
    "lock_apart": _lock_apart,
    "lock_again": _as_at_once("lock_again", "lock_same"),
    "lock_overwritten": _as_at_once("lock_overwritten", "lock_same"),
    "lock_blocks_loads": _blocks_loads,
    "lock_drains_stores": _drains,
    "fence_full": _least("full fences in a row", "mfence_many", "dmb_many"),
    "fence_load": _fence_load,
    "exception_entry": lambda facts: privileged.cost_of("exception_entry", facts.measured),
    **CACHES, **STRINGS,
}  # fmt: skip

PROBED = frozenset(_RULES) - {"lock_again", "lock_overwritten"}
"""Parameters that a probe measures. The two that are left out have the probe of another parameter."""
