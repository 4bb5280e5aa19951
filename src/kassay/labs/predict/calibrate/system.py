# SPDX-License-Identifier: GPL-2.0-only
"""Costs of system instructions and latencies of common ones, from measured points; and why others are not measured."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from kassay.labs.predict.calibrate.facts import Estimate
from kassay.labs.predict.calibrate.samples import Measured
from kassay.labs.predict.timing import Entry, Override, Timing

_SYSTEM = {
    "rdtsc": "rdtsc_many", "rdtscp": "rdtscp_many", "cpuid": "cpuid_many", "pause": "pause_many", "verw": "verw_many",
    "xgetbv": "xgetbv_many", "sfence": "sfence_many", "mfence": "mfence_many", "lfence": "lfence_many",
    "dmb": "dmb_many", "dsb": "dsb_many", "isb": "isb_many", "yield": "pause_many",
}  # fmt: skip
"""Name in [system] -> point: the same instruction over and over."""

_LATENCIES: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("imul_chain", ("imul r32,r32", "imul r64,r64"), 0),
    ("mul_chain", ("mul r64",), 0),
    ("lea3_chain", ("lea r64,[b+i*s+d]",), 0),
    ("shl_chain", ("shl r64,cl", "shl r32,cl"), 0),
    ("bsf_chain", ("bsf r64,r64", "bsf r32,r32"), 1),
    ("popcnt_chain", ("popcnt r64,r64", "popcnt r32,r32"), 0),
    ("bts_chain", ("bts r64,i", "bts r32,i"), 0),
    ("adc_chain", ("adc r64,r64", "adc r32,r32"), 0),
    ("cmov_chain", ("cmov* r64,r64", "cmov* r32,r32"), 0),
    ("div32_chain", ("div r32",), 0),
    ("div64_chain", ("div r64",), 0),
)
"""Point, forms of instructions, cycles of what else is in the chain."""

_NEAR = 0.25
"""Cycles that a latency may differ by without being corrected."""

_IN_USER_MODE = frozenset((
    "pushf", "popf", "rdpid", "rdrand", "serialize", "mov_segment", "clflush", "clflushopt", "xsave", "xrstor",
    "rdfsbase", "wrfsbase", "rdpkru", "wrpkru",
))  # fmt: skip
_PRIVILEGED = "privileged: cannot be executed in user mode"
_WHY = {
    "retire": "retirement is not slower than dispatch on this CPU, or not seen in user mode",
    "syscall": "cannot be told from the kernel's own instructions; [machine.measured] has whole system calls",
    "sysret": "cannot be told from the kernel's own instructions; [machine.measured] has whole system calls",
    "swapgs": "cannot be told from the kernel's own instructions; [machine.measured] has whole system calls",
    "exception_entry": "cannot be told from the kernel's own instructions; [machine.measured] has whole page faults",
    "interrupt_entry": "interrupts cannot be raised at a chosen time in user mode",
}
_WHY_PARAMETERS = "no probe of it: the published value stands"


def system_of(measured: Mapping[str, Measured], wanted: Mapping[str, object]) -> dict[str, Estimate]:
    """Costs of those system instructions that user mode may execute, of those that a timing file has."""
    costs = {}
    for name, point in _SYSTEM.items():
        measurement = measured.get(point)
        if measurement is not None and name in wanted:
            costs[name] = Estimate(*measurement, f"one after the other ({point})")
    return costs


def latencies_of(measured: Mapping[str, Measured], timing: Timing) -> tuple[Override, ...]:
    """An override for each form whose latency was measured to be another than the file's."""
    overrides = []
    for point, patterns, less in _LATENCIES:
        measurement = measured.get(point)
        if measurement is None:
            continue
        latency = round(measurement.value - less, 1)
        for form in timing.instructions:
            if not any(fnmatchcase(form, pattern) for pattern in patterns):
                continue
            uops, before, ports = _entry(timing, form)
            if abs(latency - before) < _NEAR:
                continue
            # A unit that is busy for the whole time, as a divider is, is so for the measured time.
            mask, _, busy = ports.rpartition("x")
            if before > 4 and "/" not in ports and busy == f"{before:g}":
                ports = f"{mask}x{round(latency)}"
            how = f"measured: latency; {measurement.n} samples ({point}); was {before:g}"
            overrides.append(Override(forms=(form,), entry=(uops, latency, ports), source=how))
    return tuple(overrides)


def _entry(timing: Timing, form: str) -> Entry:
    for override in timing.overrides:
        if any(fnmatchcase(form, pattern) for pattern in override.forms):
            return override.entry
    return timing.instructions[form]


def reason_of(name: str, *, system: bool, refused: Mapping[str, str], measured: Mapping[str, Measured]) -> str:
    """Reason why a parameter or a system instruction keeps the value of a published file."""
    if name in _WHY:
        return _WHY[name]
    point = _SYSTEM.get(name)
    if point is not None and point in refused:
        return refused[point]
    if system and name not in _IN_USER_MODE:
        return _PRIVILEGED
    if refused and not measured:
        return next(iter(refused.values()))
    return _WHY_PARAMETERS
