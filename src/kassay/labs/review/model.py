# SPDX-License-Identifier: GPL-2.0-only
"""Review of a patch series: what runs its changed lines, what it costs in each setting, and what was left out."""

from typing import TypeAlias

from kassay.labs.review.changed_code import Branch, ChangedFunction
from kassay.model.patch import SeriesPatch
from kassay.model.records import Record, Setting

SCHEMA = "kassay-review/1"

Key: TypeAlias = tuple[str, tuple[Setting, ...]]
"""A workload and its settings."""

SCREENED = "screened"
"""Verdict of a setting that was run once on each kernel, and not measured further."""

TEXTS_ONLY = "The whole series changes no file that a kernel is built from."


class Try(Record, frozen=True, kw_only=True):
    """One source that the series was held against, to find its base."""

    how: str
    """Origin of its name: given, base-commit, prerequisites, tree-tag, maintainers, tag, head or archive."""
    what: str
    """Revision or version."""
    outcome: str
    """applies, does-not-apply, absent (this host does not have it) or not-tried."""
    detail: str = ""
    """Error of git in one line, or another reason."""


class Original(Record, frozen=True, kw_only=True):
    """The mail that the review answers: the cover letter, or the first patch of a series without one."""

    subject: str
    message_id: str = ""
    """Message-ID with its brackets; empty if the input has none."""
    author: str = ""
    """Author as "Name <address>"; empty if no header takes it."""


class KernelSide(Record, frozen=True, kw_only=True):
    """One of the two kernels."""

    ref: str
    """Reference that names its sources by their content."""
    release: str
    compiler: str
    """Name and version: gcc 12.2.0."""
    config: str
    image_sha256: str
    """Hash of the image. Empty, as are compiler and configuration, if the series changes only texts: none was built."""


class PredictedChange(Record, frozen=True, kw_only=True):
    """Change in time on one CPU, by a model."""

    cpu: str
    change: float | None
    """Relative change in time; None if the model refuses."""
    interval: tuple[float, float] | None = None


class Cell(Record, frozen=True, kw_only=True):
    """One workload with one setting, in one phase, on both kernels."""

    workload: str
    settings: tuple[Setting, ...]
    phase: str
    primary: bool
    subject: str
    """The work in words."""
    unit: str
    base: float | None
    """Value per operation; None if it was refused or failed."""
    head: float | None
    change: float | None
    """head / base - 1."""
    verdict: str
    """A word of finding.VERDICTS, or SCREENED."""
    evidence: str = ""
    n_base: int = 0
    """Number of plain runs."""
    n_head: int = 0
    floor: float | None = None
    """Distance between runs of one kernel that should not differ, as Finding.floor; None if it was run once."""
    executes: bool | None = None
    """True if changed lines ran in this setting; None if that is not known, or if no changed line has code."""
    where: str = ""
    """The largest differences by function, in words."""
    predicted: tuple[PredictedChange, ...] = ()
    reason: str = ""
    """Reason why there is no verdict."""

    @property
    def key(self) -> Key:
        """Its workload with the setting."""
        return self.workload, self.settings


class PatchValue(Record, frozen=True, kw_only=True):
    """One row of the series in one setting."""

    row: str
    """Name of the row as in `kassay series`: base, 1, 1..2, whole, without 2."""
    value: float | None
    change: float | None
    """Change against the row before; for a row that leaves a patch out, against the whole series."""
    verdict: str
    changed: str = ""
    """State of the lines that differ from that row, a word of lines.STATES; empty if it is not known."""


class PatchRow(Record, frozen=True, kw_only=True):
    """A row of the series that has no values of its own."""

    row: str
    why: str
    """Row that has this kernel too, or the reason why there is no kernel."""


class PatchTable(Record, frozen=True, kw_only=True):
    """The rows of the series in one setting and phase."""

    workload: str
    settings: tuple[Setting, ...]
    phase: str
    unit: str
    values: tuple[PatchValue, ...]


class Corner(Record, frozen=True, kw_only=True):
    """The same settings with another compiler, configuration or architecture."""

    name: str
    """The difference, as options of a build reference or as arch=NAME."""
    cells: tuple[Cell, ...] = ()
    same_image: bool = False
    """True if the series makes the same kernel there, byte for byte."""
    problem: str = ""
    """Reason why nothing was measured."""
    same_as: str = ""
    """Corner, or "the usual build", that has the same two kernels, byte for byte: they were not measured again."""
    decides: tuple[str, ...] = ()
    """For each setting with another verdict than in the usual build: the symbol or the machine code that decides."""


class Previous(Record, frozen=True, kw_only=True):
    """This version of the series, compared with an earlier one on the same base."""

    source: str
    """The earlier version, as the user wrote it."""
    cells: tuple[Cell, ...] = ()
    """base: the earlier version, head: this one."""
    same_image: bool = False
    """True if both versions make the same kernel, byte for byte."""
    problem: str = ""
    """Reason why nothing was measured."""
    changed: tuple[int, ...] = ()
    """Numbers of the patches that the earlier version does not have, line by line."""
    dropped: tuple[str, ...] = ()
    """Subjects of the earlier version that this one lacks."""


class CheckedClaim(Record, frozen=True, kw_only=True):
    """A figure that a text claims, held against the measured settings."""

    sentence: str
    figure: str
    """The figure as it is written."""
    line: int
    """Number of its line in the text, from 1."""
    outcome: str
    """reproduced, not-reproduced, contradicted, not-decided, not-measurable or not-understood."""
    detail: str


UNDER_WAY = "not done yet: the command is under way, or was interrupted; the same command goes on with it"
"""Reason of work in an answer that is stored between two steps."""


class Left(Record, frozen=True, kw_only=True):
    """Work that was not done."""

    what: str
    why: str

    @property
    def workload(self) -> str:
        """Name of the workload, with which `what` begins if it is a setting."""
        return self.what.partition(" ")[0]


class KnownSetting(Record, frozen=True, kw_only=True):
    """A setting that executes changed functions on a stock kernel, from the atlas. Costs are per operation."""

    setting: str
    unit: str
    cost: float
    """Instructions of the changed functions themselves."""
    share: float
    """Share of the changed functions in all instructions (1 is all)."""
    functions: tuple[str, ...]
    """Changed functions that it executes, most instructions first."""


class Known(Record, frozen=True, kw_only=True):
    """The first answer, before anything is built or run."""

    kernel: str
    """Stock kernel that the costs are of; "" if the atlas has none."""
    date: str = ""
    """Day of the last run."""
    settings: tuple[KnownSetting, ...] = ()
    """Largest share first."""
    inlined: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Functions that the stock kernel has no code of its own for, each with workloads that execute it on a kernel with
    line tables."""
    unknown: tuple[str, ...] = ()
    """Functions that no workload is known to execute."""


class Review(Record, frozen=True, kw_only=True):
    """The whole answer."""

    kassay_version: str
    command: str
    """The command that repeats it."""
    source: str
    """The series, as the user wrote it."""
    patches: tuple[SeriesPatch, ...]
    tries: tuple[Try, ...]
    base: KernelSide
    head: KernelSide
    machine: str
    """Machine of the settings, in words."""
    margin: float
    functions: tuple[ChangedFunction, ...] = ()
    branches_seen: int = 0
    """Ways out of conditional branches inside changed functions, both kernels, that some setting took for certain."""
    branches_open: int = 0
    """Number of ways for which the counts do not tell if they were taken."""
    branches: tuple[Branch, ...] = ()
    """Ways that no setting took."""
    cells: tuple[Cell, ...] = ()
    """Settings that execute changed functions, measured ones first."""
    others: tuple[str, ...] = ()
    """Settings that ran on both kernels and execute none of the changed functions."""
    steps: tuple[PatchTable, ...] = ()
    without_values: tuple[PatchRow, ...] = ()
    corners: tuple[Corner, ...] = ()
    previous: Previous | None = None
    claims: tuple[CheckedClaim, ...] | None = None
    """Figures of the text of --check-claims; None without one."""
    not_named: tuple[str, ...] = ()
    """Conditions that a reader of that text would have to ask for."""
    left: tuple[Left, ...] = ()
    same_image: bool = False
    """True if the series makes the same kernel as base, byte for byte."""
    switched_off: tuple[str, ...] = ()
    """Symbols of the configuration that the series adds, and that are off in its kernel."""
    original: Original | None = None
    """Mail that the review answers; None if the series was not given as mails."""
    message_ids: tuple[str, ...] = ()
    """Message-IDs of the patches in their order, "" for one without; empty in answers of earlier versions."""
    seconds: float = 0.0
    """Wall time of this command."""
    known: Known | None = None
    """First answer, before the first run; null in answers of earlier versions."""
    schema: str = SCHEMA

    @property
    def unbuilt(self) -> bool:
        """True if no kernel was built, as the series changes only texts."""
        return self.same_image and not self.base.image_sha256
