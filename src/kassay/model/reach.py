# SPDX-License-Identifier: GPL-2.0-only
"""A machine elsewhere: its address, and how it is started when it does not come up by itself."""

from typing import NamedTuple
from urllib.parse import urlsplit

from kassay.errors import BadInput
from kassay.model.records import Record

_SCHEME = "ssh"


class SshAddress(NamedTuple):
    """ "ssh://USER@HOST:PORT" in its parts. user: "" for that of the ssh configuration. port: None likewise."""

    user: str
    host: str
    port: int | None

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
    user, host = parts.username or "", parts.hostname or ""
    further = parts.path.strip("/") or parts.query or parts.fragment or parts.password is not None
    sound = parts.scheme == _SCHEME and host and not further and text.isprintable() and " " not in text
    if not sound or host.startswith("-") or user.startswith("-"):
        raise wrong
    return SshAddress(user, host, port)


class Reach(Record, frozen=True, kw_only=True):
    """Options for reaching a remote machine. They change no measurement and are no part of the experiment.

    reset: a command, run here by sh, that makes the machine start anew when its kernel does not come up; "" for none:
    then it is left as it is. start: a command, run here by sh, that starts a kernel there in place of kexec; "" for
    kexec. limit_s: seconds within which a kernel must come up.
    """

    reset: str = ""
    start: str = ""
    limit_s: int = 600


HERE = Reach()
"""For a machine that is this host, or that needs no command to start."""
