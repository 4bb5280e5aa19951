# SPDX-License-Identifier: GPL-2.0-only
"""The chosen state of a machine: the settings for init, the files that the audit reads, the values that must hold."""

from collections.abc import Iterable, Iterator, Mapping

from kassay.model.guest import Requirement
from kassay.model.machine import SAMPLED, MachineUse
from kassay.model.records import Setting
from kassay.model.units import parse_bytes
from kassay.model.workload import Workload
from kassay.supply.arches import arch_of
from kassay.supply.guest.audit import OWN_CGROUP, OWN_STAT, RT_RUNTIME, THP

CGROUP = "/sys/fs/cgroup/kassay/"
NODES = "/sys/devices/system/node/"
_DIRTY_RATIO = "/proc/sys/vm/dirty_ratio"
_HIGH_FRACTION = "/proc/sys/vm/percpu_pagelist_high_fraction"


def controls(machine: MachineUse) -> tuple[str, ...]:
    """ "FILE VALUE" of every file of the kernel that is set."""
    lines = [f"{THP}enabled {machine.thp}"] if machine.thp else []
    lines += [f"{THP}hugepages-{kb}kB/enabled {policy}" for kb, policy in _sizes(machine)]
    lines += [f"{_DIRTY_RATIO} {machine.dirty_ratio}"] if machine.dirty_ratio else []
    lines += [f"{_HIGH_FRACTION} {machine.percpu_high_fraction}"] if machine.percpu_high_fraction else []
    return tuple(lines)


def init_lines(machine: MachineUse) -> tuple[str, ...]:
    """Lines of the guest's configuration."""
    lines = [f"control={line}" for line in controls(machine)]
    lines += [f"swap_bytes={swap_bytes(machine.swap)}"] if machine.swap else []
    lines += [f"memcg_bytes={parse_bytes(machine.memcg)}"] if machine.memcg else []
    lines += ["fifo=1"] if machine.sched == "fifo" else []
    return tuple(lines)


def program_words(machine: MachineUse) -> tuple[str, ...]:
    """Arguments of the workload's program: which files the audit reads in addition to those of every run."""
    files = ["/proc/self/numa_maps", f"{NODES}online"] if machine.nodes > 1 else []
    files += [f"{NODES}node{node}/distance" for node in range(machine.nodes)] if machine.nodes > 1 else []
    files += [_DIRTY_RATIO] if machine.dirty_ratio else []
    files += [_HIGH_FRACTION] if machine.percpu_high_fraction else []
    files += [OWN_STAT, RT_RUNTIME] if machine.sched else []
    files += [OWN_CGROUP] if machine.memcg else []
    names = ("memory.max", "memory.current", "memory.swap.current", "memory.events") if machine.memcg else ()
    files += [CGROUP + name for name in names]
    arguments = [word for path in files for word in ("--capture", path)]
    counter_files = ("/proc/interrupts", "/proc/schedstat") if (machine.cpus or 1) > 1 else ()
    sampled = ("--sampled", SAMPLED[machine.sampled]) if machine.sampled else ()
    return (*arguments, *(word for path in counter_files for word in ("--counters", path)), *sampled)


_MODULES = {("swap", "zram"): ("zram",), ("holds", "swap"): ("zram",), ("memory", "ext4"): ("brd", "ext4")}
"""Modules by settings of workloads that make a swap area or a file system."""


def modules(workload: Workload, settings: Iterable[Setting], swap: str) -> tuple[str, ...]:
    """Kernel modules that a run needs: its workload, its settings, or the swap of its machine."""
    asked = (module for setting in settings for module in _MODULES.get((setting.name, setting.value), ()))
    return tuple(dict.fromkeys((*workload.modules, *(("zram",) if swap else ()), *asked)))


def requirements(machine: MachineUse, found: Mapping[str, Mapping[str, str | None]]) -> tuple[Requirement, ...]:
    """Requirements that the audit must find fulfilled, before and after.

    found: fields by moment. A run of an earlier version did not capture those of _LATER, and need not have them.
    """
    return tuple(
        Requirement(moment=moment, field=field, operator="==", value=value)
        for field, value in _fields(machine)
        for moment in ("before", "after")
        if field in found[moment] or field not in _LATER
    )


def swap_bytes(text: str) -> int:
    """ "zram:256MiB" -> bytes. Raises ValueError for another kind of swap, and for what is no size."""
    kind, _, size = text.partition(":")
    if kind != "zram" or not size:
        raise ValueError(f"{text!r}: write zram:SIZE, for example zram:256MiB")
    return parse_bytes(size)


_LATER = ("memcg.group", "sched.rt_runtime_us")


def _fields(machine: MachineUse) -> Iterator[tuple[str, str]]:
    if machine.nodes > 1:
        yield "nodes.online", f"0-{machine.nodes - 1}"
    if machine.thp:
        yield "thp.enabled", machine.thp
    yield from ((f"thp.{kb}kB", policy) for kb, policy in _sizes(machine))
    if machine.swap:
        yield "swap.devices", "1"
        yield "zram.disksize", str(swap_bytes(machine.swap))
    if machine.memcg:
        yield "memcg.max", str(parse_bytes(machine.memcg))
        yield "memcg.group", "/kassay"
    if machine.dirty_ratio:
        yield "vm.dirty_ratio", machine.dirty_ratio
    if machine.percpu_high_fraction:
        yield "vm.percpu_pagelist_high_fraction", machine.percpu_high_fraction
    if machine.sched:
        yield "sched.policy", machine.sched
        yield "sched.rt_runtime_us", "-1"


def _sizes(machine: MachineUse) -> Iterator[tuple[int, str]]:
    """kB and policy of each "ORDER=POLICY"."""
    for item in filter(None, machine.mthp.split(",")):
        order, _, policy = item.partition("=")
        yield arch_of(machine.arch).page_bytes // 1024 << int(order), policy
