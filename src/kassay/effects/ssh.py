# SPDX-License-Identifier: GPL-2.0-only
"""A machine elsewhere, through the system's own ssh and the user's own configuration of it."""

import contextlib
import shlex
from collections.abc import Sequence
from pathlib import Path

from kassay.effects import clock, process
from kassay.effects.distribution import install
from kassay.errors import HostLacks
from kassay.model.remote_machine import SshAddress

_LOST = 255  # ssh's exit status when there is no connection
_OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=10",
            "-o", "ServerAliveCountMax=3")  # fmt: skip
_STORE = 'umask 077; mkdir -p "${1%/*}" && cat >"$1.part" && mv "$1.part" "$1"'
_MASTER_S = 20


class ConnectionLost(Exception):
    """The machine does not answer, or no longer. The text is ssh's own."""


class Ssh:
    """Commands of root on a machine; one connection serves all of them. For one thread at a time.

    directory: an empty one of this process alone; its path must be short, as it is that of a socket.
    """

    def __init__(self, address: SshAddress, directory: Path) -> None:
        self._address = address
        self._directory = directory
        self._master: process.Child | None = None
        self._numbers = 0

    @property
    def name(self) -> str:
        """Address as the user wrote it."""
        return self._address.text

    def script(self, text: str, arguments: Sequence[str] = (), *, timeout_s: float = 120) -> process.Completed:
        """Executes a script of sh there, which ends by itself. Raises ConnectionLost."""
        return self._run(("sh", "-s", "--", *arguments), self._file(text.encode()), timeout_s)

    def send(self, data: bytes | Path, to: str, *, timeout_s: float = 3600) -> None:
        """Makes the file `to` there, whole or not at all. Raises ConnectionLost; HostLacks when it cannot be made."""
        path = self._file(data) if isinstance(data, bytes) else data
        done = self._run(("sh", "-c", _STORE, "sh", to), path, timeout_s)
        if done.status:
            raise HostLacks(f"{self.name}: {to} cannot be written: {last_line(done.err)}", "make room there")

    def fetch(self, arguments: Sequence[str], *, timeout_s: float = 600) -> bytes:
        """Output of a remote command, byte for byte. Its exit status is ignored. Raises ConnectionLost."""
        out, err = self._new("out"), self._new("err")
        with out.open("wb") as output, err.open("wb") as errors:
            child = process.start(self._command(arguments), out=output, err=errors)
            ended = process.wait(child, timeout_s)
            process.end(child)
        if not ended or child.returncode == _LOST:
            raise ConnectionLost(last_line(err.read_text("utf-8", "replace")) or "no answer")
        return out.read_bytes()

    def drop(self) -> None:
        """Ends the connection; the next command makes a new one."""
        if self._master is not None:
            process.end(self._master)
            self._master = None
        self._socket.unlink(missing_ok=True)

    @property
    def _socket(self) -> Path:
        return self._directory / "c"

    def _run(self, arguments: Sequence[str], stdin: Path, timeout_s: float) -> process.Completed:
        self._connect()
        with stdin.open("rb") as file:
            done = process.run(self._command(arguments), timeout_s=timeout_s, stdin=file)
        if done.timed_out or done.status == _LOST:
            raise ConnectionLost(last_line(done.err) or f"no answer within {timeout_s:g} s")
        return done

    def _connect(self) -> None:
        """Starts the connection that the commands share. Where that fails, each command makes its own connection, and
        reports its own error."""
        if self._master is not None and self._master.poll() is None:
            return
        self.drop()
        with (self._directory / "master").open("wb") as log:
            self._master = process.start((*self._ssh(), "-M", "-N", self._destination), out=log, err=log)
        until = clock.monotonic_s() + _MASTER_S
        while not self._socket.exists() and not process.wait(self._master, 0.05) and clock.monotonic_s() < until:
            pass

    def _command(self, arguments: Sequence[str]) -> tuple[str, ...]:
        root = () if self._address.user == "root" else ("sudo", "-n")
        return *self._ssh(), self._destination, shlex.join((*root, *arguments))

    def _ssh(self) -> tuple[str, ...]:
        if process.find("ssh") is None:
            raise HostLacks("ssh: not found on this host", f"install it: {install('openssh-client')}")
        port = ("-p", str(self._address.port)) if self._address.port else ()
        return "ssh", *_OPTIONS, "-o", f"ControlPath={self._socket}", *port

    @property
    def _destination(self) -> str:
        user = f"{self._address.user}@" if self._address.user else ""
        return f"{user}{self._address.host}"

    def _file(self, data: bytes) -> Path:
        path = self._new("in")
        path.write_bytes(data)
        return path

    def _new(self, name: str) -> Path:
        """A path for the input or output of one command; older files are removed."""
        self._numbers += 1
        with contextlib.suppress(FileNotFoundError):
            (self._directory / f"{self._numbers - 4}-{name}").unlink()
        return self._directory / f"{self._numbers}-{name}"


def last_line(text: str) -> str:
    """The last line that says something; ssh's own remarks end with a carriage return."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
