# SPDX-License-Identifier: GPL-2.0-only
"""Runs on other hosts: what is sent to them, which host may make a run, and one engine that transports it.

The journal stays on the host whose kassay was started; runs of other hosts are written into it like its own runs.
An engine is one file of this folder (now dask_engine.py), whose connected() opens a Cluster (executor.py).
"""

from contextlib import AbstractContextManager
from importlib.util import find_spec

from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Tell
from kassay.supply.machines import machine_for
from kassay.tools.cluster.address import address_of
from kassay.tools.cluster.executor import Cluster, Made, Wanted

__all__ = ["Cluster", "Made", "Wanted", "engine_installed", "joined", "refuse_unless_it_travels"]


def refuse_unless_it_travels(clock: str, name: str) -> None:
    """Raises BadInput for a machine whose runs no worker makes. name: "" for the first of the clock."""
    machine = machine_for(clock, name)
    way_out = "leave --cluster away, or use another --clock"
    if not machine.boots:
        raise BadInput(f"--cluster: machine {machine.name} executes programs on this host itself", way_out)
    if machine.at is not None:
        raise BadInput(f"--cluster: machine {machine.name} is one host alone, which --on names", way_out)


def joined(address: str, wanted: Wanted, tell: Tell) -> AbstractContextManager[Cluster]:
    """The hosts at an address, for runs of one machine. Raises BadInput, or HostLacks where there is no engine, or no
    scheduler."""
    refuse_unless_it_travels(wanted.machine.clock, wanted.machine.name)
    scheduler_address = address_of(address)
    engine_installed()
    from kassay.tools.cluster.dask_engine import connected

    return connected(scheduler_address, wanted, tell)


def engine_installed() -> None:
    """Raises HostLacks where it is not."""
    for name in ("distributed", "cryptography"):
        if find_spec(name) is None:
            raise HostLacks(f"a cluster needs {name}, which is not installed", "pip install 'kassay[cluster]'")
