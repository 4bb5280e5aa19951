# SPDX-License-Identifier: GPL-2.0-only
"""Serves the files of a site to browsers of this machine."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kassay.effects.loopback import is_local, loopback_server, serve_until_interrupted


def serve(directory: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serves until interrupted. port: 0 for any free port. ready: called with the address when the server listens.
    Raises HostLacks if the port is in use."""
    serve_until_interrupted(server(directory, port), ready)


def server(directory: Path, port: int) -> ThreadingHTTPServer:
    """A server that is not started yet."""
    handler = partial(_Handler, directory=str(directory))
    return loopback_server(port, handler, "name another one with --port, or 0 for any that is free")


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".atom": "application/atom+xml"}  # noqa: RUF012

    def do_GET(self) -> None:
        """Refuses names of other hosts."""
        if not is_local(self):
            self.send_error(HTTPStatus.FORBIDDEN, "only for browsers of this machine")
            return
        super().do_GET()

    def list_directory(self, path: Any) -> None:
        """A directory without a page is not listed."""
        self.send_error(HTTPStatus.NOT_FOUND, "there is no such page")

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""
