# SPDX-License-Identifier: GPL-2.0-only
"""The interface of everything that can be measured. Its defaults are those of a workload of kassay."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.model.experiment import TRACE_BUDGET, WorkloadUse
from kassay.model.guest import GuestReport
from kassay.model.packages import Image
from kassay.model.progress import Tell
from kassay.model.records import Setting
from kassay.model.workload import Workload


class Archive(NamedTuple):
    """A cpio archive that the kernel unpacks behind the initramfs."""

    path: str
    sha256: str


class Measured(ABC):
    """One workload of an experiment, as its use records it."""

    trace_budget: str = TRACE_BUDGET
    """Most bytes of a trace, as a size, unless another number is asked for."""

    def __init__(self, use: WorkloadUse) -> None:
        self.use = use

    @property
    def name(self) -> str:
        """Name of the workload in the experiment."""
        return self.use.name

    @property
    def counted(self) -> bool:
        """True if only the profile knows its rounds: no clock is read around them."""
        return False

    @property
    def has_every_task(self) -> bool:
        """True if every task that executes user code belongs to it, not only those that it starts."""
        return False

    @property
    def commands_around(self) -> tuple[int, int] | None:
        """Commands that it executes before each round, and after the last one. None if its rounds are not executions of
        a program."""
        return None

    # Before the plan

    def pin(self, arch: str, tell: Tell, directory: Path | None = None) -> WorkloadUse:
        """The use, named by the content of what it measures. directory: a run directory that may hold this content.
        Raises BadInput, HostLacks."""
        return self.use

    @abstractmethod
    def describe(self) -> Workload:
        """Its parameters, phases and required state. Raises BadInput for an unknown name, HostLacks if it cannot be
        built here."""

    @property
    @abstractmethod
    def guest_program(self) -> str:
        """Name of the program in guest/ that it is or that starts it."""

    @abstractmethod
    def build(self, arch: str) -> Path:
        """The program that the guest gets, with what it carries, built when not yet there. Raises BadInput,
        HostLacks."""

    def image(self, arch: str, memory_bytes: int, tell: Tell) -> tuple[Image, Path] | None:
        """The image of the guest that it needs, with its cpio archive; None if it needs none. memory_bytes: least
        memory of a machine. Raises BadInput, HostLacks."""
        return None

    def stored_sources(self) -> bytes | None:
        """Its sources as one piece, for a run directory; None if there is nothing to store."""
        return None

    # For one run. built: what build() made.

    @abstractmethod
    def arguments(self, settings: Sequence[Setting], common: Sequence[str]) -> tuple[str, ...]:
        """Words that start a run. common: words that every program of kassay takes."""

    def executable(self, built: Path, directory: Path) -> Path:
        """The program that the guest executes. It is written into `directory` if it differs from what was built."""
        return built

    def archives(
        self, built: Path, image: tuple[Image, Path] | None, settings: Sequence[Setting], directory: Path
    ) -> tuple[Archive, ...]:
        """Archives that the kernel unpacks behind the initramfs, written into `directory` where they are made for one
        run. They begin with a program /setup, which the guest executes before it comes to rest."""
        return ()

    def points(self, built: Path) -> bytes:
        """Lines of plugin/points.h that are its own. Raises BadInput for a function that it does not have."""
        return b""

    # After a run

    def problem(
        self, report: GuestReport, profile: bytes | None, settings: Sequence[Setting]
    ) -> tuple[str, str] | None:
        """Outcome and detail of a run whose output is not as it must be; None if all is well."""
        return None
