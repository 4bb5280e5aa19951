# SPDX-License-Identifier: GPL-2.0-only
"""Check whether a host can make the runs of an experiment, and how many at a time."""

import kassay
from kassay.model.host import Host
from kassay.model.machine import MachineIdentity
from kassay.model.units import format_bytes
from kassay.tools.cluster.executor import HostRequirements


def reason_unsuitable(wanted: HostRequirements, host: Host, identity: MachineIdentity | None, why: str) -> str:
    """Why a host is not used, "" where it is. identity, why: its own answer."""
    if host.kassay != kassay.__version__:
        return f"it has kassay {host.kassay}, and here is {kassay.__version__}"
    if why or identity is None:
        return why or "it does not say what its machine is"
    if host.memory_bytes < wanted.memory_bytes:
        return f"{format_bytes(wanted.memory_bytes)} of memory are needed, and it has {host.memory_bytes >> 20} MiB"
    if wanted.machine.exclusive and host.cpus < wanted.cpus:
        return f"{wanted.cpus} CPUs are timed, and it gives {host.cpus}"
    return difference(identity, wanted.machine.identify(wanted.arch, wanted.cpus, wanted.boot))


def difference(theirs: MachineIdentity, ours: MachineIdentity) -> str:
    """Reason why two machines may give other values. "" if none of their properties differs."""
    for name in ("clock", "accelerator", "program", "options"):
        if getattr(theirs, name) != getattr(ours, name):
            return f"another {name} of the machine: {getattr(theirs, name)}, and not {getattr(ours, name)}"
    return ""


def most_at_a_time(wanted: HostRequirements, host: Host) -> int:
    """Runs at a time: one where time is measured, else as many as its memory has room for."""
    return 1 if wanted.machine.exclusive else max(1, host.memory_bytes // wanted.memory_bytes)
