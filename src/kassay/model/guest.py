# SPDX-License-Identifier: GPL-2.0-only
"""The guest's result stream, parsed: rounds, requirements, captured files, checks."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import UNSET, UnsetType

from kassay.model.records import Record, Setting
from kassay.model.workload import Workload


class Programs(Record, frozen=True, kw_only=True):
    """The programs of a measured machine."""

    files: tuple[tuple[str, Path], ...]
    """Name ("init" or a workload) and path of each."""
    compiler: str
    """Compiler that built them, in its own words; "" if it is not known."""
    workloads: tuple[Workload, ...] = ()
    """Workloads as they describe themselves. Only for a result that came from elsewhere."""
    cmdlines: tuple[Setting, ...] = ()
    """Kernel command lines, as in Plan. Only for a result that came from elsewhere."""

    def file(self, name: str) -> Path:
        """The path of one."""
        return dict(self.files)[name]


class CapturedFile(Record, frozen=True, kw_only=True):
    """One file as the guest read it. Absent is not empty."""

    moment: str
    """ "boot", "before" or "after" the measured region."""
    path: str
    content: str | None
    """None if the guest could not read the file."""
    absent: str = ""
    """Reason why the guest could not read it: the errno's name."""


class Requirement(Record, frozen=True, kw_only=True):
    """State that must hold, as the workload declares."""

    moment: str
    field: str
    operator: str
    """==, !=, <=, >=."""
    value: str
    """A number as text, or a word."""


class PhaseRounds(Record, frozen=True, kw_only=True):
    """Ticks each round spent in one phase, and the operations done in it."""

    phase: str
    operations: int
    """Operations of each round. If `printed` is set, it replaces this number."""
    ticks: tuple[int, ...]
    printed: tuple[int, ...] | UnsetType = UNSET
    """Operations round by round, where the program prints them; they stand in place of `operations`."""

    def done(self, rounds: Iterable[int]) -> int:
        """Operations in these rounds (from 0) together."""
        return sum(self.printed[number] if self.printed else self.operations for number in rounds)


class NamedCpu(Record, frozen=True, kw_only=True):
    """A CPU of supply/cpus that was asked for."""

    name: str
    real: bool
    """True if a real CPU has the name."""
    other: tuple[Setting, ...] = ()
    """Lines of /proc/cpuinfo in which the guest's CPU differs from the real one: title, and both values in words."""


class GuestCpu(Record, frozen=True, kw_only=True):
    """A CPU as the kernel on it saw it, in the kernel's own words."""

    name: str
    features: tuple[str, ...]
    """Features of /proc/cpuinfo, sorted."""
    missing: tuple[str, ...]
    """Features by which kernels choose code and that the CPU lacks. For a real CPU that was asked for by name
    (named), only those that the real one has."""
    vulnerabilities: tuple[Setting, ...]
    """Name and state of each file in /sys/devices/system/cpu/vulnerabilities."""
    named: NamedCpu | UnsetType = UNSET


class GuestReport(Record, frozen=True, kw_only=True):
    """All data that one run shipped."""

    workload: str
    clock: str
    """ "tsc" or "monotonic"."""
    ticks_per_second: int | None
    """Ticks of that clock, as the guest knows them; None if it does not (x86's tsc)."""
    overhead_ticks: int
    """Smallest interval between two adjacent clock reads. It is part of every phase, and not subtracted."""
    phases: tuple[PhaseRounds, ...]
    requirements: tuple[Requirement, ...]
    files: tuple[CapturedFile, ...]
    check: str
    notes: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()
    """Intervals between the marks of a round, in order: phases, and "-" for an interval that is not reported."""
    counted: bool = False
    """True if the rounds were marked by a user's program or at points of it. No clock was read then, and ticks are
    what the profile of the run counted."""
