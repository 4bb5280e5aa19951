# SPDX-License-Identifier: GPL-2.0-only
"""The server of a site: its files for browsers of this machine, and no listing of a directory."""

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.errors import HostLacks
from kassay.labs.site.serve import server


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "site" / "step" / "empty").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("<h1>home</h1>")
    (tmp_path / "site" / "feed.atom").write_text("<feed/>")
    (tmp_path / "secret").write_text("secret")
    with server(tmp_path / "site", 0) as http_server:
        thread = threading.Thread(target=http_server.serve_forever, args=(0.01,))
        thread.start()
        yield http_server.server_port
        http_server.shutdown()
        thread.join()


def _get(port: int, path: str, host: str = "127.0.0.1") -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Host": f"{host}:{port}"})
    answer = connection.getresponse()
    found = answer.status, answer.headers.get_content_type(), answer.read()
    connection.close()
    return found


def test_files_are_served_with_their_type(port: int) -> None:
    assert _get(port, "/") == (200, "text/html", b"<h1>home</h1>")
    assert _get(port, "/feed.atom")[:2] == (200, "application/atom+xml")


@pytest.mark.parametrize("path", ["/step/empty/", "/absent", "/../secret", "/%2e%2e/secret"])
def test_nothing_else_is_served(port: int, path: str) -> None:
    assert _get(port, path)[0] == 404


def test_names_of_other_hosts_are_refused(port: int) -> None:
    assert _get(port, "/", "example.org")[0] == 403


def test_port_in_use_is_named(port: int, tmp_path: Path) -> None:
    with pytest.raises(HostLacks, match=f"port {port}"):
        server(tmp_path, port)
