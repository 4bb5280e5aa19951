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
    """One name that a run's program printed. kind: a word of KINDS. values: one for each execution, as text; None where
    an execution did not print it."""

    name: str
    kind: str
    values: tuple[str | None, ...]


class PrintedRow(AtPoint, frozen=True, kw_only=True):
    """One name at one point of the experiment. values: (kernel's label, value of its first plain run) in kernel order:
    the median of numbers, the word that all executions print, None where there is none. steady: whether every
    execution of every plain run printed the same."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse
    name: str
    kind: str
    values: tuple[tuple[str, str | None], ...]
    steady: bool
