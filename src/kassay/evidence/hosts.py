# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> the hosts that made its runs, each with its own description."""

from collections.abc import Sequence

import msgspec

from kassay.errors import BadInput
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory
from kassay.model.host import Host
from kassay.model.host_comparison import HostRuns
from kassay.model.records import from_json, grouped
from kassay.model.run import RunRecord


def hosts_of(folder: RunDirectory, records: Sequence[RunRecord], name: str = "") -> tuple[HostRuns, ...]:
    """In the order in which they gave their first record. name: of the host that keeps the journal."""
    records_by_host = grouped((record.host or "", record) for record in records)
    return tuple(_host(folder, host, host_records, name) for host, host_records in records_by_host.items())


def _host(folder: RunDirectory, host: str, records: Sequence[RunRecord], name: str) -> HostRuns:
    ok = sum(record.outcome == "ok" for record in records)
    failed = len(records) - ok
    if not host:
        machine = folder.plan.machine
        return HostRuns(host=name, cpu=machine.host, kernel="", program=machine.program, ok=ok, failed=failed)
    announced = _announced(folder, records)
    if announced is None:
        return HostRuns(host=host, cpu="", kernel="", program="", ok=ok, failed=failed)
    return HostRuns(
        host=host, cpu=announced.cpu, kernel=announced.kernel, program=announced.program, ok=ok, failed=failed
    )


def _announced(folder: RunDirectory, records: Sequence[RunRecord]) -> Host | None:
    """The host's latest description of itself; None where none was recorded, or another version of kassay wrote it."""
    name = next((record.host_sha256 for record in reversed(records) if record.host_sha256), None)
    if not name:
        return None
    try:
        return from_json(artifacts.get(folder.path, name), Host)
    except (BadInput, msgspec.MsgspecError):
        return None
