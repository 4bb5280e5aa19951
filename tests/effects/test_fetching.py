# SPDX-License-Identifier: GPL-2.0-only
"""Files of an address, from a server in this process."""

import socket
import threading
from pathlib import Path

import pytest

from kassay.effects.fetching import fetch
from kassay.errors import HostLacks


@pytest.mark.parametrize("sent", [1000, 400])
def test_a_download_that_ends_early_is_no_file(tmp_path: Path, sent: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * sent)

        thread = threading.Thread(target=answer)
        thread.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/file"
        if sent == 1000:
            fetch(address, tmp_path / "file")
        else:
            with pytest.raises(HostLacks, match="ended after 400 of 1000 bytes"):
                fetch(address, tmp_path / "file")
        thread.join()
