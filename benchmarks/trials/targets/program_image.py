# SPDX-License-Identifier: GPL-2.0-only
"""The archive of files that a guest gets: are the programs of a command in it?"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import written
from kassay.supply.guest import cpio
from kassay.supply.images.programs import check_programs


def _seeds(made: Path | None) -> Iterator[bytes]:
    entries = (
        cpio.directory("usr"),
        cpio.directory("usr/bin"),
        cpio.file("usr/bin/a", b"#!/bin/sh\n", executable=True),
    )
    yield cpio.archive(entries)


def _run(data: bytes) -> None:
    check_programs("application", written("image.cpio", data), ("/usr/bin/a", "/bin/b"))


TARGET = Target("images of programs", _seeds, _run)
