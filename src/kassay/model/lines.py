# SPDX-License-Identifier: GPL-2.0-only
"""Source lines: where executed instructions come from, and which changed lines a workload executed."""

import re
from collections.abc import Collection, Mapping
from posixpath import normpath
from typing import NamedTuple

from kassay.model.records import Record

# Objects of kassay's builds and of Debian's lie in such a directory inside the sources. The compiler names files from
# there.
_TOP = re.compile(r"^(?:.*/kassay-[0-9a-f]{16}/|(?:.*/)?debian/build/[^/]+/)?(?:\.\.?/)*")


def path_in_sources(file: str) -> str:
    """The path from the top of the sources; an absolute path for a file of another build."""
    return normpath(_TOP.sub("", file))


EXECUTED = "executed"
NOT_EXECUTED = "not-executed"
NO_CODE = "no-code"
STATES = {
    EXECUTED: "the measured part executed code of these lines",
    NOT_EXECUTED: "these lines have code in the kernel, and the measured part executed none of it",
    NO_CODE: "no instruction in the kernel comes from these lines",
}

NOT_COMPILED = "not-compiled"
NOTHING_OF_ITS_OWN = "nothing-of-its-own"
NO_SOURCE = "no-source"
NO_CODE_REASONS = {
    NOT_COMPILED: "the file has no code in this kernel's image: it is not compiled, or part of a module",
    NOTHING_OF_ITS_OWN: "comments, declarations, macros, or code that the compiler left out",
    NO_SOURCE: "not a C or assembly file",
}
"""Reasons for NO_CODE."""


class LinesRan(NamedTuple):
    """Lines that one side of a comparison executed, by file."""

    measured: Mapping[str, Collection[int]]
    """Lines that ran in the phase and the rounds that the value stands for."""
    anywhere: Mapping[str, Collection[int]]
    """Lines that ran in any round or phase, or between rounds."""


class Frame(Record, frozen=True, kw_only=True):
    """One level of inlining at an instruction."""

    function: str
    """Function whose source the line is."""
    file: str | None
    """Path from the top of the sources; None if the compiler does not say."""
    line: int | None
    """Number from 1; None if the compiler does not say."""


class LineTable(Record, frozen=True, kw_only=True):
    """Source lines of the instructions that one run executed in the kernel's image."""

    version: int
    """Version of this record; 1."""
    chains: tuple[tuple[Frame, ...], ...]
    """Every combination of frames, each innermost first."""
    places: tuple[tuple[int, int], ...]
    """Address of an instruction as linked, and index of its chain; in order of address."""


class SourcePart(Record, frozen=True, kw_only=True):
    """Lines of one hunk and one function in the difference between two kernels' sources."""

    path: str
    """Path of the file from the top of the sources."""
    function: str
    """Function that the lines are in; empty outside of functions."""
    lines: tuple[int, ...]
    """Lines that were added or changed, by their numbers in head."""
    removed: tuple[int, ...]
    """Lines that were removed or changed, by their numbers in base."""
    code: tuple[int, ...] = ()
    """Subset of `lines`: those that have code in head's image."""
    removed_code: tuple[int, ...] = ()
    """Subset of `removed`: those that have code in base's image."""
    reason: str = ""
    """Word of NO_CODE_REASONS if neither has code; else empty."""


class SourceChange(Record, frozen=True, kw_only=True):
    """Difference between the sources of two kernels of an experiment."""

    base: str
    """Label of the kernel in the experiment."""
    head: str
    """Label of the kernel in the experiment."""
    parts: tuple[SourcePart, ...] = ()
    """Every hunk by its functions, in the order of the diff; empty if `absent` is set."""
    absent: str = ""
    """Reason why the lines are not known, a word of ABSENT; empty if they are."""
    hunks: int = 0
    """Number of hunks, those not listed included."""


class SourceChanges(Record, frozen=True, kw_only=True):
    """The file changes.json of a run directory."""

    version: int
    """Version of this record; 1."""
    changes: tuple[SourceChange, ...]
    """One entry for each pair of kernels that were built from different sources."""


ABSENT = {
    "no-line-tables": "a kernel was built without line tables, by an earlier version",
    "too-many": "the sources differ in too many files to look up each line",
    "no-profile": "the runs carry no profile with source lines",
}


class ChangedPart(Record, frozen=True, kw_only=True):
    """Lines of one hunk and one function, and what the measured part executed of them."""

    path: str
    """Path of the file from the top of the sources."""
    function: str
    """Function that the lines are in; empty outside of functions."""
    line: int
    """First of the lines: of head, or of base where lines are only removed."""
    state: str
    """Word of STATES."""
    executed: tuple[int, ...] = ()
    """Lines of head that were executed."""
    not_executed: tuple[int, ...] = ()
    """Lines of head that have code and were executed nowhere."""
    removed_executed: tuple[int, ...] = ()
    """Lines of base that are gone in head, and were executed in base."""
    removed_not_executed: tuple[int, ...] = ()
    """Lines of base that are gone in head, have code in base, and were executed nowhere."""
    outside: tuple[int, ...] = ()
    """Lines of head that were executed only outside of the measured part."""
    removed_outside: tuple[int, ...] = ()
    """Lines of base that are gone in head, and were executed only outside of the measured part."""
    without_code: int = 0
    """Number of changed lines without code."""
    reason: str = ""
    """Word of NO_CODE_REASONS if the state is NO_CODE."""


class ChangedLines(Record, frozen=True, kw_only=True):
    """Lines that differ between base and head, each with whether the measured part executed it."""

    state: str = ""
    """Word of STATES for all parts together; empty if it is not known."""
    parts: tuple[ChangedPart, ...] = ()
    """Every hunk by its functions, in the order of the diff."""
    absent: str = ""
    """Reason why it is not known, a word of ABSENT; empty if it is."""
    hunks: int = 0
    """Number of hunks, those not listed included."""
    elsewhere: tuple["Reached", ...] = ()
    """Workloads that execute the functions of the parts that were not executed."""


class Reached(Record, frozen=True, kw_only=True):
    """Workloads of the catalogue that execute one function."""

    function: str
    """Name in the sources."""
    workloads: tuple[str, ...]
    """Workloads that execute the function, at most five, each with its settings unless they are the defaults. Empty if
    none executes it."""
    count: int
    """Number of workloads and settings that execute the function."""
    kernel: str
    """Kernel that these workloads were run on."""


class ReachedRow(Record, frozen=True, kw_only=True):
    """One function of the table of workloads."""

    function: str
    """Name in the sources; inlined functions are in the table as well."""
    workloads: tuple[int, ...]
    """Indices into the table's workloads, at most five: those first of whose instructions it has the largest share."""
    count: int
    """Number of workloads and settings that execute the function."""


class ReachedTable(Record, frozen=True, kw_only=True):
    """Table of the functions that each workload of the catalogue executes."""

    version: int
    """Version of this record; 1."""
    kernel: str
    """Kernel that the workloads were run on."""
    workloads: tuple[str, ...]
    """Every workload that was run, with its settings unless they are the defaults."""
    functions: tuple[ReachedRow, ...]
    """Rows of the functions, in order of their names."""
