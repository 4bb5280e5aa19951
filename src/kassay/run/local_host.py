# SPDX-License-Identifier: GPL-2.0-only
"""This host as the one that makes the runs, in the way of a cluster with one member."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path

from kassay.effects.memory import available_bytes
from kassay.effects.workers import cpus
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell
from kassay.model.remote_machine import RemoteOptions
from kassay.supply.machines import Job, Machine
from kassay.supply.prepare.remote import visit_for
from kassay.supply.prepare.supply import Supply
from kassay.tools.cluster import RunOnHost


class LocalHost:
    """A kassay.tools.cluster.Cluster without other hosts."""

    def __init__(self, machine: Machine, experiment: Experiment) -> None:
        self._machine, self._memory_bytes = machine, max(experiment.memory_bytes)

    def slots(self) -> int:
        """Runs at a time: one where time is measured, else one per CPU of this process, as far as memory goes."""
        return self._slots

    @cached_property
    def _slots(self) -> int:
        if self._machine.exclusive:
            return 1
        return max(1, min(cpus(), available_bytes() // self._memory_bytes))

    def assign(self, sequence: str, host: str) -> None:
        """Every sequence is on this host."""

    def run(self, job: Job, arch: str, sequence: str = "", apart: Collection[str] = ()) -> RunOnHost:
        """One run. This host cannot be lost."""
        return RunOnHost(self._machine.run(job, arch), None)

    def stop(self) -> None:
        """Runs under way are ended with their processes."""


@contextmanager
def local_host(
    supply: Supply, experiment: Experiment, directory: Path, reach: RemoteOptions, tell: Tell
) -> Iterator[LocalHost]:  # fmt: skip
    """This host during the block, with the machine ready for the runs of a directory. reach: how a remote machine is
    reached."""
    visit = partial(visit_for, supply.artifacts, experiment, directory, reach, tell)
    with supply.machine.session(visit, tell) as machine:
        yield LocalHost(machine, experiment)
