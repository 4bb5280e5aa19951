# SPDX-License-Identifier: GPL-2.0-only
"""Shares of the primary metric's cost, from the exact profile of one boot of each kernel: by function, by function with
all that it calls, and by the end of the call chain, under keys laid out as the kernel test robot's."""

from collections.abc import Sequence

from kassay.model.finding import REFUSED, Attribution, Finding
from kassay.model.report import KernelStacks, Report
from kassay.model.texts import one_line
from kassay.report.series import MetricGroup

PROFILE = "perf-profile"
_SELF, _CHILDREN, _CHAIN = (f"{PROFILE}.{kind}.instructions." for kind in ("self", "children", "calltrace"))
_SMALLEST = {_SELF: 0.05, _CHILDREN: 0.05, _CHAIN: 0.5}
"""Percent of the whole on some kernel: below that there is no row, as in the robot's tables."""
_LONGEST = 5  # functions in the name of a call chain

Shares = dict[str, float]
"""Key -> percent of what an operation executes."""


def profile_shares(report: Report, group: MetricGroup) -> dict[str, tuple[float, ...]]:
    """Key -> percent on each kernel of the group; no keys unless all kernels have a profile, none of chains and
    callees unless all have call stacks."""
    lead = (group.lead.workload, group.lead.settings, group.lead.machine, group.lead.metric)
    shares: dict[str, Shares] = {}
    values: dict[str, float] = {}
    for f in report.findings:
        if f.attribution is not None and f.verdict not in REFUSED and (*f.point, f.metric) == lead:
            shares |= _own(f, f.attribution)
            values |= {side.kernel: side.value for side in f.sides if side.value}
    stacks = {stack.kernel: stack for stack in report.stacks if (*stack.point, stack.metric) == lead}
    names = [row.kernel for row in group.lead.rows]
    if any(name not in shares for name in names):
        return {}
    if all(name in stacks and name in values for name in names):
        shares = {name: shares[name] | _below(stacks[name], values[name]) for name in names}
    return _rows([shares[name] for name in names])


def _rows(kernels: Sequence[Shares]) -> dict[str, tuple[float, ...]]:
    rows = {
        key: tuple(kernel.get(key, 0.0) for kernel in kernels)
        for key in dict.fromkeys(k for kernel in kernels for k in kernel)
    }
    smallest = {key: next(least for prefix, least in _SMALLEST.items() if key.startswith(prefix)) for key in rows}
    return {key: row for key, row in rows.items() if max(row) >= smallest[key]}


def _own(f: Finding, itemised: Attribution) -> dict[str, Shares]:
    """Shares on both kernels; contexts and modules are summed."""
    by_kernel = {}
    for side, name, value in zip(f.sides, ("base", "head"), (f.base_value, f.head_value), strict=True):
        shares: Shares = {}
        for row in itemised.rows:
            key = f"{_SELF}{one_line(row.function)}"
            shares[key] = shares.get(key, 0.0) + (getattr(row, name) / value * 100 if value else 0.0)
        by_kernel[side.kernel] = shares
    return by_kernel


def _below(stacks: KernelStacks, value: float) -> Shares:
    """Functions with all that they call, and ends of call chains. A function that calls itself counts once."""
    counts: dict[str, int] = {}
    for stack in stacks.stacks:
        names = [one_line(name) for name in stack.path[1:]]
        for key in dict.fromkeys(key for depth in range(len(names)) for key in _keys(names[: depth + 1])):
            counts[key] = counts.get(key, 0) + stack.count
    return {key: count / (stacks.operations * value) * 100 for key, count in counts.items()}


def _keys(path: Sequence[str]) -> tuple[str, str]:
    """Keys of the innermost function of a path: alone, and with its callers, innermost first."""
    return f"{_CHILDREN}{path[-1]}", f"{_CHAIN}{'.'.join(reversed(path[-_LONGEST:]))}"
