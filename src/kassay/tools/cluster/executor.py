# SPDX-License-Identifier: GPL-2.0-only
"""The interface between an engine and kassay."""

from collections.abc import Collection
from typing import NamedTuple, Protocol

from kassay.model.host import Host
from kassay.supply.machines import Ended, Job, Machine


class Made(NamedTuple):
    """A run on another host. ended: None where that host was lost and the run may go to no other; lost: in words."""

    ended: Ended | None
    host: Host
    lost: str = ""


class Wanted(NamedTuple):
    """Requirements that every host must meet. cpus, memory_bytes: the most of the experiment. profiled: whether runs
    carry a profile."""

    machine: Machine
    arch: str
    cpus: int
    memory_bytes: int
    boot: str
    profiled: bool


class Cluster(Protocol):
    """Hosts that make runs of one experiment. Its methods may be called from several threads."""

    def slots(self) -> int:
        """Runs that can be made at a time now, at least 1."""

    def begun(self, lane: str, host: str) -> None:
        """A lane has runs on this host already: it goes on there."""

    def run(self, job: Job, arch: str, lane: str = "", apart: Collection[str] = ()) -> Made:
        """One run, on a slot that is free, or else when one is. lane: its runs are made on one host; "" for none.
        apart: hosts that are taken only where no other one is free.

        A host that is lost meanwhile is replaced by another one, but in a lane. Raises HostLacks where the run was
        moved too often, or no host is left.
        """

    def stop(self) -> None:
        """No run is waited for any more: run() ends with an error."""
