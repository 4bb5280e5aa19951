# SPDX-License-Identifier: GPL-2.0-only
"""Costs of system instructions, from measured points; and why others are not measured."""

from collections.abc import Mapping

from kassay.labs.predict.calibrate import privileged
from kassay.labs.predict.calibrate.derive import PROBED
from kassay.labs.predict.calibrate.facts import Estimate
from kassay.labs.predict.calibrate.samples import Measured

_SYSTEM = {
    "rdtsc": "rdtsc_many", "rdtscp": "rdtscp_many", "cpuid": "cpuid_many", "pause": "pause_many", "verw": "verw_many",
    "xgetbv": "xgetbv_many", "sfence": "sfence_many", "mfence": "mfence_many", "lfence": "lfence_many",
    "pushf": "pushf_many", "popf": "popf_many", "mov_segment": "mov_segment_many", "rdpid": "rdpid_many",
    "rdrand": "rdrand_many", "serialize": "serialize_many", "rdfsbase": "rdfsbase_many", "wrfsbase": "wrfsbase_many",
    "rdpkru": "rdpkru_many", "wrpkru": "wrpkru_many", "xsave": "xsave_many", "xrstor": "xrstor_many",
    "dmb": "dmb_many", "dsb": "dsb_many", "isb": "isb_many", "yield": "pause_many",
}  # fmt: skip
"""Name in [system] -> point: the same instruction over and over."""

_IN_USER_MODE = frozenset(("clflush", "clflushopt"))
_PRIVILEGED = "privileged: no probe executes it"
_WHY = {
    "retire": "retirement is not slower than dispatch on this CPU, or not seen in user mode",
    "exception_entry": "cannot be told from the kernel's own instructions; [machine.measured] has whole page faults",
    "interrupt_entry": "no probe raises an interrupt at a chosen time",
}
_STANDS = "the value of the nearest CPU stands"


def system_of(measured: Mapping[str, Measured], wanted: Mapping[str, object]) -> dict[str, Estimate]:
    """Costs of system instructions: all that were measured and that a timing file has."""
    costs = {name: cost for name, cost in privileged.costs(measured).items() if name in wanted}
    for name, point in _SYSTEM.items():
        measurement = measured.get(point)
        if measurement is not None and name in wanted:
            costs[name] = Estimate(*measurement, f"one after the other ({point})")
    return costs


def reason_of(name: str, *, system: bool, refused: Mapping[str, str], measured: Mapping[str, Measured]) -> str:
    """Reason why a parameter or a system instruction keeps the value of the nearest CPU."""
    if why := privileged.refusal(name, measured, refused):
        return why
    if name in _WHY:
        return _WHY[name]
    point = _SYSTEM.get(name)
    if point is not None and point in refused:
        return refused[point]
    if system and name not in _IN_USER_MODE:
        return _PRIVILEGED
    if refused and not measured:
        return next(iter(refused.values()))
    if name in PROBED:
        return f"its probe shows nothing here: {_STANDS}"
    return f"no probe of it: {_STANDS}"
