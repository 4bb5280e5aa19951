# SPDX-License-Identifier: GPL-2.0-only
"""The CPU that a guest is given, beside the one that is predicted: which one that is, and what its C library chose."""

import re
from collections.abc import Iterable, Mapping

from kassay.labs.predict.timing import Timing, timing_for
from kassay.model.guest import GuestCpu
from kassay.supply.cpus import Cpu, NeedlessMitigation, cpus, cpus_for

_BY_CPU = re.compile(r"__(?:mem|rawmem|str|stp|wcs|wmem)\w*_(?:sse\d?|ssse3|sse4_\d|avx\d*|avx512|evex\d*)(?:_|$)")
"""Names of functions of which a C library has several and takes the one for the CPU that it finds."""
_CHOICES = ("erms", "fsrm", "avx512f")
"""Features of kassay's CPUs by which a C library chooses."""
_KERNEL_CHOICES = {
    "memset_orig": "fsrs", "memcpy_orig": "fsrm", "rep_movs_alternative": "fsrm", "clear_page_rep": "erms",
    "clear_page_orig": "rep_good",
}  # fmt: skip
"""Functions of a kernel, each with the feature for which it takes other code instead (arch/x86/lib, from 6.4 on)."""
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


def lacking(cpu: Cpu | None, seen: GuestCpu | None) -> tuple[str, ...]:
    """Features of the real CPU by which a C library chooses, and which the guest's CPU did not have."""
    if cpu is None or seen is None or not seen.features:
        return ()
    return tuple(name for name in _CHOICES if name in cpu.features and name not in seen.features)


def needless(cpu: Cpu | None, seen: GuestCpu | None) -> tuple[NeedlessMitigation, ...]:
    """Mitigations that the guest's kernel used and would not use on the real CPU."""
    if cpu is None or seen is None:
        return ()
    states = {item.name: item.value for item in seen.vulnerabilities}
    return tuple(one for one in cpu.needless if one.mitigation in states.get(one.vulnerability, ""))


def chosen_by_library(times: Mapping[str, float]) -> tuple[str, ...]:
    """Functions that a C library chose for the guest's CPU, and which have a noticeable part of the time, the largest
    first. times: time by function."""
    return _noticed([name for name in times if _BY_CPU.match(name)], times)


def chosen_by_kernel(times: Mapping[str, float], cpu: Cpu | None) -> tuple[str, ...]:
    """Functions in place of which a kernel would execute others on the real CPU, as above. None for a CPU that is not
    known."""
    has = frozenset((*cpu.features, *cpu.hidden)) if cpu is not None else frozenset()
    return _noticed([name for name, feature in _KERNEL_CHOICES.items() if feature in has], times)


def features_of(functions: Iterable[str]) -> tuple[str, ...]:
    """The features that a kernel lacked where it chose these functions."""
    return tuple(dict.fromkeys(_KERNEL_CHOICES[name] for name in functions))


def _noticed(functions: Iterable[str], times: Mapping[str, float]) -> tuple[str, ...]:
    least = _NOTICED * sum(times.values())
    large = [name for name in functions if times.get(name, 0.0) >= least > 0]
    return tuple(sorted(large, key=lambda name: -times[name])[:_NAMED])
