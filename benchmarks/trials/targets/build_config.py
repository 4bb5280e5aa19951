# SPDX-License-Identifier: GPL-2.0-only
"""Kernel configurations, makefiles, and the log of a build."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import files, text_of
from kassay.model.configuration import configured
from kassay.supply.building.config import applicable, merged, unmet, values, version_in
from kassay.supply.building.kbuild import first_error

_CONFIG = b"# Linux/x86 6.12.117 Kernel Configuration\nCONFIG_SMP=y\n# CONFIG_KASAN is not set\nCONFIG_HZ=250\n"
_MAKEFILE = b"VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\nNAME = Baby Opossum Posse\n"


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield _CONFIG
    yield _MAKEFILE
    yield from files("building/*.log")


def _run(data: bytes) -> None:
    text = text_of(data)
    merged((text, text))
    applicable(text, "6.12")
    unmet(text, text)
    values(text)
    configured(text)
    first_error(text)
    version_in(text, "Makefile")


TARGET = Target("configurations and logs of a build", _seeds, _run, longest=1 << 14)
