# SPDX-License-Identifier: GPL-2.0-only
"""The question, complete: what is measured, on which kernels and machines, how often."""

from collections import Counter

import msgspec

from kassay.model.kernel import OWN_CPU
from kassay.model.program import ProgramUse
from kassay.model.records import Record
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
    """A workload with its parameters as the user set them (defaults are filled in by the plan).

    program: what the user brings in place of one of kassay's workloads; not written unless it is set.
    """

    name: str
    axes: tuple[Axis, ...] = ()
    program: ProgramUse | msgspec.UnsetType = msgspec.UNSET


class KernelUse(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A kernel reference and the extra kernel parameters it boots with.

    name: what reports call it instead of its reference. against: of a series, the place of the kernel it is compared
    with. cpu: what it runs on, where that is not the experiment's. None of the three is written unless it is set, so
    that experiments keep the hash they had before there were such fields.
    """

    ref: str
    cmdline: str = msgspec.field(default_factory=str)  # a factory, so that it is always written
    name: str = ""
    against: int | None = None
    cpu: str = ""


class Experiment(Record, frozen=True, kw_only=True):
    """The question of the user. It has everything that changes a measurement, so its hash names the experiment.

    question: "compare" (kernels[0] is base, kernels[1] is head), "ladder" (in order), "gap" (old, new, candidate),
    "series" (kernels[0] is base, the others name whom they are compared with) or "value" (one kernel, no comparison).
    repeats: unperturbed runs per kernel and cell. perturb: further runs, each with one
    seeded perturbation of things that should not matter. margin: the relative change
    below which two values are called equivalent (0.01 = 1 %). rounds: timed repetitions
    in one run. timeout_s: wall seconds after which a run is ended. flavour: of archive
    kernels. boot: "short" adds the kernel parameters that shorten the boot, "stock" leaves them
    out, "snapshot" is "short" once per kernel and perturbation, saved when quiet and restored for each run.
    profile: what is counted inside the region: "auto" or a word of profile.MODES. quiesce: whether the guest waits
    until it is quiet. background: tasks that spin beside the workload; these two exist to show how a verdict is
    refused. Where time is measured, repeats is the most boots per kernel, made in blocks and looked at when
    timing.LOOKS says so; control: whether the first kernel has as many boots more, to compare that kernel with itself.
    machine: name of one machine of the clock; not written unless it is set, when the clock's first machine is meant.
    on: address of a machine that is elsewhere; not written unless it is set.
    cpu: names of files of supply/cpus, a matrix axis; not written unless it is set, when the default of arch is meant.
    nodes, thp, mthp, swap, memcg, dirty_ratio, percpu_high_fraction, sampled: as in MachineUse; not written either
    unless they are set.
    predict: names of CPUs whose time is predicted; one further plain run of each cell then records a trace, of at most
    trace_budget (a size; by default TRACE_BUDGET, of an application APPLICATION_TRACE_BUDGET). Neither is written
    unless it is set. deferred: a word of DEFERRED_WORK; not written unless it is set.
    """

    name: str
    question: str
    kernels: tuple[KernelUse, ...]
    workloads: tuple[WorkloadUse, ...]
    clock: str = "icount"
    arch: str = "x86_64"
    cpus: tuple[int, ...] = (1,)
    memory_bytes: tuple[int, ...] = (1 << 30,)
    order: str = "interleaved"
    repeats: int = 2
    perturb: int = 2
    rounds: int = 20
    seed: int = 1
    margin: float = 0.01
    timeout_s: int = 120
    retries: int = 1
    flavour: str = "cloud"
    boot: str = "short"
    profile: str = "auto"
    quiesce: bool = True
    background: int = 0
    control: bool = True
    machine: str | msgspec.UnsetType = msgspec.UNSET
    on: str | msgspec.UnsetType = msgspec.UNSET
    cpu: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    nodes: int | msgspec.UnsetType = msgspec.UNSET
    thp: str | msgspec.UnsetType = msgspec.UNSET
    mthp: str | msgspec.UnsetType = msgspec.UNSET
    swap: str | msgspec.UnsetType = msgspec.UNSET
    memcg: str | msgspec.UnsetType = msgspec.UNSET
    dirty_ratio: str | msgspec.UnsetType = msgspec.UNSET
    percpu_high_fraction: str | msgspec.UnsetType = msgspec.UNSET
    sampled: str | msgspec.UnsetType = msgspec.UNSET
    predict: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    trace_budget: str | msgspec.UnsetType = msgspec.UNSET
    deferred: str | msgspec.UnsetType = msgspec.UNSET
    schema: str = msgspec.field(default=SCHEMA)

    @property
    def exact(self) -> bool:
        """True if runs are judged as exact counts, False if they are judged as times, by probability. Raises BadInput
        for an unknown clock."""
        return clock_of(self.clock).exact

    def program(self, workload: str) -> ProgramUse | None:
        """The program that the user brought as this workload; None for one of kassay's."""
        return next((use.program or None for use in self.workloads if use.name == workload), None)

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
        return not self.exact and self.control and self.order == "interleaved"


def labels(experiment: Experiment) -> tuple[str, ...]:
    """Name of each kernel in reports: its name or reference, with its parameters or place where two would be equal."""
    called = [f"{use.name or use.ref}{use.cpu and OWN_CPU + use.cpu}" for use in experiment.kernels]
    counts = Counter(called)
    named = [
        f"{name} [{use.cmdline}]" if counts[name] > 1 and use.cmdline else name
        for name, use in zip(called, experiment.kernels, strict=True)
    ]
    named_counts = Counter(named)
    positions = ("base", "head") if len(named) == 2 else tuple(f"#{i}" for i in range(1, len(named) + 1))
    return tuple(f"{n} ({p})" if named_counts[n] > 1 else n for n, p in zip(named, positions, strict=True))
