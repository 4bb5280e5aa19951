# SPDX-License-Identifier: GPL-2.0-only
"""Packages of the archive that a guest image is made of."""

from kassay.model.records import Record


class ArchivePackage(Record, frozen=True, kw_only=True):
    """One binary package, pinned."""

    name: str
    version: str
    """Version with its epoch, as Debian writes it."""
    sha256: str
    """Hash of the .deb."""
    suite: str
    """Codename of the release it was taken from ("trixie")."""
    pool: str
    """Path of the .deb below the mirror's address, as the mirror writes it."""


_KERNEL_BYTES = 112 << 20  # 6.12 and 7.3 need 80 MB beside archive and files


class Image(Record, frozen=True, kw_only=True):
    """The file tree of a guest, pinned."""

    arch: str
    sha256: str
    """Hash of the cpio archive."""
    size_bytes: int
    """Size of the archive in memory while the kernel unpacks it."""
    resident_bytes: int
    """Memory of the guest that the unpacked files take."""
    files: int
    """Number of members of the archive."""
    missing: tuple[str, ...] = ()
    """Parts that programs of the image ask for and the image lacks, one sentence each."""

    @property
    def needed_bytes(self) -> int:
        """Memory below which a guest cannot hold it: while the kernel unpacks it, archive and files are there at once.

        The kernel leaves out what does not fit, without an error.
        """
        return self.size_bytes + self.resident_bytes + _KERNEL_BYTES
