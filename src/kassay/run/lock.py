# SPDX-License-Identifier: GPL-2.0-only
"""Who may measure: one kassay per directory, and one timed measurement per host."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kassay.effects.files import cache_directory
from kassay.effects.lock import Held, lock_file
from kassay.errors import HostLacks


@contextmanager
def exclusive(path: Path, what: str, remedy: str = "choose another directory with --out",
              shared: bool = False) -> Iterator[None]:  # fmt: skip
    """Holds a lock file, alone or with others that share it.

    Raises HostLacks that names the holder when another process has it.
    """
    with ExitStack() as held:
        try:
            held.enter_context(lock_file(path, wait=False, shared=shared))
        except Held as error:
            raise HostLacks(f"{what} is in use by another kassay (process {error.holder or 'unknown'})",
                            f"wait for it to end, or {remedy}") from error  # fmt: skip
        yield


@contextmanager
def host_for(*, timed: bool) -> Iterator[None]:
    """The whole host for one timed measurement, or a share of it for a counted one, which would be part of the time."""
    path = cache_directory() / "host.lock"
    with exclusive(path, "this host's clock", "stop it", shared=not timed):
        yield
