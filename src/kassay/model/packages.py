# SPDX-License-Identifier: GPL-2.0-only
"""Packages of the archive that a guest image is made of."""

from kassay.model.records import Record


class ArchivePackage(Record, frozen=True, kw_only=True):
    """One binary package, pinned."""

    name: str
    version: str
    """With its epoch, as Debian writes it."""
    sha256: str
    """Of the .deb."""
    suite: str
    """Codename of the release it was taken from ("trixie")."""
    pool: str
    """Its path below the mirror's address, as the mirror writes it."""


_KERNEL_BYTES = 112 << 20  # 6.12 and 7.3 need 80 MB beside archive and files


class Image(Record, frozen=True, kw_only=True):
    """The file tree of a guest, pinned."""

    arch: str
    sha256: str
    """Of the cpio archive."""
    size_bytes: int
    """Of it, as it lies in memory while the kernel unpacks it."""
    resident_bytes: int
    """What its files take of the guest's memory afterwards."""
    files: int
    """Number of members."""
    missing: tuple[str, ...] = ()
    """What programs of the image ask for and the image lacks, one sentence each."""

    @property
    def needed_bytes(self) -> int:
        """Memory below which a guest cannot hold it: while the kernel unpacks it, archive and files are there at once.

        The kernel leaves out what does not fit, without an error.
        """
        return self.size_bytes + self.resident_bytes + _KERNEL_BYTES
