# SPDX-License-Identifier: GPL-2.0-only
"""One patch of a series, as it is recorded."""

from kassay.model.records import Record


class SeriesPatch(Record, frozen=True, kw_only=True):
    """One patch of a series."""

    number: int
    """Number of the patch, from 1."""
    subject: str
    """Subject of the patch without "[PATCH n/m]"."""
    author: str
    sha256: str
    files: tuple[str, ...]
    hunks: int
    changes: tuple[int, int]
    """Numbers of lines added and removed."""
