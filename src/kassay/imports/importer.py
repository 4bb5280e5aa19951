# SPDX-License-Identifier: GPL-2.0-only
"""What a format is: one module of formats/ with a constant IMPORTER of this class, and what goes in and out of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kassay.model.records import Record
from kassay.model.samples import FunctionShares, ImportedKernel, LkpHeader, SampleSeries

FORMATS = "kassay.imports.formats"


@dataclass(frozen=True, kw_only=True)
class Given:
    """One file as the user gave it. place: how errors name it. name: below source/. data: raw, decompressed.

    kernel: what the user says it is of, None when the file itself must tell. path: absolute.
    """

    place: str
    name: str
    path: Path
    raw: bytes
    data: bytes
    kernel: str | None = None


class Reading(Record, frozen=True, kw_only=True):
    """All that one format found. Order of kernels: as found; order_doubt: why that order may mean nothing.

    format, replication, machine, notes, shares and lkp_header: as in Samples.
    """

    format: str
    kernels: tuple[ImportedKernel, ...]
    series: tuple[SampleSeries, ...]
    replication: str
    machine: str = "unknown"
    notes: tuple[str, ...] = ()
    shares: tuple[FunctionShares, ...] = ()
    lkp_header: LkpHeader | None = None
    order_doubt: str = ""


def _nothing(_: Path) -> tuple[Path, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Importer:
    """One format. recognise: looks at one file, raises nothing. read: all files of one import; raises BadInput.

    below: the files of this format in a directory; most formats have none.
    """

    name: str
    title: str
    recognise: Callable[[Given], bool]
    read: Callable[[tuple[Given, ...]], Reading]
    below: Callable[[Path], tuple[Path, ...]] = field(default=_nothing)
