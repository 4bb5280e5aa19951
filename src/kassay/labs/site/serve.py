# SPDX-License-Identifier: GPL-2.0-only
"""Serves the files of a site to browsers of this machine."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kassay.errors import HostLacks

_LOOPBACK = "127.0.0.1"


def serve(directory: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serves until interrupted. port: 0 for any free port. ready: called with the address when the server listens.
    Raises HostLacks if the port is in use."""
    with server(directory, port) as http_server:
        ready(f"http://{_LOOPBACK}:{http_server.server_port}/")
        http_server.serve_forever()


def server(directory: Path, port: int) -> ThreadingHTTPServer:
    """A server that is not started yet."""
    try:
        http_server = ThreadingHTTPServer((_LOOPBACK, port), partial(_Handler, directory=str(directory)))
    except (OSError, OverflowError) as error:
        raise HostLacks(f"port {port}: {error}", "name another one with --port, or 0 for any that is free") from error
    http_server.daemon_threads = True
    return http_server


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".atom": "application/atom+xml"}  # noqa: RUF012

    def do_GET(self) -> None:
        """Refuses names of other hosts: with DNS rebinding another site could read this server."""
        if self.headers.get("Host", "").rpartition(":")[0] not in (_LOOPBACK, "localhost"):
            self.send_error(HTTPStatus.FORBIDDEN, "only for browsers of this machine")
            return
        super().do_GET()

    def list_directory(self, path: Any) -> None:
        """A directory without a page is not listed."""
        self.send_error(HTTPStatus.NOT_FOUND, "there is no such page")

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""
