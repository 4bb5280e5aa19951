# SPDX-License-Identifier: GPL-2.0-only
"""Definition of a question: one module of kassay.questions with a constant QUESTION of this class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kassay.model.experiment import KernelUse
from kassay.model.plan import Plan
from kassay.model.report import Report
from kassay.model.run import CellEvidence

Pairs = Sequence[tuple[int, int]]


def neighbours(kernels: Sequence[KernelUse]) -> Pairs:
    """Each kernel with the next one."""
    return [(i, i + 1) for i in range(len(kernels) - 1)]


def neighbours_and_ends(kernels: Sequence[KernelUse]) -> Pairs:
    """Each kernel with the next one, and the first with the last."""
    ends = [(0, len(kernels) - 1)] if len(kernels) > 2 else []
    return [*neighbours(kernels), *ends]


@dataclass(frozen=True, kw_only=True)
class Kernels:
    """How many kernels a question is about. most: None for any number. rule: the same in words, for an error."""

    least: int
    most: int | None
    rule: str


@dataclass(frozen=True, kw_only=True)
class Answered:
    """Input of a question that completes its report: the report of all comparisons, and what it was made from."""

    report: Report
    plan: Plan
    evidence: tuple[CellEvidence, ...]
    directory: Path


@dataclass(frozen=True, kw_only=True)
class OwnDirectory:
    """A kind of directory that is not a run directory but holds some.

    is_one: whether a path is such a directory. answer: its report; the second argument answers a run directory in it.
    """

    is_one: Callable[[Path], bool]
    answer: Callable[[Path, Callable[[Path], Report]], Report]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that an experiment may ask.

    name: the word in experiment files, equal to the module's name. kernels: None where no experiment file asks it, as
    it makes many experiments. pairs: which kernels are compared, by index; the
    first pair of each kernel gives it its place in tables. ladder: whether kernels are in order, so that each step
    between them is found and, where time is measured, all are judged together. against: whether a kernel may say with
    which other it is compared. title: the question in words, of the workloads and of what the kernels are called.
    overview: whether a report of many workloads leads with a table of workloads by kernels. complete: the whole report
    from that of the comparisons; nothing to add by default. directory: where its answer is kept in a directory of
    another kind.
    """

    name: str
    kernels: Kernels | None
    pairs: Callable[[Sequence[KernelUse]], Pairs]
    title: Callable[[str, Sequence[str]], str]
    ladder: bool = False
    against: bool = False
    overview: bool = False
    complete: Callable[[Answered], Report] | None = None
    directory: OwnDirectory | None = None
