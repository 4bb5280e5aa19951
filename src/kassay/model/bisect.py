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
    """One kernel that may be the first with the change. name: a commit's sha1, a release or a symbol. title: subject,
    version or symbol. ref: the kernel reference that measures it. author: of a commit, as git prints it; else "".
    merged: of a merge, the other parent's sha1."""

    name: str
    title: str
    ref: str
    author: str = ""
    merged: str = ""


class SearchQuestion(Record, frozen=True, kw_only=True):
    """A search in full. Together with the log it decides every step.

    kind: a word of KINDS. candidates: oldest first, [0] is good, the last is bad. probe: the experiment of one boot,
    compare: of the culprit against the kernel before it; the kernels of both are filled in. margin: relative change
    below which two exact values are one level. error_rate: of a search on a clock. steps: "all" or "largest".
    notes: what is to be told of the range (the merge base in place of the good commit). state: field of the state whose
    value is searched, in place of the cost; not written of a search for a cost.
    """

    kind: str
    range: str
    candidates: tuple[Candidate, ...]
    probe: Experiment
    compare: Experiment
    error_rate: float = 0.01
    steps: str = "all"
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA
    state: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def margin(self) -> float:
        return self.compare.margin

    @property
    def one_boot_decides(self) -> bool:
        """True if one boot of a kernel gives its value; False if boots vary."""
        return self.probe.repeats_exactly


class Observation(Record, frozen=True, kw_only=True):
    """One measured boot, or why there is none; one line of the log.

    number: from 1, in the order made. candidate: position in the range, 0 is good. boot: which boot of this candidate,
    from 1. value: in the metric's unit per operation, None unless outcome is "value". reason: why this one was asked
    for, one line. build_s, boot_s: wall seconds, for planning only. state: of a search by state, the field's value; the
    states are numbered in `value`, in the order in which they were seen.
    """

    number: int
    candidate: int
    boot: int
    outcome: str
    value: float | None
    reason: str
    detail: str = ""
    image_sha256: str | None = None
    build_s: float = 0.0
    boot_s: float = 0.0
    state: str | msgspec.UnsetType = msgspec.UNSET


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
    """A change that was found. first: position of the first candidate that has it; last_without: of the last one
    measured without. between: positions that could not be tested, so that the change may be in one of them instead.

    before, after: values of the two, median of their boots. odds: probability that it is this one, None under exact
    counts, where no doubt is left.
    """

    last_without: int
    first: int
    before: float
    after: float
    change: float
    between: tuple[int, ...] = ()
    odds: float | None = None
    boots: int = 0


class Bisection(Record, frozen=True, kw_only=True):
    """The whole search. steps: every change found, largest first. open: what is left to do or in doubt, in words; empty
    when finished. open_codes: the same as reasons; results of earlier versions have none. error_rate: asked for; None
    under exact counts. measured: candidates that were measured, ends included; boots: that gave a value; skipped:
    candidates that could not be measured. introduced: sha1, or a range of commits or of upstream tags, as regression
    trackers take it. state: field that was searched; defaults: settings that differ at boot between the two kernels of
    the largest step, tried one by one; both are not written of a search for a cost. within: the search that ended
    at a merge, into which this one descended. kind, notes: as in Question."""

    range: str
    workload: str
    metric: str
    unit: str
    clock: str
    candidates: tuple[Candidate, ...]
    observations: tuple[Observation, ...]
    steps: tuple[Step, ...]
    measured: int
    boots: int
    skipped: tuple[int, ...]
    margin: float
    error_rate: float | None = None
    introduced: str = ""
    open: tuple[str, ...] = ()
    open_codes: tuple[Reason, ...] = ()
    kind: str = "list"
    notes: tuple[str, ...] = ()
    within: "Bisection | None" = None
    state: str | msgspec.UnsetType = msgspec.UNSET
    defaults: tuple[Default, ...] | msgspec.UnsetType = msgspec.UNSET

    def state_at(self, candidate: int) -> str:
        """Value of the searched field on a candidate; empty if it was not measured."""
        found = (boot.state or "" for boot in self.observations if boot.candidate == candidate and boot.state)
        return next(found, "")
