# SPDX-License-Identifier: GPL-2.0-only
"""Parameters of repeated string instructions, from ones of several lengths."""

from collections.abc import Mapping

from kassay.labs.predict.calibrate.caches import beyond_l3
from kassay.labs.predict.calibrate.facts import Estimate, Facts, Rule, Unmeasured, plain
from kassay.labs.predict.calibrate.samples import curve
from kassay.labs.predict.calibrate.steps import crossing

LONG = 256
"""Bytes of the shortest string that is not "short"; strings from here to a page give the costs per line."""
_PAGE = 4096


def _lines(kind: str, how: str) -> Rule:
    """Cycles a line in the first level, from repeated string instructions of two lengths."""

    def rule(facts: Facts) -> Estimate:
        short, long = facts.point(f"{kind}:{LONG}"), facts.point(f"{kind}:{_PAGE}")
        lines = (_PAGE - LONG) / 64
        value = (long.value - short.value) / lines
        return Estimate(value, max(0.0, (long.low - short.high) / lines), (long.high - short.low) / lines, long.n,
                        f"{how} of {_PAGE} bytes against {LONG} ({kind})")  # fmt: skip

    return rule


def _beyond(kind: str, size: int, how: str) -> Rule:
    """Cycles a line of a string that is larger than the level above it: none of its lines is there."""
    return plain(f"{kind}:{size}", f"{how} of {size} bytes", times=64 / size)


def _start(kind: str, how: str) -> Rule:
    """Before the first line, of a string that is not short."""

    def rule(facts: Facts) -> Estimate:
        whole, line = facts.point(f"{kind}:{LONG}"), _lines(kind, how)(facts)
        lines = LONG / 64
        return Estimate(max(0.0, whole.value - lines * line.value), max(0.0, whole.low - lines * line.high),
                        max(0.0, whole.high - lines * line.low), whole.n,
                        f"{how} of {LONG} bytes less its lines ({kind})")  # fmt: skip

    return rule


def _last_short(facts: Facts, kind: str, how: str) -> Estimate:
    """The longest string that starts at once; 0 where none does."""
    points = {size: value for size, value in curve(facts.measured, kind).items() if size <= LONG}
    line = _lines(kind, how)(facts)
    if len(points) < 3:
        raise Unmeasured
    starts = {size: value - size / 64 * line.value for size, value in points.items()}
    sizes, n = sorted(starts), facts.measured[f"{kind}:{LONG}"].n
    step = crossing(starts, starts[sizes[0]], starts[LONG])
    if step is None or starts[LONG] < 1.5 * starts[sizes[0]]:
        return Estimate(0, 0, sizes[0], n, f"{how} of {sizes[0]} bytes starts like one of {LONG} ({kind})")
    return Estimate(step.after - 1, step.size, step.after - 1, n,
                    f"{how} of {step.size} bytes starts sooner than one of {step.after} ({kind})")  # fmt: skip


def _short_bytes(facts: Facts) -> Estimate:
    return _last_short(facts, "copy", _COPY)


def _short_stores(facts: Facts) -> Estimate:
    found = _last_short(facts, "fill", _FILL)
    value = float(found.value > 0)
    return found._replace(value=value, low=value, high=value)


def _short_start(facts: Facts) -> Estimate:
    whole, line = facts.point("copy:64"), _lines("copy", _COPY)(facts)
    value, low, high = (max(0.0, cycles - line.value) for cycles in whole[:3])
    return Estimate(value, low, high, whole.n, "rep movsb of 64 bytes less its line (copy)")


def _word_start(facts: Facts) -> Estimate:
    """Before the first line of a copy as long as the registers that Linux saves when it is entered; low: of a fill."""
    copied, filled, line = facts.point(_REGISTERS), facts.point("fill_words:168"), _lines("copy", _COPY)(facts)
    lines = 168 / 64 * line.value
    value, high, low = (max(0.0, cycles - lines) for cycles in (copied.value, copied.high, filled.low))
    return Estimate(value, min(low, value), high, copied.n, f"rep movsq of 21 words less its lines ({_REGISTERS})")


def _compare(facts: Facts) -> Estimate:
    small, large = facts.point("compare:64"), facts.point("compare:1024")
    return Estimate(large.value / 1024, 0.0, small.value / 64, large.n, "repe cmpsb of 1024 bytes (compare)")


_FILL, _COPY = "rep stosb", "rep movsb"
_REGISTERS = "copy_words:168"
STRINGS: Mapping[str, Rule] = {
    "rep_short_bytes": _short_bytes, "rep_short_start": _short_start,
    "rep_short_stores": _short_stores, "rep_word_start": _word_start,
    "rep_store_start": _start("fill", _FILL), "rep_store_l1": _lines("fill", _FILL),
    "rep_store_l2": _beyond("fill", 65536, _FILL), "rep_store_l3": _beyond("fill", 4 << 20, _FILL),
    "rep_store_memory": beyond_l3(64 << 20, _beyond("fill", 64 << 20, _FILL)),
    "rep_copy_start": _start("copy", _COPY), "rep_copy_l1": _lines("copy", _COPY),
    "rep_copy_l2": _beyond("copy", 65536, _COPY), "rep_copy_l3": _beyond("copy", 4 << 20, _COPY),
    "rep_copy_memory": beyond_l3(64 << 20, _beyond("copy", 64 << 20, _COPY)),
    "rep_compare": _compare,
}  # fmt: skip
