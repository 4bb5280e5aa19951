# SPDX-License-Identifier: GPL-2.0-only
"""Definition of a question: one module of kassay.questions with a constant QUESTION of this class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kassay import registry
from kassay.model.experiment import Experiment, KernelUse
from kassay.model.plan import Plan
from kassay.model.report import Report
from kassay.model.run import CellEvidence

QUESTIONS = "kassay.questions"
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
    """Number of kernels that a question is about."""

    least: int
    most: int | None
    """Largest number; None for any number."""
    rule: str
    """The rule in words, for an error."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """Input of a question that completes its report: the report of all comparisons, and what it was made from."""

    report: Report
    plan: Plan
    evidence: tuple[CellEvidence, ...]
    directory: Path


@dataclass(frozen=True, kw_only=True)
class OwnDirectory:
    """A kind of directory that is not a run directory but holds some."""

    is_one: Callable[[Path], bool]
    """True if a path is such a directory."""
    answer: Callable[[Path, Callable[[Path], Report]], Report]
    """Function that makes the report of such a directory. Its second argument answers a run directory in it."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that an experiment may ask."""

    name: str
    """Word in experiment files, equal to the module's name."""
    kernels: Kernels | None
    """Number of kernels; None if no experiment file asks it, as it makes many experiments."""
    pairs: Callable[[Sequence[KernelUse]], Pairs]
    """Kernels that are compared, by index. The first pair of each kernel gives it its place in tables."""
    title: Callable[[str, Sequence[str]], str]
    """The question in words, from the workloads and the names of the kernels."""
    ladder: bool = False
    """True if kernels are in order: each step between them is found, and where time is measured, all are judged
    together."""
    against: bool = False
    """True if a kernel may name the one that it is compared with."""
    together: bool = False
    """True if its command compares all of its kernels, and no two of them answer it."""
    overview: bool = False
    """True if a report of many workloads leads with a table of workloads by kernels."""
    complete: Callable[[Answered], Report] | None = None
    """Function that makes the whole report from that of the comparisons; None if it adds nothing."""
    files: tuple[str, ...] = ()
    """Files of its own in a run directory that the answer needs; a bundle has them as well."""
    directory: OwnDirectory | None = None
    """Kind of directory that keeps the answer, if it is not a run directory."""


def needs_all_kernels(e: Experiment) -> bool:
    """True if the question of an experiment is one about all of its kernels together."""
    known = e.question in registry.names(QUESTIONS)
    return known and registry.load(QUESTIONS, e.question, "QUESTION", Question).together
