# SPDX-License-Identifier: GPL-2.0-only
"""The contents of a Debian package."""

import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kassay.effects import process
from kassay.effects.files import disk_errors
from kassay.errors import HostLacks


class Contents:
    """The files of one package by path ("boot/config-6.12"), readable while opened() lasts."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._members = {m.name.removeprefix("./"): m for m in tar.getmembers() if m.isfile()}

    @property
    def paths(self) -> tuple[str, ...]:
        """Every regular file."""
        return tuple(self._members)

    def read(self, path: str) -> bytes:
        """A file's bytes. Raises KeyError when the package has no such file."""
        file = self._tar.extractfile(self._members[path])
        if file is None:
            raise KeyError(path)
        with file:
            return file.read()

    def find(self, prefix: str, suffix: str = "") -> bytes | None:
        """The first file that starts and ends so, or None."""
        path = next((p for p in self._members if p.startswith(prefix) and p.endswith(suffix)), None)
        return None if path is None else self.read(path)


@contextmanager
def opened(deb: Path) -> Iterator[Contents]:
    """Unpacks a package into a temporary file in the same directory. Raises HostLacks when it cannot be read."""
    with tar_of(deb) as tar:
        yield Contents(tar)


@contextmanager
def tar_of(deb: Path) -> Iterator[tarfile.TarFile]:
    """Same as opened(), with members of every kind."""
    with (
        disk_errors(deb),
        tempfile.TemporaryFile(dir=deb.parent) as tar_file,
        tempfile.TemporaryFile(dir=deb.parent) as log,
    ):
        child = process.start(("dpkg-deb", "--fsys-tarfile", str(deb)), out=tar_file, err=log)
        try:
            status = child.wait()
        finally:
            process.end(child)
        if status:
            log.seek(0)
            reason = log.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            raise HostLacks(f"{deb}: {''.join(reason) or 'dpkg-deb failed'}", "delete the file and repeat the command")
        tar_file.seek(0)
        try:
            with tarfile.open(fileobj=tar_file, mode="r:") as tar:
                yield tar
        except (tarfile.TarError, EOFError) as error:
            raise HostLacks(f"{deb}: damaged inside ({error})", "delete the file and repeat the command") from error
