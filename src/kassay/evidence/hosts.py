# SPDX-License-Identifier: GPL-2.0-only
"""Journal -> the hosts that made its runs, with what each said of itself."""

from collections.abc import Sequence

import msgspec

from kassay.errors import BadInput
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory
from kassay.model.across import HostRuns
from kassay.model.host import Host
from kassay.model.records import from_json
from kassay.model.run import RunRecord


def hosts_of(folder: RunDirectory, records: Sequence[RunRecord], name: str = "") -> tuple[HostRuns, ...]:
    """In the order in which they gave their first record. name: of the host that keeps the journal."""
    found: dict[str, list[RunRecord]] = {}
    for record in records:
        found.setdefault(record.host or "", []).append(record)
    return tuple(_host(folder, host, made, name) for host, made in found.items())


def _host(folder: RunDirectory, host: str, made: Sequence[RunRecord], name: str) -> HostRuns:
    ok = sum(record.outcome == "ok" for record in made)
    failed = len(made) - ok
    if not host:
        machine = folder.plan.machine
        return HostRuns(host=name, cpu=machine.host, kernel="", program=machine.program, ok=ok, failed=failed)
    known = _announced(folder, made)
    if known is None:
        return HostRuns(host=host, cpu="", kernel="", program="", ok=ok, failed=failed)
    return HostRuns(host=host, cpu=known.cpu, kernel=known.kernel, program=known.program, ok=ok, failed=failed)


def _announced(folder: RunDirectory, made: Sequence[RunRecord]) -> Host | None:
    """What it said of itself last; None where that is not on record, or of another version of kassay."""
    name = next((record.host_sha256 for record in reversed(made) if record.host_sha256), None)
    if not name:
        return None
    try:
        return from_json(artifacts.get(folder.path, name), Host)
    except (BadInput, msgspec.MsgspecError):
        return None
