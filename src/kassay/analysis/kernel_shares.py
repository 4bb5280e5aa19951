# SPDX-License-Identifier: GPL-2.0-only
"""Profiles -> whose instructions a value is made of: user code, the kernel by entry and function, others."""

from collections.abc import Iterable, Sequence

from kassay.analysis.itemised import Profiles, cell_of
from kassay.model.contexts import CONTEXTS
from kassay.model.costs import counted
from kassay.model.finding import Finding, Side
from kassay.model.kernel_share import LARGEST, FunctionShare, KernelShare
from kassay.model.plan import Cell
from kassay.model.profile import DEFERRED, NoProfile, Profile
from kassay.supply.clocks import clock_of

_KERNEL = ("kernel", "interrupt", *DEFERRED)


def kernel_shares(findings: Iterable[Finding], cells: Sequence[Cell], profiles: Profiles) -> tuple[KernelShare, ...]:
    """The kernel's share of each primary metric, each kernel once at each point. A value without a usable profile
    has none."""
    shares: dict[tuple[str, str, str], KernelShare] = {}
    for finding in findings:
        if not (finding.primary and clock_of(finding.machine.clock).counts_work):
            continue
        cell = cell_of(finding, cells)
        for side in finding.sides:
            key = (cell.setting_key, finding.metric, side.kernel)
            if key not in shares and (share := _share(finding, side, cell, profiles)) is not None:
                shares[key] = share
    return tuple(shares.values())


def _share(finding: Finding, side: Side, cell: Cell, profiles: Profiles) -> KernelShare | None:
    if side.value is None:
        return None
    try:
        profile = profiles.of(cell, side, finding.metric)
    except NoProfile:
        return None
    if profile.problem:
        return None
    counts = contexts(profile)
    return KernelShare(
        label=side.kernel, workload=finding.workload, settings=finding.settings, machine=finding.machine,
        metric=finding.metric, unit=finding.unit, operations=profile.operations,
        count=sum(counts.values()) + profile.unresolved + profile.idle, user=counts["user"], kernel=counts["kernel"],
        interrupt=counts["interrupt"], other=counts["other"], idle=counts["idle"] + profile.idle,
        unresolved=profile.unresolved, functions=_largest(profile), entries=profile.entries,
        deferred=sum(counts[name] for name in DEFERRED),
    )  # fmt: skip


def contexts(profile: Profile) -> dict[str, int]:
    """Instructions + string iterations by context; every context is there."""
    counts = dict.fromkeys(CONTEXTS, 0)
    for function in profile.functions:
        counts[function.context] += counted(function)
    return counts


def _largest(profile: Profile) -> tuple[FunctionShare, ...]:
    merged: dict[tuple[str, str], FunctionShare] = {}
    for function in profile.functions:
        if function.context in _KERNEL:
            key = (function.function, function.place)
            before = merged.get(key)
            count, calls = counted(function), function.calls
            merged[key] = FunctionShare(
                function=function.function, place=function.place, count=count + (before.count if before else 0),
                calls=calls + (before.calls if before else 0),
            )  # fmt: skip
    return tuple(sorted(merged.values(), key=lambda share: (-share.count, share.function, share.place))[:LARGEST])
