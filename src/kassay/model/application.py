# SPDX-License-Identifier: GPL-2.0-only
"""An application: an unmodified program of the archive as a workload, complete with its input and its check."""

from collections.abc import Callable, Iterable, Mapping

from kassay.model.packages import ArchivePackage
from kassay.model.records import Record
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Parameter

GROUP = "applications"
"""Group of a workload that is an application (model.workload.Workload.group)."""
ROUNDS = 2
"""Rounds of a run, unless another number is asked for."""
TIMEOUT_S = 900
"""Wall seconds that a run may take, unless another limit is asked for."""


class Words(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Facts about an application in a pinned experiment, so that it does not need the application's file."""

    name: str
    """Name of its file."""
    summary: str
    """Purpose of the application, one line without a full stop."""
    uses: str
    """The application's use of memory, one line without a full stop."""
    packages: tuple[str, ...]
    """Names of the archive's packages that it needs. Their dependencies are added."""
    command: tuple[str, ...]
    """Command that is measured. One execution is one round. Its output is read, at most 4 MiB of all executions."""
    arches: tuple[str, ...] = ("x86_64", "arm64")
    """Architectures for which the archive has the packages."""
    without: tuple[str, ...] = ()
    """Patterns, as of a shell, of packages that are left out though others depend on them."""
    links: tuple[tuple[str, str], ...] = ()
    """Symbolic links, as (path, target), that a package's script such as update-alternatives would have made."""
    parameters: tuple[Parameter, ...] = ()
    """Parameters of the application. {NAME} stands for one in commands, `environment`, `operations` and `require`."""
    environment: tuple[str, ...] = ()
    """Environment variables of the commands, as "NAME=VALUE"."""
    user: int = 0
    """Number of the user and the group that all commands run as. They own `directory` and its files."""
    directory: str = "/data"
    """Directory with the application's files."""
    setup: tuple[tuple[str, ...], ...] = ()
    """Commands that are executed once, in order, when the machine has started; each must end with status 0."""
    server: tuple[str, ...] = ()
    """Command of a server that goes on after the setup. Its tasks belong to the application."""
    ready: str = ""
    """Sign that the server can be used: a part of a line that it prints, or a port of the loopback, as "port:6379",
    that accepts connections."""
    between: tuple[tuple[str, ...], ...] = ()
    """Commands before each execution, outside of the region. They restore the state that the first execution started
    from."""
    checks: tuple[tuple[str, ...], ...] = ()
    """Commands after the last round, outside of the region; each must end with status 0."""
    start_line: str = ""
    """Part of a line, printed by `command`, that begins a round; "" if a round is a whole execution."""
    end_line: str = ""
    """Part of a line, printed by `command`, that ends a round; "" if `start_line` is. The profile counts such
    rounds."""
    operations: str = "1"
    """Number of operations that a round is divided by, or a parameter in braces."""
    operation: str = "execution"
    """Name of one operation."""
    require: tuple[str, ...] = ()
    """Requirements as for --require: NAME==VALUE for a printed value, status==N, sha256==HEX for all that is
    printed."""
    memory: str = "1GiB"
    """Memory that the machine must have."""
    limit_ms: int = 20_000
    """Guest time of one execution; 1 ms is a million instructions."""
    disclosed: str = ""
    """Parts of the application that differ between runs or kernels, with the reason; "" if there are none."""
    closure: tuple[ArchivePackage, ...] = ()
    """Packages with all their dependencies, pinned. An application's file does not set it."""

    @property
    def commands(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """All commands with their kinds, as guest/application.h calls them."""
        kinds = (("setup", self.setup), ("between", self.between), ("check", self.checks), ("run", (self.command,)),
                 ("server", (self.server,) if self.server else ()))  # fmt: skip
        return tuple((kind, command) for kind, commands in kinds for command in commands)


class Application(Words, frozen=True, kw_only=True):
    """An application as its file has it: the constant APPLICATION of applications/NAME.py."""

    inputs: Callable[[], Mapping[str, bytes]] = dict
    """Function that makes the files of `directory`, by their path in it. It returns the same bytes in each call. A file
    that begins with "#!" is executable. `setup` sees these files."""


def memory_for(applications: Iterable[Words]) -> str:
    """Memory of a machine on which each of them runs: as a size, 1GiB for none."""
    return format_bytes(max((parse_bytes("1GiB"), *(parse_bytes(application.memory) for application in applications))))
