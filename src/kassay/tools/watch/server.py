# SPDX-License-Identifier: GPL-2.0-only
"""The status page, served to browsers of this machine only. The server reads, and changes nothing."""

import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from kassay import pipeline
from kassay.effects import clock
from kassay.effects.loopback import is_local, loopback_server, serve_until_interrupted
from kassay.errors import KassayError
from kassay.model.status import RunStatus
from kassay.report.formats import format_named
from kassay.tools.watch.page import page, part
from kassay.tools.watch.status import Watch, Watched

_EVERY_S = 2.0
"""Seconds between two reloads of a page's changing part."""
_REUSED_S = 1.0
"""For how long the statuses are reused, whatever the number of open pages."""
_PLAIN = "text/plain; charset=utf-8"
_HTML = "text/html; charset=utf-8"


class Pages:
    """The content of the pages; safe to call from several threads."""

    def __init__(self, directory: Path) -> None:
        self._watch = Watch(directory)
        self._directory = directory
        self._lock = threading.Lock()
        self._statuses: tuple[RunStatus, ...] = ()
        self._until = 0.0

    def whole(self, run: str) -> str:
        """The whole page."""
        return self._rendered(run, lambda *given, **how: page(*given, **how, every_s=_EVERY_S))

    def part(self, run: str) -> str:
        """The part of the page that changes."""
        return self._rendered(run, part)

    def _rendered(self, run: str, render: Callable[..., str]) -> str:
        statuses = self.statuses()
        named = tuple(status for status in statuses if status.name == run)
        listed = not named and bool(statuses) and not any(status.name == "." for status in statuses)
        return render(named or statuses, str(self._directory), listed=listed)

    def statuses(self) -> tuple[RunStatus, ...]:
        """Status of every run directory."""
        with self._lock:
            if clock.monotonic_s() >= self._until:
                statuses = (watched.status() for watched in self._watch.find())
                self._statuses = tuple(status for status in statuses if status is not None)
                self._until = clock.monotonic_s() + _REUSED_S
            return self._statuses

    def report(self, run: str) -> bytes | None:
        """The answer as a page: from its file, or computed now if the file is older than the last run."""
        watched = self._watch.named(run or ".")
        if watched is None:
            return None
        with self._lock:
            if (fresh := watched.fresh_report) is not None:
                return fresh.read_bytes()
            return self._answered(watched)

    def _answered(self, watched: Watched) -> bytes:
        return format_named("html").render(pipeline.answer(watched.path)).encode()


def serve(directory: Path, port: int, ready: Callable[[str], None]) -> None:
    """Serves until interrupted. port: 0 for any free port. ready: called with the address when the server listens.
    Raises HostLacks if the port is in use."""
    serve_until_interrupted(server(directory, port), ready)


def server(directory: Path, port: int) -> ThreadingHTTPServer:
    """A server that is not started yet."""
    pages = Pages(directory)

    class Handler(_Handler):
        answers = pages

    return loopback_server(port, Handler, "name another one with --port, or none for any that is free")


class _Handler(BaseHTTPRequestHandler):
    answers: Pages

    def do_GET(self) -> None:
        """Answers fixed paths only. The run of a query is looked up by name, never used as a path."""
        if not is_local(self):
            self._send(HTTPStatus.FORBIDDEN, _PLAIN, b"only for browsers of this machine\n")
            return
        asked = urlsplit(self.path)
        run = parse_qs(asked.query).get("run", [""])[0]
        try:
            self._answer(asked.path, run)
        except KassayError as error:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, _PLAIN, f"{error}\n".encode())

    def _answer(self, path: str, run: str) -> None:
        if path == "/":
            self._send(HTTPStatus.OK, _HTML, self.answers.whole(run).encode())
        elif path == "/part":
            self._send(HTTPStatus.OK, _HTML, self.answers.part(run).encode())
        elif path == "/status.json":
            self._send(HTTPStatus.OK, "application/json", msgspec.json.encode(self.answers.statuses()) + b"\n")
        elif path == "/report" and (report := self.answers.report(run)) is not None:
            self._send(HTTPStatus.OK, _HTML, report)
        else:
            self._send(HTTPStatus.NOT_FOUND, _PLAIN, b"there is no such page\n")

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""
