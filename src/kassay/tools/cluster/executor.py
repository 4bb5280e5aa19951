# SPDX-License-Identifier: GPL-2.0-only
"""The interface between an engine and kassay."""

from collections.abc import Collection
from typing import NamedTuple, Protocol

from kassay.model.host import Host
from kassay.supply.machines import Ended, Job, Machine


class RunOnHost(NamedTuple):
    """A run of a host."""

    ended: Ended | None
    """Result of the run; None if the host was lost and the run may go to no other."""
    host: Host | None
    """Host that made the run; None for the host that keeps the journal."""
    lost: str = ""
    """Reason why the host was lost, in words; "" if it was not."""


class HostRequirements(NamedTuple):
    """Requirements that every host must meet."""

    machine: Machine
    arch: str
    cpus: int
    """Largest number of CPUs of any run of the experiment."""
    memory_bytes: int
    """Largest memory of any run of the experiment."""
    boot: str
    profiled: bool
    """True if runs carry a profile."""


class Cluster(Protocol):
    """Hosts that make runs of one experiment. Its methods may be called from several threads."""

    def slots(self) -> int:
        """Runs that can be made at a time now, at least 1."""

    def assign(self, sequence: str, host: str) -> None:
        """A sequence has runs on this host already: it goes on there, or on any host where that one is not there."""

    def run(self, job: Job, arch: str, sequence: str = "", apart: Collection[str] = ()) -> RunOnHost:
        """One run, on a slot that is free, or else when one is. sequence: its runs are made on one host; "" for none.
        apart: hosts that are taken only where no other one is free.

        A host that is lost meanwhile is replaced by another one, but in a sequence. Raises HostLacks where the run was
        moved too often, or no host is left.
        """

    def stop(self) -> None:
        """No run is waited for any more: run() ends with an error."""
