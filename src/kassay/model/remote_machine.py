# SPDX-License-Identifier: GPL-2.0-only
"""A machine elsewhere: its address, and how it is started when it does not come up by itself."""

from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from kassay.errors import BadInput
from kassay.model.records import Record

_SCHEME = "ssh"


class SshAddress(NamedTuple):
    """Parts of "ssh://USER@HOST:PORT"."""

    user: str
    """ "" for the user of the ssh configuration."""
    host: str
    port: int | None
    """None for the port of the ssh configuration."""

    @property
    def text(self) -> str:
        """Address as it is written."""
        user, host = f"{self.user}@" if self.user else "", f"[{self.host}]" if ":" in self.host else self.host
        return f"{_SCHEME}://{user}{host}{f':{self.port}' if self.port else ''}"


def parse_ssh(text: str) -> SshAddress:
    """Reads an address. Raises BadInput that shows how one is written."""
    wrong = BadInput(f"{text!r}: not the address of a machine", "write ssh://USER@HOST or ssh://USER@HOST:PORT")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise wrong from error
    user, host = parts.username or "", _host_as_written(parts)
    further = parts.path.strip("/") or parts.query or parts.fragment or parts.password is not None
    sound = parts.scheme == _SCHEME and host and not further and text.isprintable() and " " not in text
    if not sound or host.startswith("-") or user.startswith("-"):
        raise wrong
    return SshAddress(user, host, port)


def _host_as_written(parts: SplitResult) -> str:
    """`hostname` in its own letters: ssh's "Host BigBox" matches no "bigbox"."""
    host = parts.hostname or ""
    start = parts.netloc.lower().rfind(host)
    return parts.netloc[start : start + len(host)]


class RemoteOptions(Record, frozen=True, kw_only=True):
    """Options for reaching a remote machine. They change no measurement and are no part of the experiment."""

    reset: str = ""
    """Local command, run by sh, that resets the machine if its kernel does not come up. "" leaves it as it is."""
    start: str = ""
    """Local command, run by sh, that starts a kernel on the machine in place of kexec. "" uses kexec."""
    limit_s: int = 600
    """Seconds to wait for a kernel to boot."""


HERE = RemoteOptions()
"""For a machine that is this host, or that needs no command to start."""
