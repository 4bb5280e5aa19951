# SPDX-License-Identifier: GPL-2.0-only
"""What queueing theory says of a lock: N CPUs, each thinks for a while, then asks for the lock and holds it.

The closed machine-repairman model: one server (the lock), one queue, N customers. mean value analysis (Reiser and
Lavenberg 1980) solves it exactly when times to think and to hold are exponential; the bounds hold for any distribution.
"""

from typing import NamedTuple


class LockModel(NamedTuple):
    """In the unit of the times given. wait: of one acquisition before it has the lock. utilisation: share of time that
    the lock is held. waiting: share of the CPUs' time that is spent on waiting."""

    wait: float
    utilisation: float
    waiting: float


def lock_model(cpus: int, think: float, hold: float) -> LockModel:
    """Exact for exponential times. think: mean time of a CPU between two acquisitions; hold: mean time held.

    Where every hold is equally long, CPUs wait less, half as long at best; where they ask in bursts, more."""
    present = throughput = response = 0.0
    for number in range(1, cpus + 1):
        response = hold * (1 + present)  # who arrives finds what a system with one CPU less has on average
        throughput = number / (think + response) if think + response else 0.0
        present = throughput * response
    cycle = think + response
    return LockModel(response - hold, throughput * hold, (response - hold) / cycle if cycle else 0.0)


def wait_bounds(cpus: int, think: float, hold: float) -> tuple[float, float]:
    """Between which every mean wait lies, whatever the distributions: all CPUs take turns, or all meet each time."""
    return max(0.0, cpus * hold - think - hold), (cpus - 1) * hold
