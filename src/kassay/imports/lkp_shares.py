# SPDX-License-Identifier: GPL-2.0-only
"""From shares of cycles to cycles per operation and function, which the robot never prints."""

from collections.abc import Mapping

from kassay.model.samples import FunctionShares, Spread

Sides = Mapping[str, tuple[Spread, Spread]]
_SELF = "perf-profile.self.cycles-pp."
_UNIT = "cycles/op"
_AGREE = 0.02  # means are printed with three to four digits, and a mean of ratios is not the ratio of means


def function_shares(workload: str, sides: Sides) -> tuple[FunctionShares | None, tuple[str, ...]]:
    """The cost of every printed function per operation, and notes; None, with a note why, when a factor is missing.

    Shares sum to 100 %, so a function's share grows merely because another one shrank; its cost does not.
    """
    work = next((key for key in sides if key.endswith(".workload")), None)
    functions = [key for key in sides if key.startswith(_SELF)]
    missing = [name for name in ("perf-stat.i.cpi", "perf-stat.i.instructions") if name not in sides]
    missing += ["row that ends in .workload"] * (work is None) + [f"{_SELF}*"] * (not functions)
    if work is None or missing:
        return None, (f"no cycles per operation: the mail has no {', '.join(missing)}",)
    totals = [_cycles(sides, "perf-stat.i.cpi", "perf-stat.i.instructions", work, side) for side in (0, 1)]
    if None in totals:
        return None, (f"no cycles per operation: {work} is zero on one side",)
    base, head = (total or 0.0 for total in totals)
    rows = tuple((key.removeprefix(_SELF), _part(sides[key][0], base), _part(sides[key][1], head)) for key in functions)
    shares = FunctionShares(
        workload=workload, unit=_UNIT, base_total=base, head_total=head, rows=rows,
        how=f"share of cycles in the function itself (perf-profile.self) x cycles per second (perf-stat.i.cpi x "
            f"perf-stat.i.instructions) / operations per second ({work}); functions the mail does not print make up "
            "the rest of the total; one it prints as 0.00 is absent",
    )  # fmt: skip
    return shares, _checked(sides, work, base, head)


def _cycles(sides: Sides, cpi: str, instructions: str, work: str, side: int) -> float | None:
    operations = sides[work][side].mean
    return sides[cpi][side].mean * sides[instructions][side].mean / operations if operations > 0 else None


def _part(share: Spread, total: float) -> float | None:
    return share.mean / 100 * total if share.mean > 0 else None


def _checked(sides: Sides, work: str, base: float, head: float) -> tuple[str, ...]:
    """What the same total is by the counters of the whole run, when the mail has them."""
    cpi, instructions = "perf-stat.overall.cpi", "perf-stat.ps.instructions"
    if cpi not in sides or instructions not in sides:
        return ("cycles per operation could not be checked: no perf-stat.overall.cpi and perf-stat.ps.instructions",)
    others = [_cycles(sides, cpi, instructions, work, side) or 0.0 for side in (0, 1)]
    agree = all(abs(other / total - 1) <= _AGREE for other, total in zip(others, (base, head), strict=True) if total)
    return (
        f"cycles per operation: {base:.0f} -> {head:.0f}; by the counters of the whole run {others[0]:.0f} -> "
        f"{others[1]:.0f}, which {'agrees' if agree else 'does NOT agree'} within {_AGREE:.0%}",
    )
