# SPDX-License-Identifier: GPL-2.0-only
"""Estimate plus verdict for one comparison, steps of a ladder, and how much of a change a third kernel takes back."""

import msgspec

from kassay.model.lines import ChangedLines
from kassay.model.machine import AtPoint, MachineUse
from kassay.model.prediction import PREDICTED, Prediction
from kassay.model.reason import Reason
from kassay.model.records import Record, Setting
from kassay.model.timing import CountsAndTime, Timing
from kassay.model.work import CallCost

CONFOUNDERS = {
    "compiler": "the kernels were built by different compilers, or by different versions of one",
    "configuration": "the kernels were configured differently in code that the workload may run, or the configuration "
    "of one of them is not known",
    "cpu": "the machines that executed the two kernels have different CPU features",
    "parameters": "the two kernels were booted with different kernel parameters",
}
"""Every code, in the order in which they are named, with its meaning."""


class Confounder(Record, frozen=True, kw_only=True):
    """One thing in which base and head differ."""

    code: str
    """A word of CONFOUNDERS."""
    name: str = ""
    """Name of the symbol or feature that differs; "" if the code says it all."""
    base: str | None
    """State of base, as "gcc 14.2.0", "y" or "not set"; None when that is not known."""
    head: str | None
    """State of head, in the same form as `base`."""


class Counter(Record, frozen=True, kw_only=True):
    """A counter of the kernel, per operation of the metric; None if a side does not have it."""

    name: str
    """Name of the counter in /proc/vmstat, or of one of analysis.counters."""
    definition: str
    """Events that were counted, and the time over which."""
    base: float | None
    head: float | None


VERDICTS = {
    "regression": "head is worse: of counts by more than the margin, of times by an interval on one side of zero",
    "improvement": "head is better: of counts by more than the margin, of times by an interval on one side of zero",
    "equivalent": "the difference lies inside the margin",
    "inconclusive": "the evidence does not allow a verdict",
    "state-mismatch": "refused: the kernels did not work on the same state",
    "semantic-failure": "refused: the work was not done, or not as declared",
    "contaminated": "refused: other tasks ran inside the measured region",
    "incomplete": "refused: too few runs succeeded",
    "hosts-disagree": "refused: two hosts gave other counts for the same run",
    "different-work": "refused: the program did not do the same work on both kernels",
}
CHANGES = ("regression", "improvement")
"""Verdicts that claim a change."""

REFUSED = ("state-mismatch", "semantic-failure", "contaminated", "incomplete", "hosts-disagree", "different-work")
EVIDENCE = {
    "exact": "counts; all repeats agree to the digit, and perturbed runs give the same verdict",
    "reliable": "timed; six or more boots a side, none failed, none strays, and the interval decides",
    "robust-only": "timed; single boots stray so far that a mean would mislead; the rank test decides without them",
    "partial": "something is missing or in doubt: runs failed or too few, state or order unknown, nothing is decided",
    "unstable": "runs that should agree do not",
    PREDICTED: "a model of the CPU over the exact trace; no verdict, and its interval is the model's own error",
}


DERIVED = "derived"
"""The method of a value that no run gave: it was computed from figures that a file prints."""


class SourceShare(Record, frozen=True, kw_only=True):
    """One source function's part of a row, in the metric's unit per operation."""

    function: str
    """Function in the sources: the row's own, or one that the compiler inlined into it."""
    file: str | None
    """Path from the top of the sources; None if it is not known."""
    line: int | None
    """Line of `file` whose count differs most between base and head; of head, unless only base executes it."""
    base: float
    head: float
    delta: float


class AttributionRow(Record, frozen=True, kw_only=True):
    """One function's share of a difference, in the metric's unit per operation."""

    function: str
    base: float
    """Instructions and string iterations of base."""
    head: float
    """Instructions and string iterations of head."""
    delta: float
    context: str = "kernel"
    """One of contexts.CONTEXTS: user, kernel, interrupt, other or idle; "" when not known."""
    place: str = "kernel"
    """Place of the function: "kernel", a module's name or "program"."""
    base_calls: float = 0.0
    """Entries into the function on base."""
    head_calls: float = 0.0
    """Entries into the function on head."""
    base_iterations: float = 0.0
    """String iterations that are part of `base`."""
    head_iterations: float = 0.0
    """String iterations that are part of `head`."""
    group: int | None = None
    """Index of the group that the row belongs to; None when it stands alone."""
    replaces: int | None = None
    """Index of the row of the function that this one replaces. Only base executes that function, only head this one."""
    source: tuple[SourceShare, ...] = ()
    """Parts of the row by function of the sources, largest change first. Empty unless both kernels have line tables."""


class AttributionGroup(Record, frozen=True, kw_only=True):
    """Functions that vanished or appeared because code was inlined or split out, with the function that holds them."""

    root: str
    """A function both kernels execute, whose callees differ."""
    functions: tuple[str, ...]
    """All members, root first."""
    base: float
    head: float
    delta: float
    counterpart: str = ""
    """Member that has most of the root's code on the other kernel; empty if none is known to have it."""


class Attribution(Record, frozen=True, kw_only=True):
    """A difference, itemised; sum of deltas + unattributed = total = head - base."""

    total: float
    rows: tuple[AttributionRow, ...]
    """Every executed function, largest change first."""
    unattributed: float
    groups: tuple[AttributionGroup, ...] = ()
    sentence: str = ""
    """The largest changes, in words."""
    parts: str = ""
    """Text of `sentence` without the total."""
    base_run: str = ""
    """Run whose profile stands for base."""
    head_run: str = ""
    """Run whose profile stands for head."""
    base_rounds: tuple[int, ...] = ()
    """Rounds of `base_run` that were used, from 0."""
    head_rounds: tuple[int, ...] = ()
    """Rounds of `head_run` that were used, from 0."""


class Side(Record, frozen=True, kw_only=True):
    """One kernel's side of a finding."""

    kernel: str
    value: float | None
    """Cost per operation of the plain runs; None when no run was admitted."""
    method: str
    """Way in which the rounds of a run became one number ("mode of 19/20 rounds")."""
    runs: tuple[float, ...]
    """One value per plain run."""
    perturbed: tuple[float, ...]
    """One value per perturbed run."""
    rounds: tuple[float, ...]
    """All rounds of the first run, per operation, in order."""
    warmup: tuple[float, ...]
    """First rounds that differ from the later ones, per operation, in order."""
    failed: int
    """Number of runs that never succeeded."""
    unmade: int = 0
    """Number of planned runs not tried yet."""
    doubts: tuple[Reason, ...] = ()
    """Reasons why the evidence is weaker than the number of runs suggests."""
    contexts: tuple[tuple[str, float], ...] = ()
    """Pairs (context, share of the measured region) of the first plain run that carries a profile; empty without
    one."""
    chosen: tuple[int, ...] = ()
    """Rounds (from 0) of the first plain run that the value stands for. If the metric is a time, they stand for that
    run alone."""
    blocks: tuple[int, ...] = ()
    """Block in which each of `runs` was made; empty when not known."""
    failed_tries: int = 0
    """Number of attempts that failed, including those of runs that succeeded later."""
    spread: float | None = None
    """Relative standard deviation (population), if a file has that instead of runs. `runs` is then empty."""
    change_text: str = ""
    """Change against the first kernel as a file of means prints it. The rounded means no longer give it."""
    hosts: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Host that made each of `runs`, if the metric is a time; "" is the host that keeps the journal. Not written if
    that host made all."""

    @property
    def made_by(self) -> tuple[str, ...]:
        """The host of each run."""
        return self.hosts or ("",) * len(self.runs)


class StateDifference(Record, frozen=True, kw_only=True):
    """One audited field that should agree and does not."""

    moment: str
    """Time of the audit: before, after, or during for the work done."""
    field: str
    base: str
    head: str


class OneSided(Record, frozen=True, kw_only=True):
    """A function of the kernel that ran on one kernel only, although both have it."""

    function: str
    kernel: str
    """Label of the kernel on which it ran."""
    value: float
    """Cost in the metric's unit, per operation."""
    calls: float
    """Calls per operation."""


class Finding(AtPoint, frozen=True, kw_only=True):
    """One comparison of two kernels in one metric; change is head / base - 1 of counts, and of times what the ranks of
    all boots say it is (statistics.blocked.estimate), which need not be the ratio of the two medians."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    primary: bool
    unit: str
    definition: str
    better: str
    """Direction that is better: "lower", "higher" or "unknown". With "unknown", a regression is not told from an
    improvement."""
    base: str
    head: str
    base_value: float | None
    head_value: float | None
    change: float | None
    interval: tuple[float, float] | None
    n_base: int
    n_head: int
    verdict: str
    evidence: str
    scope: str
    reasons: tuple[Reason, ...]
    sides: tuple[Side, Side]
    differences: tuple[StateDifference, ...] = ()
    attribution: Attribution | None = None
    profile_note: Reason | None = None
    """Reason why there is no attribution; None when there is one or nothing is known of it."""
    floor: float | None = None
    """Relative difference between runs of one kernel that should not differ, over plain and perturbed runs. The larger
    one of the two sides; None when a side has fewer than 2 runs."""
    timing: Timing | None = None
    """Judgement of the times; None for exact counts."""
    standing: str = ""
    """A word of timing.STANDING."""
    confounders: tuple[Confounder, ...] = ()
    """Other differences between the kernels, whether or not the comparison was refused."""
    counters: tuple[Counter, ...] = ()
    """Counters of the kernel that changed while a primary metric was measured."""
    predictions: tuple[Prediction, ...] = ()
    """Predictions of time, one for each CPU that was asked for."""
    calls: tuple[CallCost, ...] = ()
    """Costs of single system calls and faults of a user's program."""
    one_sided: tuple[OneSided, ...] = ()
    """Functions that ran on one kernel only, largest first. Filled if the comparison was refused for unequal state."""
    changed: ChangedLines | None = None
    """Lines that differ between the sources of base and head, executed or not; None unless both were built here."""

    @property
    def kernels(self) -> tuple[str, str]:
        """Labels of the two kernels. Unlike base and head they are never the same."""
        return self.sides[0].kernel, self.sides[1].kernel

    def is_beside(self, row: CountsAndTime) -> bool:
        """True if the row has the time of this comparison."""
        where = (row.workload, row.settings, row.metric, row.cpus, row.memory_bytes)
        same = where == (self.workload, self.settings, self.metric, self.machine.cpus, self.machine.memory_bytes)
        return same and (row.base, row.head) in (self.kernels, (self.base, self.head))


class LadderPoint(Record, frozen=True, kw_only=True):
    """One kernel of a ladder: its side, and the number of plain runs."""

    kernel: str
    value: float | None
    n: int
    side: Side


class LadderStep(Record, frozen=True, kw_only=True):
    """A change between two neighbours of a ladder (`from` is a word of Python, hence the names)."""

    from_kernel: str
    to_kernel: str
    change: float | None
    verdict: str

    @property
    def ends(self) -> tuple[str, str]:
        """Labels of the two kernels."""
        return self.from_kernel, self.to_kernel


class Ladder(AtPoint, frozen=True, kw_only=True):
    """One metric over all kernels, in the order given; steps holds every change that is not equivalent."""

    workload: str
    metric: str
    unit: str
    primary: bool
    settings: tuple[Setting, ...]
    machine: MachineUse
    points: tuple[LadderPoint, ...]
    steps: tuple[LadderStep, ...]


class GapFunction(Record, frozen=True, kw_only=True):
    """One function's (or one group's) part, in the metric's unit per operation."""

    function: str
    lost: float
    """Difference new - old."""
    regained: float
    """Difference new - candidate."""
    share: float
    """Share of the gap that the function closes: regained / (the whole metric's new - old). The shares of all functions
    add up to the share closed."""
    context: str = "kernel"
    """Context of the function, as in AttributionRow."""


class Gap(AtPoint, frozen=True, kw_only=True):
    """share = (new - candidate) / (new - old): 1 is all of it, 0 nothing, below 0 is worse than new, above 1 better
    than old. share is None where there is no gap to close (old and new are not apart), or a comparison was refused;
    reasons say which."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    metric: str
    primary: bool
    unit: str
    old: str
    new: str
    candidate: str
    old_value: float | None
    new_value: float | None
    candidate_value: float | None
    share: float | None
    interval: tuple[float, float] | None
    """Lowest and highest share that the evidence allows; method says how it was made."""
    method: Reason
    n: tuple[int, int, int]
    """Runs of old, new, candidate."""
    evidence: str
    reasons: tuple[Reason, ...] = ()
    functions: tuple[GapFunction, ...] = ()
    """Parts by function, largest |lost| or |regained| first; empty without profiles."""
    unattributed: tuple[float, float] | None = None
    """Parts outside of functions, as (lost, regained)."""
