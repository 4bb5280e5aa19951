# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages that kassay fetched into its cache. A file that is damaged there can be deleted."""

import tarfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from kassay.errors import BadInput, HostLacks
from kassay.supply.packages import deb as _deb
from kassay.supply.packages.contents import Contents

T = TypeVar("T")


@contextmanager
def opened(deb: Path) -> Iterator[Contents]:
    """The files of a package. Raises HostLacks when it cannot be read."""
    with ExitStack() as stack:
        yield _entered(stack, _deb.opened(deb)).contents


@contextmanager
def tar_of(deb: Path) -> Iterator[tarfile.TarFile]:
    """Same as opened(), with members of every kind."""
    with ExitStack() as stack:
        yield _entered(stack, _deb.tar_of(deb))


def _entered(stack: ExitStack, package: AbstractContextManager[T]) -> T:
    try:
        return stack.enter_context(package)
    except BadInput as error:
        raise HostLacks(error.what, "delete the file and repeat the command") from error
