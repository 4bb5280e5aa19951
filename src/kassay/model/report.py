# SPDX-License-Identifier: GPL-2.0-only
"""The answer, complete and without layout: every format renders this record and nothing else."""

from typing import NamedTuple

from kassay.model.across import AcrossHosts, HostRuns
from kassay.model.bisect import Bisection
from kassay.model.experiment import Experiment
from kassay.model.finding import Finding, Gap, Ladder
from kassay.model.guest import GuestCpu
from kassay.model.kernel import KernelIdentity
from kassay.model.kernel_share import KernelShare
from kassay.model.machine import AtPoint, MachineIdentity, MachineUse
from kassay.model.overview import Overview
from kassay.model.printed import PrintedRow
from kassay.model.profile import StackCost
from kassay.model.reason import Reason
from kassay.model.records import Record, Setting
from kassay.model.run import WallTime
from kassay.model.samples import LkpHeader, Source
from kassay.model.series import Series
from kassay.model.texts import TextBlock
from kassay.model.timing import Beside, Family, SeedFinding
from kassay.model.workload import Workload

SCHEMA = "kassay-report/1"


class RunFailure(Record, frozen=True, kw_only=True):
    """One attempt that did not succeed."""

    run: str
    cell: str
    kernel: str
    attempt: int
    outcome: str
    detail: str


class RunSummary(Record, frozen=True, kw_only=True):
    """Counts of planned runs by their end; failed and refused runs stay counted. retried: attempts beyond the first.

    unmade: planned runs not tried yet, in an unfinished directory. unneeded: planned runs that were not made because
    all was decided before.
    """

    planned: int
    ok: int
    failed: int
    refused: int
    retried: int
    failures: tuple[RunFailure, ...]
    unmade: int = 0
    unneeded: int = 0


class AuditTable(Record, frozen=True, kw_only=True):
    """Audited state of one kernel's cell at one moment, field by field; None is absent, shown as "-"."""

    kernel: str
    settings: tuple[Setting, ...]
    moment: str
    fields: tuple[tuple[str, str | None], ...]
    workload: str = ""
    machine: MachineUse | None = None


class KernelStacks(AtPoint, frozen=True, kw_only=True):
    """Call stacks of one kernel in one metric. operations: what the counts are divided by. unit: per operation."""

    kernel: str
    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    operations: int
    stacks: tuple[StackCost, ...]


class Counted(Record, frozen=True, kw_only=True):
    """One counter of the guest's kernels. name: of /proc/vmstat, or one of analysis.counters.

    kind: "events", counted over the whole measured region, or "level", as it stood right after it. runs: for each
    kernel the figures of its plain runs; None where the kernel has no such counter.
    """

    name: str
    kind: str
    definition: str
    runs: tuple[tuple[int | None, ...], ...]


class PointCounters(AtPoint, frozen=True, kw_only=True):
    """Counters of the kernels at one point, in whole figures for each plain run. kernels: as findings call them.

    operations: for each kernel and plain run, of the primary metric, over all rounds.
    """

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    kernels: tuple[str, ...]
    operations: tuple[tuple[int, ...], ...]
    counters: tuple[Counted, ...]


class Comparisons(NamedTuple):
    """Everything that the evidence says. look: boots per kernel that were judged as times; None for exact counts, and
    before the first look. decided: whether more runs could change no answer, so that planned runs that were not made
    are not needed. stacks: of the primary metrics. counters: of the guest's kernels.
    shares: whose instructions the values of the primary metrics are made of."""

    findings: tuple[Finding, ...]
    ladders: tuple[Ladder, ...]
    families: tuple[Family, ...] = ()
    look: int | None = None
    decided: bool = False
    stacks: tuple[KernelStacks, ...] = ()
    counters: tuple[PointCounters, ...] = ()
    shares: tuple[KernelShare, ...] = ()


class Lead(Record, frozen=True, kw_only=True):
    """Parts of an answer that a question adds to its comparisons, or shows instead of them, for each kind of reader.

    replaces: where it stands in place of the comparisons: "screen", "page", "mail". pairs: the comparisons that the
    answer is about, as labels of base and head; the others explain these. screen: the terminal; page: markdown and
    HTML; mail: a mail, whose tables have no titles. sentences: whether a screen also says in which functions each
    difference is; itemised: whether a page itemises each below the answer. mail_answer: first paragraph of a mail, in
    place of the comparisons;
    mail_also: further ones. subject: of a mail,
    after the workload's name; "" for the subject of the leading comparison. mail_open: what stays unknown of the commit
    that made the change. introduced: where it began, as a regression tracker takes it, and how that was found. repeat:
    the command of kassay with its arguments in place of `compare BASE HEAD`.
    """

    replaces: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    screen: tuple[TextBlock, ...] = ()
    page: tuple[TextBlock, ...] = ()
    mail: tuple[TextBlock, ...] = ()
    sentences: bool = True
    itemised: bool = True
    mail_answer: str = ""
    mail_also: tuple[str, ...] = ()
    subject: str = ""
    mail_open: tuple[str, ...] | None = None
    introduced: tuple[str, str] | None = None
    repeat: tuple[str, ...] = ()
    mail_functions: bool = True
    """True if a mail itemises the leading comparison; false if the question's own tables do."""
    predicts_all: bool = False
    """True if predictions of all comparisons are shown, not of `pairs` alone."""
    lacks_kernel: bool = False
    """True if a kernel that was asked for could not be made."""


class SeenCpu(Record, frozen=True, kw_only=True):
    """A CPU as kernels saw it. kernels: as findings call them."""

    kernels: tuple[str, ...]
    cpu: GuestCpu


class Report(Record, frozen=True, kw_only=True):
    """Everything a reader may ask.

    title: the question in words. verdict: the answer, one or two plain sentences. state: on which state of memory the
    kernels worked. scope: one sentence. gate_fields: the audited fields that must agree.
    next_steps: commands with what each would tell. commands: the exact
    commands that repeat this. spec_toml: the experiment as a file. wall: medians per
    stage over all ok runs. disclosures: what every reader must be told (kernel
    parameters that shorten the boot, known limits). stacks: of the primary metrics, kernels
    of one comparison or ladder in their order; empty when no run carried call stacks. families: one for each
    comparison of several cells. seed_rules: only when asked for. beside: time next to counts, where both were measured;
    beside_machine: what the time was measured on. sources: imported files; empty for own runs.
    gaps: of the question "gap", one for each metric and setting. series, bisection:
    where these were asked for; the findings are then of the series' rows, or of the culprit and the kernel before it.
    overview: of many workloads; findings then have functions only where there is a change of a primary metric.
    lead: what a question puts beside its comparisons, or in their place.
    lkp_header: of an imported table of the kernel test robot. workloads: in their own words; empty for imports.
    guest_sha256, guest_compiler: of the plan: the programs that ran in the measured machine; empty for imports.
    cpus: as the kernels saw them; empty for imports and for directories of earlier versions.
    printed: by users' programs, in the order in which they print it. work: whether they did the same work; None
    without such programs.
    counters: of the guest's kernels, one for each point; empty for imports and for overviews of many workloads.
    shares: whose instructions the values of the primary metrics are made of; of exact counts with a profile.
    hosts: that made the runs; empty where the one that keeps the journal made all. across_hosts: primary comparisons
    of times that several hosts measured, host by host.
    """

    title: str
    verdict: str
    experiment: Experiment
    kernels: tuple[KernelIdentity, ...]
    machine: MachineIdentity
    findings: tuple[Finding, ...]
    ladders: tuple[Ladder, ...]
    runs: RunSummary
    audits: tuple[AuditTable, ...]
    state: Reason
    scope: str
    disclosures: tuple[Reason, ...]
    next_steps: tuple[str, ...]
    commands: tuple[str, ...]
    spec_toml: str
    wall: WallTime
    plan_id: str
    kassay_version: str
    gate_fields: tuple[str, ...] = ()
    stacks: tuple[KernelStacks, ...] = ()
    families: tuple[Family, ...] = ()
    seed_rules: tuple[SeedFinding, ...] = ()
    printed: tuple[PrintedRow, ...] = ()
    work: Reason | None = None
    beside: tuple[Beside, ...] = ()
    beside_machine: MachineIdentity | None = None
    sources: tuple[Source, ...] = ()
    lkp_header: LkpHeader | None = None
    workloads: tuple[Workload, ...] = ()
    gaps: tuple[Gap, ...] = ()
    series: Series | None = None
    bisection: Bisection | None = None
    lead: Lead | None = None
    overview: Overview | None = None
    guest_sha256: tuple[Setting, ...] = ()
    guest_compiler: str = ""
    cpus: tuple[SeenCpu, ...] = ()
    counters: tuple[PointCounters, ...] = ()
    shares: tuple[KernelShare, ...] = ()
    hosts: tuple[HostRuns, ...] = ()
    across_hosts: tuple[AcrossHosts, ...] = ()
    schema: str = SCHEMA
