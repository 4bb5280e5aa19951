# SPDX-License-Identifier: GPL-2.0-only
"""HTTP servers that only browsers of this machine reach."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from kassay.errors import HostLacks

_LOOPBACK = "127.0.0.1"


def loopback_server(port: int, handler: Callable[..., BaseHTTPRequestHandler], remedy: str) -> ThreadingHTTPServer:
    """A server that is not started yet. port: 0 for any free port. Raises HostLacks with `remedy` if it is in use."""
    try:
        server = ThreadingHTTPServer((_LOOPBACK, port), handler)
    except (OSError, OverflowError) as error:
        raise HostLacks(f"port {port}: {error}", remedy) from error
    server.daemon_threads = True
    return server


def serve_until_interrupted(server: ThreadingHTTPServer, ready: Callable[[str], None]) -> None:
    """Starts a server. ready: called with its address when it listens."""
    with server:
        ready(f"http://{_LOOPBACK}:{server.server_port}/")
        server.serve_forever()


def is_local(request: BaseHTTPRequestHandler) -> bool:
    """True if a request names this machine. With DNS rebinding another site can let a host name of its own point to
    127.0.0.1, and so read a server; such a request names that host."""
    try:
        return urlsplit(f"//{request.headers.get('Host', '')}").hostname in (_LOOPBACK, "localhost")
    except ValueError:
        return False
