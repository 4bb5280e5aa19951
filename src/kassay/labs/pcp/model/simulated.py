# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay pcp simulate`: policies of the per-CPU page lists on one workload, setting by setting."""

from kassay.model.records import Record, Setting

SCHEMA = "kassay-pcp-simulation/1"


class PcpPolicy(Record, frozen=True, kw_only=True):
    """A policy of per-CPU page lists."""

    name: str
    kernels: str
    """Kernels whose source it was read from, with versions."""
    summary: str


class PcpSample(Record, frozen=True, kw_only=True, array_like=True):
    """A CPU's list of one zone at one moment."""

    time_ns: int
    cpu: int
    zone: int
    count: int
    """Pages in the list."""
    high: int
    """Value of the list's high, in pages."""
    refilled: int
    """Pages refilled since the counters began."""
    drained: int
    """Pages drained since the counters began."""


class LockCheck(Record, frozen=True, kw_only=True):
    """The lock as simulated, beside what queueing theory gives for the same number of CPUs, think and hold time.

    Times are means of one acquisition in ns. least, most: between which every queue's wait lies in the long run.
    """

    cpus: int
    """CPUs that took the lock of each zone."""
    think_ns: float
    hold_ns: float
    wait_ns: float
    predicted_ns: float
    least_ns: float
    most_ns: float


class SimulatedCell(Record, frozen=True, kw_only=True):
    """One policy at one setting."""

    policy: str
    settings: tuple[Setting, ...]
    """Settings that differ between cells."""
    parameters: dict[str, int]
    """All parameters that the simulator was given: "run.NAME", "zone0.NAME", "group0.NAME"."""
    counters: dict[str, int]
    """Counters, as docs/explained/pcp-model.md defines them."""
    rates: dict[str, float | None]
    """Rates by their names in RATES."""
    elapsed_ns: int
    """Simulated time after the warm-up."""
    lock: LockCheck | None = None
    """Check of the lock; None without any acquisition, and where no queue describes the zones' locks."""
    samples: tuple[PcpSample, ...] = ()
    """Lists of the first CPUs at each sample."""


class PcpSimulation(Record, frozen=True, kw_only=True):
    """The whole answer."""

    kassay_version: str
    workload: str
    summary: str
    source: str
    """Origin of the workload's numbers."""
    policies: tuple[PcpPolicy, ...]
    cells: tuple[SimulatedCell, ...]
    """Cells, sorted by setting, then by policy."""
    costs: str
    schema: str = SCHEMA


class Rate(Record, frozen=True, kw_only=True):
    """Description of a rate."""

    title: str
    definition: str
    share: bool = False
    """True for a part of 1, which is shown in percent."""


RATES = {
    "from_zone": Rate(
        title="from zone",
        definition="pages that came from the zone (refills, and blocks that bypass the lists), of all pages allocated",
        share=True,
    ),
    "to_zone": Rate(
        title="to zone",
        definition="pages that went back to the zone (drains, and blocks that bypass the lists), of all pages freed",
        share=True,
    ),
    "acquisitions": Rate(
        title="lock/1000", definition="zone-lock acquisitions for 1000 page events (allocations and frees of blocks)"
    ),
    "handovers": Rate(
        title="handed over",
        definition="acquisitions by another CPU than the one before, of all acquisitions",
        share=True,
    ),
    "free_high": Rate(
        title="free_high/1e6", definition="drains of high-order blocks (free_high) for 1 000 000 blocks freed"
    ),
    "lock_held": Rate(
        title="lock held", definition="time that the zone lock is held, of all time, zones' mean", share=True
    ),
    "contention": Rate(
        title="contention",
        definition="time that CPUs wait for the zone lock, of the time that they are not asleep",
        share=True,
    ),
    "high": Rate(title="high", definition="mean high of a PCP over time, pages"),
    "idle_pages": Rate(title="idle pages", definition="mean pages in a PCP over time"),
}
