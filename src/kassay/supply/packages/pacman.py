# SPDX-License-Identifier: GPL-2.0-only
"""pacman packages: one compressed tar archive with the file .PKGINFO, alpm-package(7)."""

import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kassay.supply.packages.contents import Package, TarContents
from kassay.supply.packages.unpacking import Part, unpacked, whole


@contextmanager
def opened(path: Path) -> Iterator[Package]:
    """The package with its files. Raises BadInput for a file that is no whole package."""
    with ExitStack() as stack, path.open("rb") as file:
        with whole(path, "pacman package"):
            plain = stack.enter_context(unpacked(Part(file, 0, path.stat().st_size)))
            contents = TarContents(stack.enter_context(tarfile.open(fileobj=plain, mode="r:")))
            if ".PKGINFO" not in contents.paths:
                raise ValueError("it has no .PKGINFO")
            lines = contents.read(".PKGINFO").decode("utf-8", "replace").splitlines()
            fields = dict(line.partition(" = ")[::2] for line in lines)
            package = Package(fields["pkgname"], fields["pkgver"], contents)
        yield package
