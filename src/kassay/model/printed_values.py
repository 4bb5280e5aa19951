# SPDX-License-Identifier: GPL-2.0-only
"""Output of a user's program, beside the counts."""

from kassay.model.machine import AtPoint, MachineUse
from kassay.model.records import Record, Setting

KINDS = {
    "number": "as the program printed it",
    "time": "by the guest's clock, which is virtual: with exact counts one nanosecond an instruction; never wall time",
    "word": "as the program printed it",
}
"""Kinds of printed values, each with its meaning."""


class Printed(Record, frozen=True, kw_only=True):
    """One name that a run's program printed."""

    name: str
    kind: str
    """A word of KINDS."""
    values: tuple[str | None, ...]
    """One for each execution, as text; None if an execution did not print it."""


class PrintedRow(AtPoint, frozen=True, kw_only=True):
    """One name at one point of the experiment."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    name: str
    kind: str
    values: tuple[tuple[str, str | None], ...]
    """(kernel's label, value of its first plain run) in kernel order: the median of numbers, or the word that all
    executions print. None if there is none."""
    steady: bool
    """True if every execution of every plain run printed the same."""
