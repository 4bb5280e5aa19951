# SPDX-License-Identifier: GPL-2.0-only
"""The answer, complete and without layout: every format renders this record and nothing else."""

from typing import NamedTuple

from kassay.model.bisect import Bisection
from kassay.model.experiment import Experiment
from kassay.model.finding import Finding, Gap, Ladder
from kassay.model.guest import GuestCpu
from kassay.model.host_comparison import HostComparison, HostRuns
from kassay.model.kernel import KernelIdentity
from kassay.model.kernel_share import KernelShare
from kassay.model.machine import AtPoint, MachineIdentity, MachineUse
from kassay.model.overview import Overview
from kassay.model.printed_values import PrintedRow
from kassay.model.profile import StackCost
from kassay.model.reason import Reason
from kassay.model.records import Record, Setting
from kassay.model.run import WallTime
from kassay.model.samples import LkpHeader, Source
from kassay.model.series import Series
from kassay.model.texts import TextBlock
from kassay.model.timing import CountsAndTime, Family, SeedFinding, TimedBoot
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
    """Counts of planned runs by their end. Failed and refused runs stay counted."""

    planned: int
    ok: int
    failed: int
    refused: int
    retried: int
    """Attempts beyond the first."""
    failures: tuple[RunFailure, ...]
    unmade: int = 0
    """Planned runs not tried yet, in an unfinished directory."""
    unneeded: int = 0
    """Planned runs that were not made because all was decided before."""


class AuditTable(Record, frozen=True, kw_only=True):
    """Audited state of one kernel's cell at one moment, field by field; None is absent, shown as "-"."""

    kernel: str
    settings: tuple[Setting, ...]
    moment: str
    fields: tuple[tuple[str, str | None], ...]
    workload: str = ""
    machine: MachineUse | None = None


class KernelStacks(AtPoint, frozen=True, kw_only=True):
    """Call stacks of one kernel in one metric."""

    kernel: str
    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    unit: str
    """Unit of the counts per operation."""
    operations: int
    """Number by which the counts are divided."""
    stacks: tuple[StackCost, ...]


class Counted(Record, frozen=True, kw_only=True):
    """One counter of the guest's kernels."""

    name: str
    """Name in /proc/vmstat, or one of analysis.counters."""
    kind: str
    """ "events", counted over the whole measured region, or "level", as it stood right after it."""
    definition: str
    runs: tuple[tuple[int | None, ...], ...]
    """Figures of the plain runs of each kernel; None if the kernel has no such counter."""


class PointCounters(AtPoint, frozen=True, kw_only=True):
    """Counters of the kernels at one point, in whole figures for each plain run."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    kernels: tuple[str, ...]
    """Kernels, as findings name them."""
    operations: tuple[tuple[int, ...], ...]
    """Operations of the primary metric over all rounds, for each kernel and plain run."""
    counters: tuple[Counted, ...]


class Comparisons(NamedTuple):
    """All results from the evidence."""

    findings: tuple[Finding, ...]
    ladders: tuple[Ladder, ...]
    families: tuple[Family, ...] = ()
    look: int | None = None
    """Boots per kernel that were judged as times; None for exact counts, and before the first look."""
    decided: bool = False
    """True if more runs could change no answer. Planned runs that were not made are not needed then."""
    stacks: tuple[KernelStacks, ...] = ()
    """Call stacks of the primary metrics."""
    counters: tuple[PointCounters, ...] = ()
    """Counters of the guest's kernels."""
    shares: tuple[KernelShare, ...] = ()
    """Parts of the values of the primary metrics, by who executed them."""


class Lead(Record, frozen=True, kw_only=True):
    """Parts of an answer that a question adds to its comparisons, or shows instead of them."""

    blocks: tuple[TextBlock, ...] = ()
    """Stand before the comparisons, each for its readers. Their order is that of reading."""
    replaces: tuple[str, ...] = ()
    """Ways of reading in which the blocks stand in place of the comparisons, as in TextBlock.readers."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Comparisons that the answer is about, as labels of base and head. The others explain these."""
    sentences: bool = True
    """True if a screen also names the functions of each difference."""
    itemised: bool = True
    """True if a page itemises each difference below the answer."""
    mail_answer: str = ""
    """First paragraph of a mail, in place of the comparisons."""
    mail_also: tuple[str, ...] = ()
    """Further paragraphs of a mail."""
    subject: str = ""
    """Subject of a mail after the workload's name. By default it is made from the leading comparison."""
    mail_open: tuple[str, ...] | None = None
    """Facts that stay unknown about the commit that made the change."""
    introduced: tuple[str, str] | None = None
    """Commits with which a regression began, as a regression tracker takes them, and the way in which they were
    found."""
    repeat: tuple[str, ...] = ()
    """Command of kassay with its arguments in place of `compare BASE HEAD`."""
    mail_functions: bool = True
    """True if a mail itemises the leading comparison; false if the question's own tables do."""
    names_unexecuted: bool = False
    """True if the answer itself names the changed lines that were not executed."""
    predicts_all: bool = False
    """True if predictions of all comparisons are shown, not of `pairs` alone."""
    of_patches: bool = False
    """True if the kernels differ by patches, which no release has."""
    lacks_kernel: bool = False
    """True if a kernel that was asked for could not be made."""
    weak: bool = False
    """True if the answer has weaker evidence than the comparison that leads it."""


NO_LEAD = Lead()
"""Nothing is added: the answer of the question is its comparisons."""


class SeenCpu(Record, frozen=True, kw_only=True):
    """A CPU as kernels saw it."""

    kernels: tuple[str, ...]
    """Kernels, as findings name them."""
    cpu: GuestCpu


class Times(NamedTuple):
    """The timed runs of a directory, for the files of other tools."""

    findings: tuple[Finding, ...]
    ladders: tuple[Ladder, ...]
    seed_rules: tuple[SeedFinding, ...]
    """Comparisons of `findings` by the rules of the seeds, in the same order."""
    boots: tuple[TimedBoot, ...]
    """All attempts in the order in which they were made."""
    experiment: Experiment
    """Experiment of the timed runs, which has the margin and the order of the boots."""


class Report(Record, frozen=True, kw_only=True):
    """All data that a reader may ask for."""

    title: str
    """Question in words."""
    verdict: str
    """Answer in one or two plain sentences."""
    experiment: Experiment
    kernels: tuple[KernelIdentity, ...]
    machine: MachineIdentity
    findings: tuple[Finding, ...]
    """All comparisons. For a series, those of its rows; for a bisection, that of the culprit and the kernel before
    it."""
    ladders: tuple[Ladder, ...]
    runs: RunSummary
    audits: tuple[AuditTable, ...]
    state: Reason
    """State of memory that the kernels worked on."""
    scope: str
    """Limits of the answer, in one sentence."""
    disclosures: tuple[Reason, ...]
    """Statements that every reader must know, such as kernel parameters that shorten the boot, and known limits."""
    next_steps: tuple[str, ...]
    """Commands, each with what it would tell."""
    commands: tuple[str, ...]
    """Exact commands that repeat this."""
    spec_toml: str
    """Experiment as a file."""
    wall: WallTime
    """Medians per stage over all ok runs."""
    plan_id: str
    kassay_version: str
    gate_fields: tuple[str, ...] = ()
    """Audited fields that must agree."""
    stacks: tuple[KernelStacks, ...] = ()
    """Call stacks of the primary metrics, kernels of one comparison or ladder in their order. Empty if no run
    carried call stacks."""
    families: tuple[Family, ...] = ()
    """One for each comparison of several cells."""
    seed_rules: tuple[SeedFinding, ...] = ()
    """Results by the rules of the seeds; only if they were asked for."""
    printed: tuple[PrintedRow, ...] = ()
    """Values that users' programs printed, in the order in which they print them."""
    work: Reason | None = None
    """Statement whether users' programs did the same work; None without such programs."""
    beside: tuple[CountsAndTime, ...] = ()
    """Time next to counts, where both were measured."""
    beside_machine: MachineIdentity | None = None
    """Machine on which the time was measured."""
    sources: tuple[Source, ...] = ()
    """Imported files; empty for own runs."""
    lkp_header: LkpHeader | None = None
    """Header of an imported table of the kernel test robot."""
    workloads: tuple[Workload, ...] = ()
    """Workloads in their own words; empty for imports."""
    gaps: tuple[Gap, ...] = ()
    """One for each metric and setting of the question "gap"."""
    series: Series | None = None
    """Rows of a series; None for other questions."""
    bisection: Bisection | None = None
    """Steps of a bisection; None for other questions."""
    lead: Lead = NO_LEAD
    """Parts that a question adds to its comparisons, or shows instead of them."""
    overview: Overview | None = None
    """Overview of many workloads. Findings then have functions only if a primary metric changed."""
    guest_sha256: tuple[Setting, ...] = ()
    """Hashes of the programs that ran in the measured machine, from the plan; empty for imports."""
    guest_compiler: str = ""
    """Compiler of these programs, from the plan; empty for imports."""
    cpus: tuple[SeenCpu, ...] = ()
    """CPUs as the kernels saw them; empty for imports and for directories of earlier versions."""
    counters: tuple[PointCounters, ...] = ()
    """Counters of the guest's kernels, one for each point; empty for imports and for overviews of many workloads."""
    shares: tuple[KernelShare, ...] = ()
    """Parts of the values of the primary metrics, by who executed them. Only for exact counts with a profile."""
    hosts: tuple[HostRuns, ...] = ()
    """Hosts that made the runs. Empty if all runs were made on the host that keeps the journal."""
    across_hosts: tuple[HostComparison, ...] = ()
    """Primary comparisons of times that several hosts measured, host by host."""
    times: Times | None = None
    """Timed runs, of this directory or of the one beside the counts. No format but `framework` shows them by boot."""
    schema: str = SCHEMA
