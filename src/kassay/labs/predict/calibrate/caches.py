# SPDX-License-Identifier: GPL-2.0-only
"""Parameters of the caches, from chases of pointers and from streams."""

from collections.abc import Callable, Mapping

from kassay.labs.predict.calibrate.facts import CacheUnfit, Estimate, Facts, Rule, Unmeasured, decision, plain
from kassay.labs.predict.calibrate.points import MEMORY_KIB
from kassay.labs.predict.calibrate.samples import curve
from kassay.labs.predict.calibrate.steps import crossing, step_of

_STRAIGHT_BYTES = 128 << 10
"""Code of the probe straight_code."""
_AHEAD = 1.5
"""Lines of one page are fetched ahead if lines in random order over all pages take so much longer."""


def _cache(name: str, part: int) -> Rule:
    def rule(facts: Facts) -> Estimate:
        value = facts.cache(name)[part]
        return Estimate(value, value, value, 1, f"/sys/devices/system/cpu/cpu0/cache ({name})")

    return rule


def _l1d_latency(facts: Facts) -> Estimate:
    """Where a loaded address has a shorter latency, that of an address which is computed of what was loaded."""
    if not facts.like.get("l1d_chase"):
        return plain("load_chain", "chain of loads that hit")(facts)
    how = "chain of loads that hit, each with an addition, less that"
    return plain("load_computed_chain", how, less=facts.point("add_chain").value)(facts)


def _l1d_chase(facts: Facts) -> Estimate:
    if not facts.like.get("l1d_chase"):
        raise Unmeasured
    return plain("load_chain", "chain of loads that hit, each of which loads the next address")(facts)


def _chase(facts: Facts, probe: str, least: float, most: float) -> Estimate:
    """The smallest latency of chases through regions of least..most bytes: a plateau that others can only raise."""
    points = {kib: facts.measured[f"{probe}:{kib}"] for kib in curve(facts.measured, probe)}
    inside = {kib: point for kib, point in points.items() if least <= kib << 10 <= most}
    if not inside:
        raise Unmeasured
    kib = min(inside, key=lambda size: inside[size].value)
    point = inside[kib]
    return Estimate(point.value, point.low, point.high, point.n, f"pointer chase through {kib} KiB ({probe}:{kib})")


def _missing_chase(facts: Facts) -> str:
    """The chase in which every line misses the second level. If a missing line brings the other one of its pair, a
    chase through all lines finds half of them there, and the model would fetch them ahead once more."""
    try:
        pairs = _adjacent(facts).value
    except Unmeasured:
        pairs = facts.like.get("prefetch_adjacent", 0)
    return "chase_firsts" if pairs else "chase_local"


def _l2_latency(facts: Facts) -> Estimate:
    return _chase(facts, "chase_local", 2 * facts.cache("l1d")[0], facts.cache("l2")[0] / 2)


def _l1i_prefetch(facts: Facts) -> Estimate:
    """Lines of code that are on their way at a time, so that straight code from the second level takes the time that
    it does: the latency over the time of a line. The decoders may be the limit; more lines would then change
    nothing."""
    line, latency = facts.point("straight_code"), _l2_latency(facts).value
    if facts.cache("l1i")[0] > _STRAIGHT_BYTES / 2:
        raise Unmeasured
    value, low, high = (min(16, round(latency / cycles)) for cycles in (line.value, line.high, line.low))
    return Estimate(value, low, high, line.n,
                    f"straight code of 128 KiB takes {line.value:.1f} cycles a line, the second level "
                    f"{latency:.1f} (straight_code, chase_local)")  # fmt: skip


def _code_interval(facts: Facts) -> Estimate:
    """Cycles of a line of code on a CPU that fetches the predicted way ahead."""
    if not facts.like.get("code_ahead"):
        raise Unmeasured
    return Estimate(*facts.point("straight_code"), _l1i_prefetch(facts).how)


def _in_l3(facts: Facts, probe: str) -> Estimate:
    """A chase through regions so large that almost none of them is in the second level by chance."""
    return _chase(facts, probe, 3 * facts.cache("l2")[0], _l3_part(facts))


def _in_memory(facts: Facts, probe: str) -> Estimate:
    return _chase(facts, probe, 2 * _l3_part(facts), MEMORY_KIB << 10)


def _l3_part(facts: Facts) -> int:
    """Bytes of the third level that this machine has: less than its size if a chase through less of it is slow."""
    size, least = facts.cache("l3")[0], 3 * facts.cache("l2")[0]
    points = {kib: value for kib, value in curve(facts.measured, "chase_local").items() if kib << 10 >= least}
    step = step_of(points, least=2) if points else None
    return size if step is None else min(size, step.size << 10)


def beyond_l3(size: int, rule: Rule) -> Rule:
    """A rule of memory, whose probe goes through `size` bytes. Raises CacheUnfit if much of them may be in the third
    level."""

    def checked(facts: Facts) -> Estimate:
        if "l3" in facts.caches and 3 * (part := _l3_part(facts)) > 2 * size:
            raise CacheUnfit(f"its probe reads {size >> 20} MiB, and the third level has {part >> 20} MiB")
        return rule(facts)

    return checked


def _l3_latency(facts: Facts) -> Estimate:
    return _random(facts, _in_l3)


def _memory_latency(facts: Facts) -> Estimate:
    return _random(facts, _in_memory)


def _random(facts: Facts, in_level: Callable[[Facts, str], Estimate]) -> Estimate:
    """A chase in a level; of lines in random order over all of it if those of one page come sooner: the CPU then
    fetches other lines of a page ahead."""
    inside = in_level(facts, _missing_chase(facts))
    try:
        over_all = in_level(facts, "chase_huge")
    except Unmeasured:
        return inside
    return over_all if over_all.value > _AHEAD * inside.value else inside


def _l3_lifetime(facts: Facts) -> Estimate:
    """Lifetime of a line in a third level that others use: the time of a lap of the chase that finds half of its
    lines in it."""
    near, far = _in_l3(facts, "chase_local"), _in_memory(facts, "chase_local")
    least = 3 * facts.cache("l2")[0]
    points = {kib: value for kib, value in curve(facts.measured, "chase_local").items() if kib << 10 >= least}
    step = crossing(points, near.value, far.value)
    size = facts.cache("l3")[0]
    if step is None or size <= step.size << 10:
        return Estimate(0, 0, 0, near.n, "chases through all of the third level have its latency (chase_local)")
    half = (near.value + far.value) / 2
    value, low, high = (round((kib << 10) / 64 * half) for kib in (step.size, step.low, step.high))
    return Estimate(value, low, high, near.n,
                    f"a lap of the largest region whose chase is nearer to the third level's latency than to memory's, "
                    f"at the middle of both, of {size >> 20} MiB that CPUs and guests share (chase_local)")  # fmt: skip


def _adjacent(facts: Facts) -> Estimate:
    """Check whether a missing line brings the other one of its pair: a chase through both lines of each pair is then
    quicker than one through the first lines alone, in the third level and in the largest region. One of them alone
    does not tell: others may have taken a part of the third level from one of the chases."""
    size = facts.cache("l2")[0]
    points = {
        kib: (facts.measured[f"chase_local:{kib}"], facts.measured[f"chase_firsts:{kib}"])
        for kib in curve(facts.measured, "chase_firsts")
        if f"chase_local:{kib}" in facts.measured and kib << 10 >= 3 * size
    }
    if not points:
        raise Unmeasured
    compared = sorted({min(points, key=lambda kib: points[kib][1].value), max(points)})
    cycles = ", ".join(f"{points[kib][0].value:.0f} and {points[kib][1].value:.0f} ({kib} KiB)" for kib in compared)
    return decision(
        all(points[kib][0].value < 0.8 * points[kib][1].value for kib in compared),
        surely=all(points[kib][0].high < 0.8 * points[kib][1].low for kib in compared),
        perhaps=all(points[kib][0].low < 0.8 * points[kib][1].high for kib in compared),
        n=points[compared[0]][1].n,
        how=f"cycles of chases through all lines and through the first lines of pairs: {cycles} "
        "(chase_local, chase_firsts)",
    )


def _l2_write(facts: Facts) -> Estimate:
    written, read = facts.point("write_lines:256"), facts.point("read_lines:256")
    return Estimate(max(0.0, written.value - read.value), max(0.0, written.low - read.high), written.high - read.low,
                    written.n, "stores to each line of 256 KiB, less loads (write_lines, read_lines)")  # fmt: skip


CACHES: Mapping[str, Rule] = {
    "l1i_size": _cache("l1i", 0), "l1i_ways": _cache("l1i", 1),
    "l1i_prefetch": _l1i_prefetch, "code_interval": _code_interval,
    "l1d_size": _cache("l1d", 0), "l1d_ways": _cache("l1d", 1),
    "l1d_latency": _l1d_latency, "l1d_chase": _l1d_chase,
    "l2_size": _cache("l2", 0), "l2_ways": _cache("l2", 1), "l2_latency": _l2_latency,
    "l2_interval": plain("read_lines:256", "one word of each line of 256 KiB, in order"),
    "l2_write": _l2_write,
    "l3_size": _cache("l3", 0), "l3_lifetime": _l3_lifetime, "l3_ways": _cache("l3", 1), "l3_latency": _l3_latency,
    "l3_interval": plain("read_lines:3072", "one word of each line of 3 MiB, in order"),
    "memory_latency": _memory_latency,
    "memory_interval": beyond_l3(
        MEMORY_KIB << 10, plain(f"read_lines:{MEMORY_KIB}", "one word of each line of 128 MiB, in order")
    ),
    "prefetch_adjacent": _adjacent,
}  # fmt: skip
