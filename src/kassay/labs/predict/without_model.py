# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay predict --without`: time of a kernel on a CPU as it is, and without some of its instructions."""

from kassay.model.records import Record, Setting
from kassay.model.texts import listed

WITHOUT_SCHEMA = "kassay-without/1"


class Removal(Record, frozen=True, kw_only=True):
    """Instructions that are left out of a replay."""

    functions: tuple[str, ...]
    """Names in the sources. Inlined copies are found where the run kept line tables."""
    mnemonics: tuple[str, ...]

    @property
    def text(self) -> str:
        return listed((*(f"{name}()" for name in self.functions), *(f"every {word}" for word in self.mnemonics)))


class WithoutRow(Record, frozen=True, kw_only=True):
    """One function, per operation."""

    function: str
    now_ns: float
    without_ns: float
    removed: float
    """Instructions of the function that are left out."""


class Without(Record, frozen=True, kw_only=True):
    """One kernel on one CPU, per operation."""

    kernel: str
    workload: str
    settings: tuple[Setting, ...]
    metric: str
    operation: str
    cpu: str
    calibrated: bool
    """True if the timing file was calibrated on this CPU and held against measured changes."""
    now_ns: float | None = None
    without_ns: float | None = None
    interval: tuple[float, float] | None = None
    """Lowest and highest relative change of the time; None if `doubt` says why."""
    level: float | None = None
    """Share of measured changes that lay inside of their interval."""
    instructions: float = 0.0
    """Executed by the measured task, as they are."""
    removed: float = 0.0
    """The part of `instructions` that is left out."""
    rows: tuple[WithoutRow, ...] = ()
    """Every function, the largest gain first."""
    doubt: str = ""
    """Reason why there is no interval; "" if there is one."""
    problem: str = ""
    """Reason why there is no answer; "" if there is one."""


class WithoutReport(Record, frozen=True, kw_only=True):
    """Gains, for each kernel and CPU."""

    functions: tuple[str, ...]
    instructions: tuple[str, ...]
    answers: tuple[Without, ...]
    kassay_version: str
    schema: str = WITHOUT_SCHEMA

    @property
    def removal(self) -> Removal:
        return Removal(functions=self.functions, mnemonics=self.instructions)
