# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of a worker: it describes its machine, takes files, and makes runs."""

import tempfile
from pathlib import Path

from kassay.effects.files import cache_directory, disk_errors, sha256_bytes
from kassay.effects.lock import Holder, host_locked
from kassay.effects.process import variable
from kassay.errors import HostLacks
from kassay.model.host import Host
from kassay.model.progress import silent
from kassay.model.records import from_json, to_json
from kassay.supply.machines import Machine, machine_for
from kassay.tools.cluster import store
from kassay.tools.cluster.cpu_sets import numbers
from kassay.tools.cluster.parcel import Delivery, parcel_from, to_bytes, unpacked

HOST = "KASSAY_WORKER_HOST"
"""Variable of a slot's environment: its Host in JSON."""

missing, keep = store.missing, store.keep


def identity(
    clock: str, name: str, arch: str, cpus: int, boot: str, profiled: bool, plugin: str
) -> tuple[bytes, bytes, str]:
    """(this Host, what the machine would be here as a MachineIdentity, why it cannot be used or ""); both in JSON.

    plugin: hash of the plugin's sources where the answer is made.
    """
    machine = machine_for(clock, name)
    granted = b""
    try:
        granted = to_json(machine.identify(arch, cpus, boot))
        why = _unusable(machine, arch, profiled)
        if machine.plugin_sha256(arch) != plugin:
            why = why or "its plugin for QEMU is another one: install the same kassay there"
    except HostLacks as error:
        why = f"{error.what}; {error.remedy}"
    return to_json(_host()), granted, why


def _unusable(machine: Machine, arch: str, profiled: bool) -> str:
    """Why a machine cannot be used; "" when it can, or when it could not be tried, as the store has no kernel."""
    if machine.only_local:
        return f"machine {machine.name} {machine.only_local}: a worker makes none of its runs"
    if not machine.proven:
        probe = machine.probe(arch, silent)
        if probe.tried and not probe.usable:
            return probe.detail
    if profiled:
        machine.check_profile(arch)
    return ""


def run(data: bytes) -> bytes:
    """A parcel -> its delivery. Its files are here: see missing() and keep()."""
    parcel, name = parcel_from(data), sha256_bytes(data)
    machine = machine_for(parcel.clock, parcel.machine)
    if machine.only_local:
        raise HostLacks(f"machine {machine.name} {machine.only_local}", "use another --clock")
    if gone := store.missing(parcel.files.values()):
        return to_bytes(Delivery(parcel=name, missing=tuple(gone)))
    scratch = cache_directory() / "worker"
    with disk_errors(scratch):
        scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="run-", dir=scratch) as directory:
            job = unpacked(parcel, Path(directory), {sha: store.path_of(sha) for sha in parcel.files.values()})
            try:
                with host_locked(timed=machine.exclusive, cpus=numbers(_host().pinned), busy=_busy):
                    ended = machine.run(job, parcel.arch)
            except _Busy as error:
                return to_bytes(Delivery(parcel=name, busy=str(error)))
    return to_bytes(Delivery(parcel=name, ended=ended))


class _Busy(Exception):
    """Another measurement has this host, or CPUs of it."""


def _busy(holder: Holder) -> None:
    raise _Busy(f"process {holder.process} measures there")


def _host() -> Host:
    return from_json(variable(HOST).encode(), Host)
