# SPDX-License-Identifier: GPL-2.0-only
"""The CPU that a guest is given, beside the one that is predicted: which one that is, and what its C library chose."""

import re
from collections.abc import Iterable, Mapping, Sequence

from kassay.labs.predict.timing import Timing, timing_for
from kassay.supply.cpus import Cpu, cpus, cpus_for

_BY_CPU = re.compile(r"__(?:mem|rawmem|str|stp|wcs|wmem)\w*_(?:sse\d?|ssse3|sse4_\d|avx\d*|avx512|evex\d*)(?:_|$)")
"""Names of functions of which a C library has several and takes the one for the CPU that it finds."""
_CHOICES = ("erms", "fsrm", "avx512f")
"""Features of kassay's CPUs by which a C library chooses."""
_UNAFFECTED = "arch_capabilities"
"""Feature by which an Intel CPU says that Meltdown does not affect it, and which QEMU cannot emulate."""
_NAMED, _NOTICED = 3, 0.01


def guest_cpu(timing: Timing) -> Cpu | None:
    """The CPU that a timing file is of, as QEMU may be asked for it: by its name, else by the machine's numbers."""
    known = cpus()
    if timing.name in known:
        return known[timing.name]
    cpuinfo = timing.machine.cpuinfo if timing.machine is not None else {}
    return next(
        (cpu for cpu in known.values() if cpu.identity and all(cpuinfo.get(key) == text for key, text in cpu.identity)),
        None,
    )


def cpu_to_boot(predict: Iterable[str], arch: str) -> str:
    """The CPU that a user's program is to find where its time is predicted for one CPU: that one. "" for the
    architecture's default, where time is predicted for several CPUs, for one that QEMU has no model of, or for one that
    would be slower in the guest than it is: a kernel isolates page tables on an emulated Intel CPU (_UNAFFECTED)."""
    found = [guest_cpu(timing_for(name)) for name in predict]
    cpu = found[0] if found else None
    if cpu is None or any(other is not cpu for other in found):
        return ""
    return cpu.name if cpu.name in cpus_for(arch) and _UNAFFECTED not in cpu.features else ""


def lacking(cpu: Cpu | None, features: Sequence[str]) -> tuple[str, ...]:
    """Features of the real CPU by which a C library chooses, and which the guest's CPU did not have."""
    if cpu is None:
        return ()
    return tuple(name for name in _CHOICES if name in cpu.features and name not in features)


def chosen_by_library(times: Mapping[str, float]) -> tuple[str, ...]:
    """Functions that a C library chose for the guest's CPU, and which have a noticeable part of the time, the largest
    first. times: time by function."""
    least = _NOTICED * sum(times.values())
    chosen = [name for name, time in times.items() if time >= least and _BY_CPU.match(name)]
    return tuple(sorted(chosen, key=lambda name: -times[name])[:_NAMED])
