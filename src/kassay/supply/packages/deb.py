# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages: an ar archive of two compressed tar archives, deb(5)."""

import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from kassay.supply.packages.contents import Package, TarContents
from kassay.supply.packages.unpacking import Part, unpacked, whole

MAGIC = b"!<arch>\n"
_HEADER = 60
_KIND = "Debian package"


@contextmanager
def opened(path: Path) -> Iterator[Package]:
    """The package with its files. Raises BadInput for a file that is no whole package."""
    with ExitStack() as stack, path.open("rb") as file:
        with whole(path, _KIND):
            with _tar(file, "control.tar") as control:
                stanza = TarContents(control).read("control").decode("utf-8", "replace")
            fields = dict(line.partition(": ")[::2] for line in stanza.splitlines())
            tar = stack.enter_context(_tar(file, "data.tar"))
            package = Package(fields["Package"], fields["Version"], TarContents(tar))
        yield package


@contextmanager
def tar_of(path: Path) -> Iterator[tarfile.TarFile]:
    """The tar archive with the files of a package. Raises BadInput as opened() does."""
    with ExitStack() as stack, path.open("rb") as file:
        with whole(path, _KIND):
            tar = stack.enter_context(_tar(file, "data.tar"))
            tar.getmembers()
        yield tar


@contextmanager
def _tar(file: IO[bytes], name: str) -> Iterator[tarfile.TarFile]:
    with unpacked(_member(file, name)) as plain, tarfile.open(fileobj=plain, mode="r:") as tar:
        yield tar


def _member(file: IO[bytes], name: str) -> Part:
    """The member of an ar archive whose name starts so; ar(5)."""
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("it does not start as an ar archive does")
    at = len(MAGIC)
    while header := file.read(_HEADER):
        size = int(header[48:58])
        if header.startswith(name.encode()):
            return Part(file, at + _HEADER, size)
        at += _HEADER + size + size % 2
        file.seek(at)
    raise ValueError(f"it has no {name}")
