# SPDX-License-Identifier: GPL-2.0-only
"""A host that makes runs for another one, as its worker announces it."""

from kassay.model.records import Record


class Host(Record, frozen=True, kw_only=True):
    """A host that makes runs, as it describes itself."""

    name: str
    """Name of the host in reports."""
    arch: str
    """Architecture of the host itself."""
    cpu: str
    """Model of the CPU."""
    cpus: int
    """Number of CPUs that runs may use."""
    memory_bytes: int
    kernel: str
    """Release of the host's kernel."""
    program: str
    """Version of the emulator, in its own words."""
    kassay: str
    """Version of kassay."""
    pinned: str = ""
    """Numbers of the CPUs that runs may use ("0-3,8"); "" if they are all that the host gives."""
    machines: tuple[str, ...] = ()
    """Machines that were found usable, as "NAME ARCH"."""
