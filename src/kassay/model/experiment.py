# SPDX-License-Identifier: GPL-2.0-only
"""The question, complete: what is measured, on which kernels and machines, how often."""

from collections import Counter

import msgspec

from kassay.model.kernel import OWN_CPU
from kassay.model.program import ProgramUse
from kassay.model.records import Record
from kassay.model.workload import Workload
from kassay.supply.clocks import clock_of

SCHEMA = "kassay-experiment/1"
ORDERS = ("interleaved", "sandwich", "sequential")
TRACE_BUDGET = "64MiB"
APPLICATION_TRACE_BUDGET = "2GiB"
BOOTS = ("short", "stock", "snapshot")
APART = "apart"
DEFERRED_WORK = ("included", APART)
"""Choices for deferred work: work that the workload queued and the kernel did later. A value includes it by default."""


class Axis(Record, frozen=True, kw_only=True):
    """One workload parameter and the values it takes; more than one value makes a matrix."""

    name: str
    values: tuple[str, ...]


class WorkloadUse(Record, frozen=True, kw_only=True):
    """A workload with its parameters as the user set them (defaults are filled in by the plan)."""

    name: str
    axes: tuple[Axis, ...] = ()
    program: ProgramUse | msgspec.UnsetType = msgspec.UNSET
    """Program of the user, in place of one of kassay's workloads. It is not written unless it is set."""


class KernelUse(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A kernel reference and the extra kernel parameters it boots with.

    name, against, cpu and draw are not written unless they are set, so that experiments keep the hash they had before
    there were such fields.
    """

    ref: str
    cmdline: str = msgspec.field(default_factory=str)  # a factory, so that it is always written
    name: str = ""
    """Name in reports, in place of the reference."""
    against: int | None = None
    """Place of the kernel that it is compared with, in a series."""
    cpu: str = ""
    """CPU that it runs on, if that is not the experiment's."""
    draw: int | None = None
    """Number that its perturbations are drawn by, if that is not its place. Experiments in which a kernel has different
    places can then reuse each other's runs."""


class Experiment(Record, frozen=True, kw_only=True):
    """The question of the user. It has everything that changes a measurement, so its hash names the experiment.

    A field that is UNSET by default is not written unless it is set.
    """

    name: str
    question: str
    """ "compare" (kernels[0] is base, kernels[1] is head), "ladder" (in order), "gap" (old, new, candidate), "series"
    (kernels[0] is base, the others name the kernel they are compared with) or "value" (one kernel, no comparison)."""
    kernels: tuple[KernelUse, ...]
    workloads: tuple[WorkloadUse, ...]
    clock: str = "icount"
    arch: str = "x86_64"
    cpus: tuple[int, ...] = (1,)
    memory_bytes: tuple[int, ...] = (1 << 30,)
    order: str = "interleaved"
    repeats: int = 2
    """Unperturbed runs per kernel and cell. If time is measured, the most boots per kernel, made in blocks and
    looked at after the numbers of timing.LOOKS."""
    perturb: int = 2
    """Additional runs, each with one seeded perturbation of things that should not matter."""
    rounds: int = 20
    """Timed repetitions in one run."""
    seed: int = 1
    margin: float = 0.01
    """Relative change below which two values are called equivalent (0.01 = 1 %)."""
    timeout_s: int = 120
    """Wall seconds after which a run is ended."""
    retries: int = 1
    flavour: str = "cloud"
    """Flavour of archive kernels."""
    boot: str = "short"
    """ "short" adds the kernel parameters that shorten the boot, "stock" leaves them out. "snapshot" is "short" once
    per kernel and perturbation, saved when quiet and restored for each run."""
    profile: str = "auto"
    """Profile of the region: "auto" or a word of profile.MODES."""
    quiesce: bool = True
    """True if the guest waits until it is quiet. False exists to show how a verdict is refused."""
    background: int = 0
    """Tasks that spin beside the workload. They exist to show how a verdict is refused."""
    control: bool = True
    """True if the first kernel has twice as many boots, to compare it with itself. Only if time is measured."""
    machine: str | msgspec.UnsetType = msgspec.UNSET
    """Name of one machine of the clock. UNSET is the clock's first machine."""
    on: str | msgspec.UnsetType = msgspec.UNSET
    """Address of a remote machine."""
    paired: bool | msgspec.UnsetType = msgspec.UNSET
    """True if the N-th value of `cpus` has the N-th of `memory_bytes` only. UNSET is each with each."""
    cpu: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Names of files of supply/cpus, a matrix axis. UNSET is the default of the architecture."""
    nodes: int | msgspec.UnsetType = msgspec.UNSET
    """Nodes of memory. This field and the next eight are those of MachineUse."""
    thp: str | msgspec.UnsetType = msgspec.UNSET
    mthp: str | msgspec.UnsetType = msgspec.UNSET
    swap: str | msgspec.UnsetType = msgspec.UNSET
    memcg: str | msgspec.UnsetType = msgspec.UNSET
    dirty_ratio: str | msgspec.UnsetType = msgspec.UNSET
    percpu_high_fraction: str | msgspec.UnsetType = msgspec.UNSET
    sched: str | msgspec.UnsetType = msgspec.UNSET
    sampled: str | msgspec.UnsetType = msgspec.UNSET
    predict: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Names of CPUs whose time is predicted. One additional plain run of each cell then records a trace."""
    trace_budget: str | msgspec.UnsetType = msgspec.UNSET
    """Largest size of a trace. UNSET is TRACE_BUDGET, or APPLICATION_TRACE_BUDGET for an application."""
    deferred: str | msgspec.UnsetType = msgspec.UNSET
    """A word of DEFERRED_WORK."""
    schema: str = msgspec.field(default=SCHEMA)

    @property
    def timed(self) -> bool:
        """True if values are times, judged by probability; False if they are counts. Raises BadInput for an unknown
        clock, as the next two do."""
        return clock_of(self.clock).timed

    @property
    def repeats_exactly(self) -> bool:
        """True if a run that is made again has the same digits, or the same failure."""
        return clock_of(self.clock).repeats_exactly

    @property
    def depends_on_host(self) -> bool:
        """True if values differ from host to host, and with what else a host does."""
        return clock_of(self.clock).depends_on_host

    def program(self, workload: str) -> ProgramUse | None:
        """The program that the user brought as this workload; None for one of kassay's."""
        return next((use.program or None for use in self.workloads if use.name == workload), None)

    def nodes_for(self, workload: Workload) -> int:
        """Nodes of memory that a workload's machine has: as many as were asked for, and no fewer than it needs."""
        return 1 if clock_of(self.clock).fixed else max(self.nodes or 1, workload.nodes)

    @property
    def needs_profile(self) -> bool:
        """True if some runs are of no use without a profile."""
        return self.profile not in ("auto", "none") or self.traced > 0 or self.apart

    @property
    def profiles_if_possible(self) -> bool:
        """True if runs carry a profile where the machine can make one."""
        return self.profile == "auto" and clock_of(self.clock).counts_work

    @property
    def apart(self) -> bool:
        """True if values leave deferred work out."""
        return self.deferred == APART

    @property
    def traced(self) -> int:
        """Plain runs of each cell that record a trace, after the other ones: 1 where time is predicted, else 0."""
        return 1 if self.predict else 0

    @property
    def controlled(self) -> bool:
        """True if blocks have control boots. Only a random order makes these comparable with the others."""
        return self.timed and self.control and self.order == "interleaved"


def labels(experiment: Experiment) -> tuple[str, ...]:
    """Name of each kernel in reports: its name or reference, with its parameters or place where two would be equal."""
    called = [f"{use.name or use.ref}{use.cpu and OWN_CPU + use.cpu}" for use in experiment.kernels]
    if len(set(called)) == len(called):
        return tuple(called)
    counts = Counter(called)
    named = [
        f"{name} [{use.cmdline}]" if counts[name] > 1 and use.cmdline else name
        for name, use in zip(called, experiment.kernels, strict=True)
    ]
    named_counts = Counter(named)
    positions = ("base", "head") if len(named) == 2 else tuple(f"#{i}" for i in range(1, len(named) + 1))
    return tuple(f"{n} ({p})" if named_counts[n] > 1 else n for n, p in zip(named, positions, strict=True))
