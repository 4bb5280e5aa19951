# SPDX-License-Identifier: GPL-2.0-only
"""Address of a cluster, and whether its traffic is encrypted: it is beyond loopback, unless plain:// is asked for."""

import ipaddress
import re
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import data_directory
from kassay.errors import BadInput

DEFAULT_PORT = 8786
_HOST, _PORT = r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+)", r":(\d{1,5})"
_ADDRESS = re.compile(f"(tcp|tls|plain)://{_HOST}(?:{_PORT})?")
_DASHBOARD = re.compile(f"{_HOST}{_PORT}")
_FILES = ("ca.pem", "cert.pem", "key.pem")


class Address(NamedTuple):
    """Address of a scheduler."""

    host: str
    port: int
    encrypted: bool
    """True if the traffic is encrypted, by the certificates of certificates_directory()."""

    @property
    def url(self) -> str:
        """Address as the engine writes it."""
        return f"{'tls' if self.encrypted else 'tcp'}://{self.host}:{self.port}"


def address_of(text: str) -> Address:
    """Reads tcp://HOST[:PORT]. Raises BadInput, also where certificates are needed and not there."""
    match = _ADDRESS.fullmatch(text)
    port = int(match[3] or DEFAULT_PORT) if match else 0
    if not match or not 0 < port < 1 << 16:
        raise BadInput(f"{text!r} is no address of a cluster", "write tcp://HOST:PORT, e.g. tcp://127.0.0.1:8786")
    scheme, host = match[1], match[2]
    encrypted = scheme == "tls" or (scheme == "tcp" and not _is_loopback(host))
    if encrypted and (absent := [name for name in _FILES if not (certificates_directory() / name).is_file()]):
        raise BadInput(
            f"{text}: no {', '.join(absent)} in {certificates_directory()}; beyond this host everything is encrypted",
            "`kassay cluster certificates` makes them; copy the directory to every host. plain:// does without",
        )
    return Address(host, port, encrypted)


def check_dashboard(text: str) -> None:
    """Raises BadInput unless `text` is HOST:PORT, or "" for none."""
    match = _DASHBOARD.fullmatch(text)
    if text and not (match and 0 < int(match[2]) < 1 << 16):
        raise BadInput(f"--dashboard {text!r}: not an address", "write HOST:PORT, e.g. 127.0.0.1:8787")


def certificates_directory() -> Path:
    """Directory of the certificates of this user's cluster: ca.pem, cert.pem, key.pem."""
    return data_directory() / "cluster"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
