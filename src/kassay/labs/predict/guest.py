# SPDX-License-Identifier: GPL-2.0-only
"""The CPU that a guest is given, beside the one that is predicted: which one that is, and what its C library chose."""

import re
from collections.abc import Iterable, Sequence

from kassay.labs.predict.timing import Timing, timing_for
from kassay.supply.cpus import Cpu, cpus, cpus_for

_BY_CPU = re.compile(r"_(?:sse\d?\w*|ssse3|avx\w*|evex\w*|erms|fsrm)$|_(?:sse2|ssse3|sse4_\d|avx|avx2|evex)_")
"""Names of functions of which a C library has several and takes the one for the CPU that it finds."""
_CHOICES = ("erms", "fsrm", "avx512f")
"""Features of kassay's CPUs by which a C library chooses."""
_NAMED = 3


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
    architecture's default, where time is predicted for several CPUs or for one that QEMU has no model of."""
    names = {cpu.name if (cpu := guest_cpu(timing_for(name))) is not None else "" for name in predict}
    name = names.pop() if len(names) == 1 else ""
    return name if name in cpus_for(arch) else ""


def lacking(cpu: Cpu | None, features: Sequence[str]) -> tuple[str, ...]:
    """Features of the real CPU by which a C library chooses, and which the guest's CPU did not have."""
    if cpu is None:
        return ()
    return tuple(name for name in _CHOICES if name in cpu.features and name not in features)


def chosen_by_library(functions: Iterable[str]) -> tuple[str, ...]:
    """Those of the executed functions that a C library chose for the guest's CPU."""
    return tuple(dict.fromkeys(name for name in functions if _BY_CPU.search(name)))[:_NAMED]
