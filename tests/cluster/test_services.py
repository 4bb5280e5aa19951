# SPDX-License-Identifier: GPL-2.0-only
"""The scheduler names an address that it cannot have, and serves no page unasked; the certificates are made at once."""

import os
import signal
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from kassay.effects import files
from kassay.errors import BadInput, HostLacks
from kassay.tools.cluster import certificates
from kassay.tools.cluster.address import address_of, certificates_directory


@pytest.fixture
def services() -> Any:
    pytest.importorskip("distributed")
    from kassay.tools.cluster import services

    return services


@pytest.fixture
def port() -> Iterator[int]:
    """A port of 127.0.0.1 that is in use."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("address", "dashboard", "named"),
    [
        ("tcp://127.0.0.1:{port}", "", r"tcp://127.0.0.1:{port}: .*[Aa]ddress already in use"),
        ("plain://192.0.2.1:{port}", "", r"tcp://192.0.2.1:{port}: .*[Cc]annot assign"),
        ("tcp://127.0.0.1:1", "127.0.0.1:{port}", r"--dashboard 127.0.0.1:{port}: .*[Aa]ddress already in use"),
    ],
)
def test_scheduler_names_the_address_that_it_cannot_have(
    services: Any, port: int, address: str, dashboard: str, named: str
) -> None:
    wanted = address_of(address.format(port=port))
    with pytest.raises(HostLacks, match=named.format(port=port)):
        services.serve_scheduler(wanted, dashboard.format(port=port), lambda _: os.kill(os.getpid(), signal.SIGTERM))


def test_scheduler_without_a_dashboard_serves_no_page(services: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    statuses: list[int] = []
    made = services.Scheduler

    def scheduler(**options: Any) -> Any:
        started.append(made(**options))
        return started[0]

    def ask() -> None:
        for page in ("json/identity.json", "info/main/workers.html", "health"):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{started[0].http_server.port}/{page}", timeout=10).close()
                statuses.append(200)
            except urllib.error.HTTPError as error:
                statuses.append(error.code)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(services, "Scheduler", scheduler)
    with socket.create_server(("127.0.0.1", 0)) as found:
        free = found.getsockname()[1]
    services.serve_scheduler(address_of(f"tcp://127.0.0.1:{free}"), "", lambda _: threading.Thread(target=ask).start())
    assert statuses == [404, 404, 404]


def test_certificates_are_there_whole_or_not_at_all(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setenv("XDG_DATA_HOME", str(cache.parent))
    writes = iter((files.write_atomic, None))

    def killed(*arguments: Any, **options: Any) -> None:
        write = next(writes)
        if write is None:
            raise KeyboardInterrupt
        write(*arguments, **options)

    with monkeypatch.context() as context:
        context.setattr(certificates, "write_atomic", killed)
        with pytest.raises(KeyboardInterrupt):
            certificates.make_certificates()
    directory = certificates.make_certificates()
    assert directory == certificates_directory()
    assert {path.name: path.stat().st_mode & 0o777 for path in directory.iterdir()} == dict.fromkeys(
        ("ca.pem", "cert.pem", "key.pem"), 0o600
    )
    with pytest.raises(BadInput, match="there already"):
        certificates.make_certificates()
