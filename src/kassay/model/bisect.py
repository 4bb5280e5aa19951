# SPDX-License-Identifier: GPL-2.0-only
"""A search for the change that made a workload slower: what is searched, what each step gave, what was found."""

import msgspec

from kassay.model.experiment import Experiment
from kassay.model.reason import Reason
from kassay.model.records import Record

SCHEMA = "kassay-bisect/1"
KINDS = ("git", "releases", "configuration", "list")
OUTCOMES = {
    "value": "measured",
    "not-built": "the sources do not build; skipped",
    "not-booted": "the kernel does not boot or does not finish; skipped",
    "refused": "measured, but the state gate refuses the figure; skipped",
}


class Candidate(Record, frozen=True, kw_only=True):
    """One kernel that may be the first with the change."""

    name: str
    """A commit's sha1, a release or a symbol."""
    title: str
    """Subject, version or symbol."""
    ref: str
    """The kernel reference that measures it."""
    author: str = ""
    """Author of a commit, as git prints it; "" for other candidates."""
    merged: str = ""
    """The other parents' sha1s if the candidate is a merge; else ""."""


class SearchQuestion(Record, frozen=True, kw_only=True):
    """A search in full. Together with the log it decides every step."""

    kind: str
    """A word of KINDS."""
    range: str
    candidates: tuple[Candidate, ...]
    """Kernels of the range, oldest first. The first one is good, the last one is bad."""
    probe: Experiment
    """Experiment of one boot, to be completed with the kernel."""
    compare: Experiment
    """Experiment that compares the culprit with the kernel before it, to be completed with both kernels. Its margin is
    the relative change below which two exact values are one level."""
    error_rate: float = 0.01
    """Error rate of a search on a clock."""
    steps: str = "all"
    """The word "all" or "largest"; with "nearest" the one candidate between two ends counts as the nearer of them."""
    notes: tuple[str, ...] = ()
    """Remarks on the range, for example that it starts at the merge base and not at the good commit."""
    schema: str = SCHEMA
    state: str | msgspec.UnsetType = msgspec.UNSET
    """Field of the state that is searched in place of the cost. Not written for a search for a cost."""
    compilers: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Compilers by which both ends of a configuration are measured first. Not written without them."""

    @property
    def margin(self) -> float:
        return self.compare.margin

    @property
    def one_boot_decides(self) -> bool:
        """True if one boot of a kernel gives its value; False if boots vary."""
        return self.probe.repeats_exactly


class Observation(Record, frozen=True, kw_only=True):
    """One measured boot, or one that gave no value; one line of the log."""

    number: int
    """Number of the observation in the order made, from 1."""
    candidate: int
    """Position in the range, 0 is good."""
    boot: int
    """Number of the boot of this candidate, from 1."""
    outcome: str
    value: float | None
    """Value in the metric's unit per operation; None unless outcome is "value"."""
    reason: str
    """Reason for measuring this candidate, one line."""
    detail: str = ""
    image_sha256: str | None = None
    build_s: float = 0.0
    """Wall seconds of the build, for planning only."""
    boot_s: float = 0.0
    """Wall seconds of the boot, for planning only."""
    method: str | msgspec.UnsetType = msgspec.UNSET
    """Method by which the rounds became `value`: "mode", "mean" or "median". Not written for times, nor by earlier
    versions."""
    readings: dict[str, float] | msgspec.UnsetType = msgspec.UNSET
    """Value by each of the methods. If candidates have different ones, all are read by the same."""
    state: str | msgspec.UnsetType = msgspec.UNSET
    """Value of the searched field. `value` is then its number in the order in which the values were seen. Not written
    for a search for a cost."""


class Default(Record, frozen=True, kw_only=True):
    """A setting that differs at boot between the two kernels of a step, and the state of the later kernel with the
    earlier value."""

    setting: str
    """Field of the state, as "thp.enabled"."""
    before: str
    """Value on the last kernel without the change."""
    after: str
    """Value on the first kernel with the change."""
    parameter: str
    """Kernel parameter with which the first kernel with the change was given the earlier value."""
    state: str
    """Value of the searched field in the boot with `parameter`; empty if that boot failed."""
    decides: bool
    """True if the boot with `parameter` has the earlier value of the searched field again."""


class ByCompiler(Record, frozen=True, kw_only=True):
    """Both ends of a search over configurations, built by one compiler."""

    compiler: str
    """Name of its program, as in cc=."""
    good: float | None
    """Value of the first configuration, in the metric's unit; None if it was not built, did not boot or was refused."""
    bad: float | None
    """Value of the last configuration, likewise."""
    detail: str = ""
    """Reason for an absent value."""

    @property
    def change(self) -> float | None:
        """bad / good - 1; None without both values."""
        return None if self.good is None or self.bad is None else self.bad / self.good - 1


class Step(Record, frozen=True, kw_only=True):
    """A change that was found."""

    last_without: int
    """Position of the last candidate that was measured without the change."""
    first: int
    """Position of the first candidate that has the change."""
    before: float
    """Value at `last_without`, median of its boots."""
    after: float
    """Value at `first`, median of its boots."""
    change: float
    between: tuple[int, ...] = ()
    """Positions that could not be tested, so that the change may be in one of them instead."""
    odds: float | None = None
    """Probability that `first` made the change. None for exact counts, where no doubt is left."""
    boots: int = 0


class Bisection(Record, frozen=True, kw_only=True):
    """The whole search."""

    range: str
    workload: str
    metric: str
    unit: str
    clock: str
    candidates: tuple[Candidate, ...]
    observations: tuple[Observation, ...]
    steps: tuple[Step, ...]
    """Every change found, largest first."""
    measured: int
    """Number of candidates that were measured, ends included."""
    boots: int
    """Number of boots that gave a value."""
    skipped: tuple[int, ...]
    """Positions of candidates that could not be measured."""
    margin: float
    error_rate: float | None = None
    """Error rate that was asked for; None for exact counts."""
    introduced: str = ""
    """The culprit's sha1, or a range of commits or of upstream tags, as regression trackers take it."""
    open: tuple[str, ...] = ()
    """Work that is left or facts in doubt, in words; empty when finished."""
    open_codes: tuple[Reason, ...] = ()
    """Entries of `open` as reasons. Results of earlier versions have none."""
    kind: str = "list"
    """Kind of the search, as in SearchQuestion."""
    notes: tuple[str, ...] = ()
    """Remarks on the range, as in SearchQuestion."""
    within: "Bisection | None" = None
    """The search that ended at a merge, into which this one descended."""
    state: str | msgspec.UnsetType = msgspec.UNSET
    """Field of the state that was searched. Not written for a search for a cost."""
    defaults: tuple[Default, ...] | msgspec.UnsetType = msgspec.UNSET
    """Settings that differ at boot between the two kernels of the largest step, tried one by one. Not written for a
    search for a cost."""
    compilers: tuple[ByCompiler, ...] | msgspec.UnsetType = msgspec.UNSET
    """Both ends by each compiler that was asked for. Not written without them."""

    def state_at(self, candidate: int) -> str:
        """Value of the searched field on a candidate; empty if it was not measured."""
        found = (boot.state or "" for boot in self.observations if boot.candidate == candidate and boot.state)
        return next(found, "")
