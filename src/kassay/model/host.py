# SPDX-License-Identifier: GPL-2.0-only
"""A host that makes runs for another one, as its worker announces it."""

from kassay.model.records import Record


class Host(Record, frozen=True, kw_only=True):
    """name: as reports call it. arch: of the host itself. cpu: model. cpus: that runs may use. pinned: these CPUs by
    number ("0-3,8"), "" where they are all that the host gives. kernel: release. machines: what was found usable, as
    "NAME ARCH". program: the emulator's own words on its version. kassay: version."""

    name: str
    arch: str
    cpu: str
    cpus: int
    memory_bytes: int
    kernel: str
    program: str
    kassay: str
    pinned: str = ""
    machines: tuple[str, ...] = ()
