# SPDX-License-Identifier: GPL-2.0-only
"""The status page, served to browsers of this machine alone. It answers questions, and changes nothing."""

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
from kassay.errors import HostLacks, KassayError
from kassay.model.status import RunStatus
from kassay.report.formats import format_named
from kassay.report.status_page import page, part
from kassay.watch.status import Watch, Watched

LOOPBACK = "127.0.0.1"
_EVERY_S = 2.0
"""How often a page asks again."""
_KEPT_S = 1.0
"""How long one answer serves all pages."""
_PLAIN = "text/plain; charset=utf-8"
_HTML = "text/html; charset=utf-8"


class Pages:
    """What the server answers with; several threads may ask at once."""

    def __init__(self, directory: Path) -> None:
        self._watch = Watch(directory)
        self._directory = directory
        self._lock = threading.Lock()
        self._statuses: tuple[RunStatus, ...] = ()
        self._until = 0.0

    def whole(self, run: str) -> str:
        """The page."""
        return self._rendered(run, lambda *given, **how: page(*given, **how, every_s=_EVERY_S))

    def part(self, run: str) -> str:
        """What changes of it."""
        return self._rendered(run, part)

    def _rendered(self, run: str, render: Callable[..., str]) -> str:
        statuses = self.statuses()
        named = tuple(status for status in statuses if status.name == run)
        listed = not named and bool(statuses) and not any(status.name == "." for status in statuses)
        return render(named or statuses, str(self._directory), listed=listed)

    def statuses(self) -> tuple[RunStatus, ...]:
        """Of every run directory."""
        with self._lock:
            if clock.monotonic_s() >= self._until:
                found = (watched.status() for watched in self._watch.find())
                self._statuses = tuple(status for status in found if status is not None)
                self._until = clock.monotonic_s() + _KEPT_S
            return self._statuses

    def report(self, run: str) -> bytes | None:
        """The answer as a page: the file that is there, or made now where it is older than the runs."""
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
    """Until interrupted. port: 0 for any that is free. ready: gets the address once it answers. Raises HostLacks where
    the port is taken."""
    with server(directory, port) as made:
        ready(f"http://{LOOPBACK}:{made.server_port}/")
        made.serve_forever()


def server(directory: Path, port: int) -> ThreadingHTTPServer:
    """A server that is not started yet."""
    pages = Pages(directory)

    class Handler(_Handler):
        answers = pages

    try:
        made = ThreadingHTTPServer((LOOPBACK, port), Handler)
    except (OSError, OverflowError) as error:
        raise HostLacks(
            f"port {port}: {error}", "name another one with --port, or none for any that is free"
        ) from error
    made.daemon_threads = True
    return made


class _Handler(BaseHTTPRequestHandler):
    answers: Pages

    def do_GET(self) -> None:
        """Of fixed paths only; a name that a query brings is looked up among those that were found."""
        # A page of another site could be made to carry this machine's address under a name of its own.
        if self.headers.get("Host", "").rpartition(":")[0] not in (LOOPBACK, "localhost"):
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
        elif path == "/report" and (found := self.answers.report(run)) is not None:
            self._send(HTTPStatus.OK, _HTML, found)
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
