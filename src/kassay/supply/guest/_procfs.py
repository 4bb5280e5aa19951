# SPDX-License-Identifier: GPL-2.0-only
"""Parsers of the kernel's text files. A line that is not understood is left out, never an exception."""

import re
from typing import NamedTuple

NOT_A_SUM = ("KernelPageSize", "MMUPageSize", "THPeligible", "ProtectionKey")
"""smaps fields whose values are not added over mappings."""

_VMA = re.compile(r"([0-9a-f]{1,16})-([0-9a-f]{1,16}) [-rwxps]{4} ")
_OF_KERNEL = re.compile(r" \[v(?:dso|var\w*|syscall)\]$")
_FIELD = re.compile(r"([A-Za-z_]+):\s+(\d{1,19})(?: kB)?\s*")
_PAIR = re.compile(r"(\w+) (\d{1,19})")
_MEMORY = re.compile(r"([\w()]+):\s+(\d{1,19})(?: kB)?\s*")
_SPAN = re.compile(r"start 0x([0-9a-f]{1,16}) length (\d{1,19})\n")
_TASK = re.compile(r"(\d{1,9}) (.*)\t(\d{1,19}) \d{1,19} (\d{1,19})")
_CHOSEN = re.compile(r"\[([^\]\s]+)\]")
_ZONE = re.compile(r"Node (\d+), zone\s+(\w+)")
_CPU = re.compile(r"\s+cpu: (\d+)")
_LIST = re.compile(r"\s+(count|high|batch|high_min|high_max):\s+(\d{1,19})")


class Vma(NamedTuple):
    """One mapping of smaps; fields in kB (flags such as THPeligible as they are)."""

    start: int
    end: int
    fields: dict[str, int]
    of_kernel: bool = False
    """True for [vdso], [vvar] and their like: newer kernels map more of them into every process."""


class NodePages(NamedTuple):
    """One mapping of numa_maps."""

    start: int
    policy: str
    pages: dict[str, int]
    """Number of base pages on each node ("N0")."""


class Task(NamedTuple):
    """One task since it began."""

    name: str
    run_ns: int
    """Time on a CPU."""
    turns: int
    """Number of times it was given a CPU."""


def smaps(text: str) -> list[Vma]:
    """/proc/PID/smaps, mapping by mapping."""
    mappings: list[Vma] = []
    for line in text.splitlines():
        if header := _VMA.match(line):
            mappings.append(
                Vma(int(header.group(1), 16), int(header.group(2), 16), {}, _OF_KERNEL.search(line) is not None)
            )
        elif mappings and (field := _FIELD.fullmatch(line)):
            mappings[-1].fields[field.group(1)] = int(field.group(2))
    return mappings


def numa_maps(text: str) -> list[NodePages]:
    """/proc/PID/numa_maps, mapping by mapping; it counts in pages of the mapping's own size."""
    mappings: list[NodePages] = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 2 or not re.fullmatch(r"[0-9a-f]{1,16}", fields[0]):
            continue
        counts = {
            name: int(count) for name, count in (w.split("=") for w in fields if re.fullmatch(r"N\d+=\d{1,19}", w))
        }
        mappings.append(NodePages(int(fields[0], 16), fields[1], counts))
    return mappings


def span(text: str) -> tuple[int, int] | None:
    """kassay/range: (start, end) of the measured range, or None."""
    match = _SPAN.fullmatch(text)
    return None if match is None else (int(match.group(1), 16), int(match.group(1), 16) + int(match.group(2)))


def pairs(text: str) -> dict[str, int]:
    """Lines "name number": /proc/vmstat and our own counts."""
    return {match.group(1): int(match.group(2)) for line in text.splitlines() if (match := _PAIR.fullmatch(line))}


def meminfo(text: str) -> dict[str, int]:
    """/proc/meminfo; kB where the kernel says kB."""
    return {match.group(1): int(match.group(2)) for line in text.splitlines() if (match := _MEMORY.fullmatch(line))}


def chosen(text: str) -> str | None:
    """The bracketed word: "always [madvise] never" -> "madvise"."""
    match = _CHOSEN.search(text)
    return None if match is None else match.group(1)


_POLICIES = {"0": "other", "1": "fifo", "2": "rr", "3": "batch", "5": "idle", "6": "deadline"}
"""Scheduling policies by their number, as sched(7) names them."""
_POLICY_FIELD = 41 - 3
"""proc_pid_stat(5): the policy is field 41; field 3 is the first behind the name, which ends with the last ")"."""


def policy(text: str) -> str | None:
    """The scheduling policy of /proc/PID/stat."""
    words = text.rpartition(")")[2].split()
    return _POLICIES.get(words[_POLICY_FIELD]) if len(words) > _POLICY_FIELD else None


def cgroup(text: str) -> str | None:
    """The group of cgroup2 in /proc/PID/cgroup; None without one."""
    return next((line[3:] for line in text.splitlines() if line.startswith("0::")), None)


def swap_devices(text: str) -> str:
    """Active swap areas of /proc/swaps, which has one line of headings."""
    return str(max(0, len(text.splitlines()) - 1))


def quiescence(text: str) -> str | None:
    """How init's wait ended: "quiet", "busy NAME" (the busiest task), or "unknown"."""
    values = {line.partition(" ")[0]: line.partition(" ")[2] for line in reversed(text.splitlines())}
    if "state" not in values:
        return None
    state = values["state"].partition(" ")[0]
    return f"{state} {values['busy'].rpartition(' ')[0]}" if state == "busy" and "busy" in values else state


def tasks(text: str) -> dict[int, Task]:
    """kassay/tasks by pid; tasks without a run time are left out."""
    return {
        int(match.group(1)): Task(match.group(2), int(match.group(3)), int(match.group(4)))
        for line in text.splitlines()
        if (match := _TASK.fullmatch(line))
    }


def own_pids(text: str) -> frozenset[int]:
    """kassay/own: the tasks that are the workload."""
    return frozenset(int(line.removeprefix("pid ")) for line in text.splitlines() if re.fullmatch(r"pid \d{1,9}", line))


_INTERRUPTS = {
    "Rescheduling interrupts": "reschedule",
    "Function call interrupts": "call_function",
    "TLB shootdowns": "tlb_shootdown",
}


def interrupts(text: str) -> dict[str, int]:
    """Interrupts between CPUs of /proc/interrupts that each CPU received, as ipi.KIND.cpuN."""
    counts: dict[str, int] = {}
    heading, _, rest = text.partition("\n")
    cpus = [word.lower() for word in heading.split()]
    for line in rest.splitlines():
        fields = line.partition(":")[2].split()
        kind = _INTERRUPTS.get(" ".join(fields[len(cpus) :]))
        if kind is not None:
            counts |= {f"ipi.{kind}.{cpu}": int(n) for cpu, n in zip(cpus, fields, strict=False) if n.isdecimal()}
    return counts


def schedstat(text: str) -> dict[str, int]:
    """/proc/schedstat: cpuN.ran (ns that tasks ran) and cpuN.turns (how often one was given the CPU)."""
    counters: dict[str, int] = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 10 and re.fullmatch(r"cpu\d+", fields[0]) and all(word.isdecimal() for word in fields[7:10]):
            counters |= {f"{fields[0]}.ran": int(fields[7]), f"{fields[0]}.turns": int(fields[9])}
    return counters


def placed(text: str) -> dict[int, int]:
    """kassay/placed: task -> the CPU it was last on."""
    rows = (line.split() for line in text.splitlines())
    return {int(row[0]): int(row[1]) for row in rows if len(row) == 2 and all(word.isdecimal() for word in row)}


def page_lists(text: str) -> dict[str, int]:
    """The per-CPU page lists of /proc/zoneinfo, as pcp.NODE.ZONE.CPU.FIELD (pages)."""
    lists: dict[str, int] = {}
    zone = cpu = ""
    for line in text.splitlines():
        if match := _ZONE.match(line):
            zone, cpu = f"{match.group(1)}.{match.group(2)}", ""
        elif match := _CPU.match(line):
            cpu = match.group(1)
        elif zone and cpu and (match := _LIST.match(line)):
            lists[f"pcp.{zone}.{cpu}.{match.group(1)}"] = int(match.group(2))
    return lists
