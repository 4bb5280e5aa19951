# SPDX-License-Identifier: GPL-2.0-only
"""Kernel shares of a program as measured, in round figures."""

from collections.abc import Mapping

from kassay.model.kernel_share import EntryCost, FunctionShare, KernelShare
from kassay.model.machine import MachineUse
from kassay.model.records import Setting


def kernel_share(label: str, entries: Mapping[tuple[str, str], tuple[int, int]], *, user: int, machine: MachineUse,
                 settings: tuple[Setting, ...] = (), workload: str = "mprotect") -> KernelShare:  # fmt: skip
    """Share of two operations. entries: (kind, name) -> (count, times); those of the kind "interrupt" are a context."""
    made = tuple(
        EntryCost(kind=kind, name=name, count=count, in_faults=count if kind == "fault" else 0, times=times)
        for (kind, name), (count, times) in entries.items()
    )
    interrupt = sum(one.count for one in made if one.kind == "interrupt")
    kernel = sum(one.count for one in made) - interrupt
    return KernelShare(
        label=label, workload=workload, settings=settings, machine=machine, metric="iteration",
        unit="instructions/file", operations=2, count=user + kernel + interrupt + 70, user=user, kernel=kernel,
        interrupt=interrupt, other=40, idle=20, unresolved=10, entries=made,
        functions=(FunctionShare(function="clear_page", place="kernel", count=kernel // 2, calls=30),),
    )  # fmt: skip
