# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages. dpkg-deb checks and decompresses a package's outer archive; the input is what it gives."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from unittest.mock import patch

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import written
from kassay.effects import process
from kassay.supply.archive import deb


class _Ended:
    """A process that ended well."""

    def wait(self, timeout_s: float | None = None) -> int:
        return 0


def _seeds(made: Path | None) -> Iterator[bytes]:
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w", format=form) as tar:
            for name in ("./boot/config-6.12", "./boot/vmlinuz-6.12", "./lib/modules/6.12/" + "kernel/" * 20 + "a.ko"):
                info = tarfile.TarInfo(name)
                info.size = 9
                tar.addfile(info, io.BytesIO(b"CONFIG_A="))
        yield file.getvalue()


def _run(data: bytes) -> None:
    def start(_argv: object, *, out: IO[bytes], err: object) -> _Ended:
        out.write(data)
        return _Ended()

    path = written("a.deb", b"")
    with patch.object(process, "start", start), patch.object(process, "end", lambda _: None):
        with deb.opened(path) as contents:
            for name in contents.paths:
                contents.read(name)
        with deb.tar_of(path) as tar:
            tar.getmembers()


TARGET = Target("packages", _seeds, _run)
