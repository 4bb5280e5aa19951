# SPDX-License-Identifier: GPL-2.0-only
"""Runs on other hosts: what travels, where a run may go, and one engine that carries it.

The journal stays with the kassay that was asked: a run that comes back is written there as if it had been made there.
An engine is one file of this folder (now dask_engine.py), whose connected() opens a Cluster (executor.py).
"""

from contextlib import AbstractContextManager
from importlib.util import find_spec

from kassay.cluster.address import address_of
from kassay.cluster.executor import Cluster, Made, Wanted
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import Tell

__all__ = ["Cluster", "Made", "Wanted", "engine_installed", "joined"]


def joined(address: str, wanted: Wanted, tell: Tell) -> AbstractContextManager[Cluster]:
    """The hosts at an address, for runs of one machine. Raises BadInput, or HostLacks where there is no engine, no
    scheduler, or a machine whose runs a worker does not make."""
    if not wanted.machine.boots:
        raise BadInput(
            f"--cluster: machine {wanted.machine.name} executes programs on the host itself",
            "a cluster makes runs of machines that boot: leave --cluster away, or use another --clock",
        )
    found = address_of(address)
    engine_installed()
    from kassay.cluster.dask_engine import connected

    return connected(found, wanted, tell)


def engine_installed() -> None:
    """Raises HostLacks where it is not."""
    for name in ("distributed", "cryptography"):
        if find_spec(name) is None:
            raise HostLacks(f"a cluster needs {name}, which is not installed", "pip install 'kassay[cluster]'")
