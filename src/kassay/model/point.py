# SPDX-License-Identifier: GPL-2.0-only
"""One point of an experiment's matrix, whatever is said of it."""

from typing import NamedTuple, Protocol

from kassay.model.machine import MachineUse
from kassay.model.records import Record, Setting


class Point(NamedTuple):
    """A workload with all its settings, on a machine."""

    workload: str
    settings: tuple[Setting, ...]
    machine: MachineUse


class _HasPoint(Protocol):
    @property
    def workload(self) -> str: ...
    @property
    def settings(self) -> tuple[Setting, ...]: ...
    @property
    def machine(self) -> MachineUse: ...


class AtPoint(Record, frozen=True, kw_only=True):
    """A record that is about one point, whose parts are fields of its own, as they are stored."""

    @property
    def point(self: _HasPoint) -> Point:
        """Where in the experiment's matrix it is."""
        return Point(self.workload, self.settings, self.machine)
