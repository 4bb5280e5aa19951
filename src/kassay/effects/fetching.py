# SPDX-License-Identifier: GPL-2.0-only
"""Files of an address that the user named. Files of the archive are fetched by apt, which checks them."""

import http.client
import shutil
import urllib.error
import urllib.request
from pathlib import Path

from kassay.errors import HostLacks

_SCHEMES = ("https://", "http://", "file://")
_TIMEOUT_S = 60


class NoSuchFile(HostLacks):
    """The address has no file of this name."""


def fetch(address: str, into: Path) -> None:
    """Writes the file at an address. Raises NoSuchFile, or HostLacks if it cannot be reached."""
    if not address.startswith(_SCHEMES):
        raise HostLacks(f"{address}: not an address", f"write one that begins with {' or '.join(_SCHEMES)}")
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as answer, into.open("wb") as file:
            shutil.copyfileobj(answer, file, 1 << 20)
            whole, have = answer.headers.get("Content-Length"), file.tell()
    except urllib.error.HTTPError as error:
        kind = NoSuchFile if error.code in (404, 410) else HostLacks
        raise kind(f"{address}: {error.code} {error.reason}", "check the address") from error
    except urllib.error.URLError as error:
        kind = NoSuchFile if isinstance(error.reason, FileNotFoundError) else HostLacks
        raise kind(f"{address}: {error.reason}", "check the address and the network") from error
    except (http.client.HTTPException, TimeoutError, ConnectionError, ValueError) as error:
        raise HostLacks(f"{address}: {error}", "check the address and the network, and repeat the command") from error
    if whole is not None and int(whole) != have:  # urllib takes a connection that ends early for the end of the file
        raise HostLacks(f"{address}: ended after {have} of {whole} bytes", "check the network, and repeat the command")
