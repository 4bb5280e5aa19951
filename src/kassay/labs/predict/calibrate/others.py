# SPDX-License-Identifier: GPL-2.0-only
"""CPU time that was not the calibration's: that of other programs, and what a hypervisor gave to other guests."""

import os
from pathlib import Path
from typing import NamedTuple

from kassay.effects import clock

_STAT = Path("/proc/stat")
_COUNTED = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_NOTED = 0.1
"""CPUs from which on others may be part of what was measured."""
_SHORTEST_S = 1.0
"""Time in which the ticks of /proc/stat make no more than a hundredth of a CPU or so."""


class Moment(NamedTuple):
    """CPU time of others up to a moment."""

    at_s: float
    others_s: float


def now() -> Moment:
    """The CPU time of others until now. Its difference to a later moment counts."""
    fields = dict(zip(_COUNTED, map(int, _STAT.read_text().partition("\n")[0].split()[1:]), strict=False))
    busy = sum(ticks for name, ticks in fields.items() if name not in ("idle", "iowait"))
    own = os.times()
    own_s = own.user + own.system + own.children_user + own.children_system
    return Moment(clock.monotonic_s(), busy / os.sysconf("SC_CLK_TCK") - own_s)


def cpus_since(before: Moment) -> float:
    """Number of CPUs that others used on average since a moment; 0 if that was too short ago to tell."""
    after = now()
    elapsed = after.at_s - before.at_s
    return max(0.0, after.others_s - before.others_s) / elapsed if elapsed >= _SHORTEST_S else 0.0


def are_noted(cpus: float) -> bool:
    """True if a reader must be told of others that used so many CPUs."""
    return cpus >= _NOTED
