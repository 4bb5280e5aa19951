# SPDX-License-Identifier: GPL-2.0-only
"""Functions of two kernels whose configuration alone differs, and whether the compiler made the same code of them."""

from kassay.model.records import Record

CODES = {
    "different": "both kernels have the function, with other code",
    "same": "both kernels have the function, with the same code",
    "inlined": "one of the two kernels has no function of this name: it is inlined there, or not compiled in",
}


class ComparedCode(Record, frozen=True, kw_only=True):
    """One function of a pair of kernels."""

    base: str
    """Label of the kernel in the experiment."""
    head: str
    """Label of the kernel in the experiment."""
    function: str
    code: str
    """A word of CODES."""


class ComparedCodes(Record, frozen=True, kw_only=True):
    """The file code.json of a run directory."""

    version: int
    """Version of this record; 1."""
    codes: tuple[ComparedCode, ...]
    """Functions with the largest differences, pair by pair."""
