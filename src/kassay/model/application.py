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


def _nothing() -> Mapping[str, bytes]:
    return {}


class Words(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Facts about an application in a pinned experiment, so that it does not need the application's file."""

    name: str
    """That of its file."""
    summary: str
    uses: str
    """`summary`/`uses`: A line each, without a full stop: what it does; how it uses memory."""
    packages: tuple[str, ...]
    """Of the archive, by name; all that they depend on comes with them."""
    command: tuple[str, ...]
    """What is measured. One execution is one round; its output is read, at most 4 MiB of all executions."""
    arches: tuple[str, ...] = ("x86_64", "arm64")
    """On which the archive has them."""
    without: tuple[str, ...] = ()
    """Patterns, as of a shell, of packages that are left out though others depend on them."""
    links: tuple[tuple[str, str], ...] = ()
    """(path, target) of symbolic links that a script of a package would have made, such as update-alternatives.
    Commands are words; the first one is the absolute path of a program. A {word} in braces is a parameter, in all
    commands, in `environment` ("NAME=VALUE"), in `operations` and in `require`. All run as the user and group with the
    number `user`, who owns `directory` and what is in it, and have nothing as standard input."""
    parameters: tuple[Parameter, ...] = ()
    environment: tuple[str, ...] = ()
    user: int = 0
    directory: str = "/data"
    setup: tuple[tuple[str, ...], ...] = ()
    """Commands that are executed once, in order, when the machine has started; each must end with status 0."""
    server: tuple[str, ...] = ()
    """A command that goes on after the setup, and `ready` says when it can be used: a part of a line that it prints, or
    "port:6379" for a port of the loopback that accepts connections. Its tasks belong to the application."""
    ready: str = ""
    between: tuple[tuple[str, ...], ...] = ()
    """Commands before each execution, outside of the region: they put things back as the first one found them."""
    checks: tuple[tuple[str, ...], ...] = ()
    """Commands after the last round, outside of the region; each must end with status 0."""
    start_line: str = ""
    end_line: str = ""
    """`start_line`/`end_line`: Parts of lines that `command` prints: each round is from the one to the next other, and
    not a whole execution. Both "" or none. The profile counts such rounds."""
    operations: str = "1"
    """By which a round is divided; a number, or a parameter in braces."""
    operation: str = "execution"
    """What each of them is."""
    require: tuple[str, ...] = ()
    """As of --require: NAME==VALUE of what it prints, status==N, sha256==HEX of all that it prints."""
    memory: str = "1GiB"
    """That the machine must have."""
    limit_ms: int = 20_000
    """Guest time of one execution; 1 ms is a million instructions."""
    disclosed: str = ""
    """What of it is not the same in every run or on every kernel, and why; "" for nothing."""
    closure: tuple[ArchivePackage, ...] = ()
    """All of these, pinned; not set in a file."""

    @property
    def commands(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """All commands with their kinds, as guest/application.h calls them."""
        kinds = (("setup", self.setup), ("between", self.between), ("check", self.checks), ("run", (self.command,)),
                 ("server", (self.server,) if self.server else ()))  # fmt: skip
        return tuple((kind, command) for kind, commands in kinds for command in commands)


class Application(Words, frozen=True, kw_only=True):
    """An application as its file has it: the constant APPLICATION of applications/NAME.py."""

    inputs: Callable[[], Mapping[str, bytes]] = _nothing
    """Makes the files of `directory`, by path in it; the same bytes whenever it is called. What begins with "#!" is
    executable. `setup` sees these files."""


def memory_for(applications: Iterable[Words]) -> str:
    """Memory of a machine on which each of them runs: as a size, 1GiB for none."""
    return format_bytes(max((parse_bytes("1GiB"), *(parse_bytes(application.memory) for application in applications))))
