# SPDX-License-Identifier: GPL-2.0-only
"""What came of repeating an experiment, in sentences."""

from kassay.bundle.digits import Repeated, Values

_SHOWN = 20


def said(one: Repeated) -> str:
    """A few lines that end with a newline."""
    lines = [_verdict(one)]
    if one.values is not None and not one.same:
        lines.append(f"  {_values(one.values)}")
    lines += [f"  {line}" for line in one.differing[:_SHOWN]]
    if len(one.differing) > _SHOWN:
        lines.append(f"  and {len(one.differing) - _SHOWN} more")
    lines += [f"  not alike to begin with: {line}" for line in one.unlike]
    return "\n".join(lines) + "\n"


def _values(values: Values) -> str:
    if not values.differing:
        return f"yet every figure of the report is the same to the digit: {values.compared} figures"
    return (
        f"{values.differing} of the report's {values.compared} figures differ, "
        f"by {values.widest:.2%} at most: {values.where}"
    )


def _verdict(one: Repeated) -> str:
    if not one.compared:
        return "nothing could be compared: no run of the bundle was made again"
    if one.exact and one.same:
        return f"the same to the digit: {one.compared} runs, {one.rounds} counts (every phase of every round)"
    if one.exact:
        return f"NOT the same: {len(one.differing)} differences in {one.compared} runs"
    cannot = "times cannot be equal to the digit"
    if one.same:
        return f"the same answer: {one.compared} findings, none in another direction, all intervals overlap ({cannot})"
    return f"NOT the same answer: {len(one.differing)} of {one.compared} findings ({cannot})"
