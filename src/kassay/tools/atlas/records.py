# SPDX-License-Identifier: GPL-2.0-only
"""Records of the atlas. Costs are per operation: instructions and string iterations."""

from collections.abc import Mapping
from typing import NamedTuple

from kassay.model.finding import REFUSED


class AtlasKernel(NamedTuple):
    """A kernel of which function costs are known."""

    id: str
    ref: str
    """Reference that names this very kernel; "" if none does."""
    release: str
    arch: str
    image_sha256: str

    @property
    def locator(self) -> str:
        """The package version of a stock kernel, "6.17.13-1~bpo13+1"; "" for other kernels."""
        return self.ref.partition("debian:")[2]


class AtlasSeries(NamedTuple):
    """The primary metric of a workload at one setting, under one set of conditions."""

    id: str
    workload: str
    metric: str
    unit: str
    arch: str
    settings: Mapping[str, str]
    """Every parameter of the workload."""
    conditions: Mapping[str, str]

    @property
    def emulator(self) -> str:
        return self.conditions.get("emulator", "")


class AtlasCell(NamedTuple):
    """A series on a kernel of which function costs are known."""

    value: float
    """All instructions per operation."""
    n: int
    """Plain runs."""
    date: str
    """Day of the last run, "2026-11-21"."""


class AtlasCost(NamedTuple):
    """One function in one cell."""

    own: float
    """Cost of the function itself."""
    whole: float | None
    """Cost with all that it calls; None without call stacks."""
    calls: float
    """Entries into the function."""


class AtlasVerdict(NamedTuple):
    """Verdict on two kernels in a series."""

    verdict: str
    evidence: str
    floor: float | None
    reasons: tuple[str, ...]

    @property
    def refused(self) -> bool:
        """True if the two may not be compared."""
        return self.verdict in REFUSED


NOTHING = AtlasCost(0.0, 0.0, 0.0)
"""Cost of a function that a cell did not execute."""
