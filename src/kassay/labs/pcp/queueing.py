# SPDX-License-Identifier: GPL-2.0-only
"""A queueing model of a lock: each of N CPUs runs without it ("thinks"), then waits for it, and holds it.

The closed machine-repairman model: one server (the lock), one queue, N customers. Mean value analysis (Reiser and
Lavenberg 1980) solves it exactly when times to think and to hold are exponential; the bounds hold for any distribution.
"""

from typing import NamedTuple


class LockModel(NamedTuple):
    """Load of a lock. Times are in the unit of the times given."""

    wait: float
    """Mean wait of one acquisition before it has the lock."""
    utilisation: float
    """Share of time that the lock is held."""
    waiting: float
    """Share of the CPUs' time that is spent on waiting."""


def lock_model(cpus: int, think: float, hold: float) -> LockModel:
    """Exact for exponential times. think: mean time of a CPU between two acquisitions; hold: mean time held.

    With holds of equal length CPUs wait less, half as long at best; with requests in bursts they wait longer."""
    present = throughput = response = 0.0
    for number in range(1, cpus + 1):
        response = hold * (
            1 + present
        )  # an arriving CPU finds the queue that a system with one CPU less has on average
        throughput = number / (think + response) if think + response else 0.0
        present = throughput * response
    cycle = think + response
    return LockModel(response - hold, throughput * hold, (response - hold) / cycle if cycle else 0.0)


def wait_bounds(cpus: int, think: float, hold: float) -> tuple[float, float]:
    """The least and the largest mean wait of any distribution: all CPUs take turns, or all ask at the same time."""
    return max(0.0, cpus * hold - think - hold), (cpus - 1) * hold
