# SPDX-License-Identifier: GPL-2.0-only
"""QEMU's answers on its control socket."""

import io
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from benchmarks.trials.target import REFUSALS, Target
from kassay.supply.machines._qmp import Qmp, QmpError

_GREETING = b'{"QMP":{"version":{"qemu":{"micro":22,"minor":2,"major":7},"package":""},"capabilities":["oob"]}}\r\n'
_DONE = b'{"return":{}}\r\n'


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield _GREETING + _DONE + b'{"event":"STOP","data":{},"timestamp":{"seconds":1,"microseconds":2}}\r\n' + _DONE
    yield _GREETING + _DONE + b'{"error":{"class":"GenericError","desc":"no"}}\r\n'


class _Socket:
    """Socket with the methods that Qmp uses. What is read from it is the input."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def settimeout(self, timeout_s: float) -> None:
        pass

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)

    def sendmsg(self, messages: list[bytes], files: object, flags: int = 0) -> int:
        return len(messages[0])


def _run(data: bytes) -> None:
    qmp = Qmp(cast(socket.socket, _Socket(data)), timeout_s=5)
    qmp.command("stop")
    qmp.wait_for("STOP")


TARGET = Target("answers of QEMU", _seeds, _run, (*REFUSALS, QmpError), 1 << 12)
