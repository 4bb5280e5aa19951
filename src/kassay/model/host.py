# SPDX-License-Identifier: GPL-2.0-only
"""A host that makes runs for another one, as its worker announces it."""

from kassay.model.records import Record


class Host(Record, frozen=True, kw_only=True):
    """TODO."""

    name: str
    """As reports call it."""
    arch: str
    """Of the host itself."""
    cpu: str
    """Model."""
    cpus: int
    """That runs may use."""
    memory_bytes: int
    kernel: str
    """Release."""
    program: str
    """The emulator's own words on its version."""
    kassay: str
    """Version."""
    pinned: str = ""
    """These CPUs by number ("0-3,8"), "" where they are all that the host gives."""
    machines: tuple[str, ...] = ()
    """What was found usable, as "NAME ARCH"."""
