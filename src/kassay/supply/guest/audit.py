# SPDX-License-Identifier: GPL-2.0-only
"""Captured files -> named state. Pure: the same report always gives the same fields.

Names: `range.*` (smaps of the measured range, kB; Dirty is private and shared), `pagemap.*` and `pageflags.*` (pages),
`folios.order*` (pages in folios of that order; only where a workload asks for it), `thp.*`, `vm.*`, `numa.*`,
`memcg.*`, `sched.*`, `swap.*`, `zram.*`, `cpus.online`, `memory.*` (kB), `cmdline`, `kernel`;
`program.*` (kB, of a user's program at its end).
"""

import operator
import re
from collections.abc import Callable

from kassay.model.guest import GuestReport, Requirement
from kassay.supply.guest import _procfs

THP = "/sys/kernel/mm/transparent_hugepage/"
OWN_STAT, OWN_CGROUP = "/proc/self/stat", "/proc/self/cgroup"
RT_RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
_WORDS = (
    ("cmdline", "/proc/cmdline"),
    ("kernel", "/proc/version"),
    ("cpus.online", "/sys/devices/system/cpu/online"),
    ("vm.overcommit_memory", "/proc/sys/vm/overcommit_memory"),
    ("vm.swappiness", "/proc/sys/vm/swappiness"),
    ("vm.max_map_count", "/proc/sys/vm/max_map_count"),
    ("thp.use_zero_page", THP + "use_zero_page"),
    ("thp.khugepaged_defrag", THP + "khugepaged/defrag"),
    ("vm.dirty_ratio", "/proc/sys/vm/dirty_ratio"),
    ("vm.percpu_pagelist_high_fraction", "/proc/sys/vm/percpu_pagelist_high_fraction"),
    ("sched.rt_runtime_us", RT_RUNTIME),
    ("nodes.online", "/sys/devices/system/node/online"),
    ("memcg.max", "/sys/fs/cgroup/kassay/memory.max"),
    ("memcg.current", "/sys/fs/cgroup/kassay/memory.current"),
    ("memcg.swap", "/sys/fs/cgroup/kassay/memory.swap.current"),
    ("zram.disksize", "/sys/block/zram0/disksize"),
)
_CHOICES = (
    ("thp.enabled", THP + "enabled"),
    ("thp.defrag", THP + "defrag"),
    ("thp.shmem_enabled", THP + "shmem_enabled"),
    ("zram.comp_algorithm", "/sys/block/zram0/comp_algorithm"),
)
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


_SECTION = re.compile(r"/sys/module/([^/]+)/sections/([^/]+)")


def sections(report: GuestReport) -> tuple[tuple[tuple[str, str], int], ...]:
    """(module, section) -> where the kernel loaded it, of every module that init loaded."""
    matches = ((_SECTION.fullmatch(file.path), file.content) for file in report.files)
    return tuple(((m[1], m[2]), int(text, 16)) for m, text in matches if m is not None and text is not None)


def fields(report: GuestReport, moment: str) -> dict[str, str | None]:
    """State at "before", "after" or "boot", name to value; None where the guest had no such file.

    Fields inside a file that is absent, or that its kernel does not print, have no entry.
    """
    texts = _texts(report, moment)
    values: dict[str, str | None] = {}
    for name, path in _WORDS:
        values.update(_entry(texts, name, path, str.strip))
    for name, path in _CHOICES:
        values.update(_entry(texts, name, path, _procfs.chosen))
    for path, text in texts.items():
        if path.startswith(THP + "hugepages-"):
            size = path.removeprefix(THP).split("/")[0].removeprefix("hugepages-")
            values[f"thp.{size}"] = None if text is None else _procfs.chosen(text)
    values.update(_entry(texts, "sched.policy", OWN_STAT, _procfs.policy))
    values.update(_entry(texts, "memcg.group", OWN_CGROUP, _procfs.cgroup))
    values.update(_entry(texts, "swap.devices", "/proc/swaps", _procfs.swap_devices))
    values.update(_entry(texts, "boot.quiescence", "kassay/quiescence", _procfs.quiescence))
    for prefix, path in (("pagemap", "kassay/pagemap"), ("pageflags", "kassay/pageflags"), ("folios", "kassay/folios")):
        values.update({f"{prefix}.{name}": str(n) for name, n in _procfs.pairs(texts.get(path) or "").items()})
    values.update({f"memory.{name}": str(n) for name, n in _procfs.meminfo(texts.get("/proc/meminfo") or "").items()})
    values.update(_range_fields(texts.get("kassay/range"), texts.get("/proc/self/smaps")))
    values.update(_program_fields(texts))
    values.update(_node_fields(texts.get("kassay/range"), texts.get("/proc/self/numa_maps")))
    events = _procfs.pairs(texts.get("/sys/fs/cgroup/kassay/memory.events") or "")
    values.update({f"memcg.events.{name}": str(n) for name, n in events.items()})
    return values


def holds(requirement: Requirement, values: dict[str, str | None]) -> bool | None:
    """True if a requirement holds in the fields of its moment; None if that is unknown."""
    value = values.get(requirement.field)
    if value is None:
        return None
    if value.isdecimal() and requirement.value.isdecimal():
        return _COMPARE[requirement.operator](int(value), int(requirement.value))
    if requirement.operator in ("==", "!="):
        return (value == requirement.value) == (requirement.operator == "==")
    return None


def delta(report: GuestReport, prefix: str) -> dict[str, str | None]:
    """Counters that start with `prefix`, after minus before; None for one that only one moment has.

    /proc/vmstat under its own names; per-CPU page lists as pcp.NODE.ZONE.CPU.FIELD; of several CPUs the interrupts
    that each received from others (ipi.KIND.cpuN) and what tasks ran on it (cpuN.ran, cpuN.turns).
    """
    before, after = (_counters(report, moment) for moment in ("before", "after"))
    return {
        name: str(after[name] - before[name]) if name in before and name in after else None
        for name in sorted(before.keys() | after.keys())
        if name.startswith(prefix)
    }


def levels(report: GuestReport) -> dict[str, str | None]:
    """All counters of delta() as they stood right after the region, and memory.* of /proc/meminfo (kB)."""
    memory = _procfs.meminfo(_texts(report, "after").get("/proc/meminfo") or "")
    counters = _counters(report, "after") | {f"memory.{name}": kilobytes for name, kilobytes in memory.items()}
    return {name: str(value) for name, value in counters.items()}


def foreign(report: GuestReport) -> tuple[tuple[str, int], ...] | None:
    """Run time (ns) that tasks other than the workload's gained between before and after, by name, largest first.

    None when the kernel keeps no run times.
    """
    others = _other_tasks(report)
    if others is None:
        return None
    gained: dict[str, int] = {}
    for start, task in others:
        if task.run_ns > start.run_ns:
            gained[task.name] = gained.get(task.name, 0) + task.run_ns - start.run_ns
    return tuple(sorted(gained.items(), key=lambda item: (-item[1], item[0])))


def ran_on(report: GuestReport) -> dict[str, str | None]:
    """Run time (ns) of tasks between before and after by name and the CPU they were last on, as ran.NAME.cpuN; empty
    where there is one CPU, or no run times."""
    before, after = (_procfs.tasks(_texts(report, moment).get("kassay/tasks") or "") for moment in ("before", "after"))
    gained: dict[str, int] = {}
    for pid, cpu in _procfs.placed(_texts(report, "after").get("kassay/placed") or "").items():
        if pid in after:
            name = f"ran.{after[pid].name}.cpu{cpu}"
            since = before[pid].run_ns if pid in before else 0
            gained[name] = gained.get(name, 0) + after[pid].run_ns - since
    return {name: str(ns) for name, ns in gained.items() if ns > 0}


def turns(report: GuestReport) -> int:
    """How often tasks other than the workload's were given a CPU between before and after."""
    return sum(max(task.turns - start.turns, 0) for start, task in _other_tasks(report) or ())


def _other_tasks(report: GuestReport) -> list[tuple[_procfs.Task, _procfs.Task]] | None:
    """Each of them before and after; one that began in between had no run time. None without run times."""
    before, after = (_texts(report, moment).get("kassay/tasks") for moment in ("before", "after"))
    old, new = _procfs.tasks(before or ""), _procfs.tasks(after or "")
    if not any(task.run_ns for task in new.values()):
        return None
    runner_pids = _procfs.own_pids(_texts(report, "after").get("kassay/own") or "")
    return [(old.get(pid, _procfs.Task(task.name, 0, 0)), task) for pid, task in new.items() if pid not in runner_pids]


def online(report: GuestReport) -> int:
    """Number of CPUs that the guest used; 1 if it does not tell."""
    text = (_texts(report, "before").get("/sys/devices/system/cpu/online") or "0").strip()
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text, re.ASCII):
        return 1
    spans = [span.partition("-") for span in text.split(",")]
    return sum(int(last or first) - int(first) + 1 for first, _, last in spans)


def tasks_left_out(report: GuestReport) -> int | None:
    """How many tasks foreign() knows nothing of, as the guest's table was full; None for guests that did not count."""
    text = _texts(report, "after").get("kassay/tasks_left_out")
    return None if text is None else _procfs.pairs(text).get("tasks")


def _texts(report: GuestReport, moment: str) -> dict[str, str | None]:
    return {file.path: file.content for file in report.files if file.moment == moment}


def _entry(
    texts: dict[str, str | None], name: str, path: str, read: Callable[[str], str | None]
) -> dict[str, str | None]:
    """One field of a file that was asked for; no field when the guest did not capture it at this moment."""
    if path not in texts:
        return {}
    text = texts[path]
    return {name: None if text is None else read(text)}


def _range_fields(span: str | None, smaps: str | None) -> dict[str, str | None]:
    """The mappings that the measured range touches, added up; page sizes and the like as their distinct values."""
    bounds = _procfs.span(span or "")
    if bounds is None or smaps is None:
        return {}
    start, end = bounds
    touched = [vma for vma in _procfs.smaps(smaps) if vma.start < end and start < vma.end]
    range_fields: dict[str, str | None] = {"range.vmas": str(len(touched))}
    for name in dict.fromkeys(name for vma in touched for name in vma.fields):
        values = [vma.fields[name] for vma in touched if name in vma.fields]
        if name in _procfs.NOT_A_SUM:
            range_fields[f"range.{name}"] = " ".join(str(value) for value in sorted(set(values)))
        else:
            range_fields[f"range.{name}"] = str(sum(values))
    dirty = [range_fields.get(f"range.{name}") for name in ("Private_Dirty", "Shared_Dirty")]
    if all(dirty):  # one mapping's share of a page decides which of the two it counts for
        range_fields["range.Dirty"] = str(sum(int(kb) for kb in dirty if kb))
    return range_fields


def _node_fields(span: str | None, numa_maps: str | None) -> dict[str, str | None]:
    """Pages of the measured range on each node, and the policies of its mappings."""
    bounds = _procfs.span(span or "")
    if bounds is None or numa_maps is None:
        return {}
    mappings = [vma for vma in _procfs.numa_maps(numa_maps) if bounds[0] <= vma.start < bounds[1]]
    pages: dict[str, int] = {}
    for vma in mappings:
        for node, count in vma.pages.items():
            pages[f"numa.{node}"] = pages.get(f"numa.{node}", 0) + count
    policies = " ".join(sorted({vma.policy for vma in mappings}))
    return {"numa.policy": policies, **{name: str(count) for name, count in sorted(pages.items())}}


def _program_fields(texts: dict[str, str | None]) -> dict[str, str | None]:
    """A user's program at the end of the execution that was watched: all of its mappings added up, without those that
    the kernel makes, and the pages of the largest of them."""
    mappings = [vma for vma in _procfs.smaps(texts.get("kassay/program/smaps") or "") if not vma.of_kernel]
    if not mappings:
        return {}
    program_fields: dict[str, str | None] = {"program.vmas": str(len(mappings))}
    for name in dict.fromkeys(name for vma in mappings for name in vma.fields if name not in _procfs.NOT_A_SUM):
        program_fields[f"program.{name}"] = str(sum(vma.fields.get(name, 0) for vma in mappings))
    peak = _procfs.pairs(texts.get("kassay/program/peak") or "")
    program_fields.update({"program.peak": str(peak["kb"])} if "kb" in peak else {})
    largest = _procfs.span(texts.get("kassay/program/range") or "")
    for vma in mappings if largest is not None else ():
        if (vma.start, vma.end) == largest:
            program_fields.update({f"program.largest.{name}": str(value) for name, value in vma.fields.items()})
    for prefix in ("pagemap", "pageflags"):
        counts = _procfs.pairs(texts.get(f"kassay/program/{prefix}") or "")
        program_fields.update({f"program.largest.{prefix}.{name}": str(count) for name, count in counts.items()})
    return program_fields


def _counters(report: GuestReport, moment: str) -> dict[str, int]:
    texts = _texts(report, moment)
    return {
        **_procfs.pairs(texts.get("/proc/vmstat") or ""),
        **_procfs.page_lists(texts.get("/proc/zoneinfo") or ""),
        **_procfs.interrupts(texts.get("/proc/interrupts") or ""),
        **_procfs.schedstat(texts.get("/proc/schedstat") or ""),
    }
