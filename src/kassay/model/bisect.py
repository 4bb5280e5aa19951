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
    """Of a commit, as git prints it; else ""."""
    merged: str = ""
    """Of a merge, the other parent's sha1."""


class SearchQuestion(Record, frozen=True, kw_only=True):
    """A search in full. Together with the log it decides every step."""

    kind: str
    """A word of KINDS."""
    range: str
    candidates: tuple[Candidate, ...]
    """Oldest first, [0] is good, the last is bad."""
    probe: Experiment
    """The experiment of one boot, compare: of the culprit against the kernel before it; the kernels of both are filled
    in. margin: relative change below which two exact values are one level."""
    compare: Experiment
    error_rate: float = 0.01
    """Of a search on a clock."""
    steps: str = "all"
    """ "all" or "largest"."""
    notes: tuple[str, ...] = ()
    """What is to be told of the range (the merge base in place of the good commit)."""
    schema: str = SCHEMA
    state: str | msgspec.UnsetType = msgspec.UNSET
    """Field of the state whose value is searched, in place of the cost; not written of a search for a cost."""

    @property
    def margin(self) -> float:
        return self.compare.margin

    @property
    def one_boot_decides(self) -> bool:
        """True if one boot of a kernel gives its value; False if boots vary."""
        return self.probe.repeats_exactly


class Observation(Record, frozen=True, kw_only=True):
    """One measured boot, or why there is none; one line of the log."""

    number: int
    """From 1, in the order made."""
    candidate: int
    """Position in the range, 0 is good."""
    boot: int
    """Which boot of this candidate, from 1."""
    outcome: str
    value: float | None
    """In the metric's unit per operation, None unless outcome is "value"."""
    reason: str
    """Why this one was asked for, one line."""
    detail: str = ""
    image_sha256: str | None = None
    build_s: float = 0.0
    boot_s: float = 0.0
    """`build_s`/`boot_s`: Wall seconds, for planning only."""
    state: str | msgspec.UnsetType = msgspec.UNSET
    """Of a search by state, the field's value; the states are numbered in `value`, in the order in which they were
    seen."""


class Default(Record, frozen=True, kw_only=True):
    """A setting that differs at boot between the two kernels of a step, and the state of the later kernel with the
    earlier value."""

    setting: str
    """Field of the state, as "thp.enabled"."""
    before: str
    """On the last kernel without the change."""
    after: str
    """On the first one with it."""
    parameter: str
    """Kernel parameter with which the first kernel with the change was given the earlier value."""
    state: str
    """Value of the searched field then; empty if that boot failed."""
    decides: bool
    """True if the earlier state is back with it."""


class Step(Record, frozen=True, kw_only=True):
    """A change that was found."""

    last_without: int
    """Of the last one measured without."""
    first: int
    """Position of the first candidate that has it."""
    before: float
    after: float
    """`before`/`after`: Values of the two, median of their boots."""
    change: float
    between: tuple[int, ...] = ()
    """Positions that could not be tested, so that the change may be in one of them instead."""
    odds: float | None = None
    """Probability that it is this one, None under exact counts, where no doubt is left."""
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
    """Candidates that were measured, ends included."""
    boots: int
    """That gave a value."""
    skipped: tuple[int, ...]
    """Candidates that could not be measured."""
    margin: float
    error_rate: float | None = None
    """Asked for; None under exact counts."""
    introduced: str = ""
    """sha1, or a range of commits or of upstream tags, as regression trackers take it."""
    open: tuple[str, ...] = ()
    """What is left to do or in doubt, in words; empty when finished."""
    open_codes: tuple[Reason, ...] = ()
    """The same as reasons; results of earlier versions have none."""
    kind: str = "list"
    notes: tuple[str, ...] = ()
    """`kind`/`notes`: As in Question."""
    within: "Bisection | None" = None
    """The search that ended at a merge, into which this one descended."""
    state: str | msgspec.UnsetType = msgspec.UNSET
    """Field that was searched."""
    defaults: tuple[Default, ...] | msgspec.UnsetType = msgspec.UNSET
    """Settings that differ at boot between the two kernels of the largest step, tried one by one; both are not written
    of a search for a cost."""

    def state_at(self, candidate: int) -> str:
        """Value of the searched field on a candidate; empty if it was not measured."""
        found = (boot.state or "" for boot in self.observations if boot.candidate == candidate and boot.state)
        return next(found, "")
