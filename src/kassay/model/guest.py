# SPDX-License-Identifier: GPL-2.0-only
"""The guest's result stream, parsed: rounds, requirements, captured files, checks."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import UNSET, UnsetType

from kassay.model.records import Record, Setting
from kassay.model.workload import Workload


class Programs(Record, frozen=True, kw_only=True):
    """The programs of a measured machine. files: name ("init" or a workload) and path. compiler: what built them, in
    its own words; "" when not known. Of a result that came from elsewhere: workloads: as they describe themselves;
    cmdlines: see Plan."""

    files: tuple[tuple[str, Path], ...]
    compiler: str
    workloads: tuple[Workload, ...] = ()
    cmdlines: tuple[Setting, ...] = ()

    def file(self, name: str) -> Path:
        """The path of one."""
        return dict(self.files)[name]


class CapturedFile(Record, frozen=True, kw_only=True):
    """One file as the guest read it. moment: "boot", "before" or "after" the measured region.

    content is None when the guest could not read the file; `absent` then says why
    (the errno's name). Absent is not empty.
    """

    moment: str
    path: str
    content: str | None
    absent: str = ""


class Requirement(Record, frozen=True, kw_only=True):
    """State that the workload declares must hold. operator: ==, !=, <=, >=. value: a number as text, or a word."""

    moment: str
    field: str
    operator: str
    value: str


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
    """A CPU of supply/cpus that was asked for. real: whether a real one has the name. other: lines of /proc/cpuinfo in
    which the guest's is another, title and both values in words."""

    name: str
    real: bool
    other: tuple[Setting, ...] = ()


class GuestCpu(Record, frozen=True, kw_only=True):
    """A CPU as the kernel on it saw it, in the kernel's own words.

    features: of /proc/cpuinfo, sorted. missing: features by which kernels choose code, and which it does not have; of a
    real CPU that was asked for by name (named), those that the real one has.
    vulnerabilities: name and state of each file in /sys/devices/system/cpu/vulnerabilities.
    """

    name: str
    features: tuple[str, ...]
    missing: tuple[str, ...]
    vulnerabilities: tuple[Setting, ...]
    named: NamedCpu | UnsetType = UNSET


class GuestReport(Record, frozen=True, kw_only=True):
    """All that one run shipped.

    clock: "tsc" or "monotonic". ticks_per_second: of that clock, as the guest knows it; None
    when it does not (x86's tsc). overhead_ticks: smallest interval
    between two adjacent clock reads; part of every phase, not subtracted. intervals: what lies
    between the marks of a round, in order: phases, and "-" for what is not reported. counted: the rounds were marked by
    a user's program or at points of it; no clock was read then, and ticks are what the profile of the run has counted.
    """

    workload: str
    clock: str
    ticks_per_second: int | None
    overhead_ticks: int
    phases: tuple[PhaseRounds, ...]
    requirements: tuple[Requirement, ...]
    files: tuple[CapturedFile, ...]
    check: str
    notes: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()
    counted: bool = False
