# SPDX-License-Identifier: GPL-2.0-only
"""A library in a process of its own: for one that takes long to start, and holds Python's lock meanwhile."""

import importlib
import socket
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from kassay.effects import process
from kassay.errors import HostLacks


class LibraryProcess:
    """Calls functions of one module. The process starts at once, and ends with this one; where it cannot be started, or
    ended before, the functions are called here. Arguments and results are picklable; several threads may call."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._unread = 0
        ours, theirs = socket.socketpair()
        self._connection = Connection(ours.detach())
        self._child: process.Child | None = None
        with theirs, suppress(HostLacks):  # without a process the other end is closed, as after its death
            argv = (sys.executable, "-m", __name__, module, str(theirs.fileno()))
            self._child = process.start(argv, out=process.NOWHERE, err=process.NOWHERE,
                                        pass_fds=(theirs.fileno(),))  # fmt: skip

    def close(self) -> None:
        """Ends the process; further functions are called here."""
        with self._lock:
            self._connection.close()
            if self._child is not None:
                process.end(self._child)

    def begin(self, function: str, *arguments: object) -> None:
        """Has a function called whose result nobody wants, and does not wait: what it starts is there later."""
        with self._lock, suppress(OSError):
            self._connection.send((function, arguments, {}))
            self._unread += 1

    def call(self, function: str, *arguments: object, **named: object) -> Any:
        """function(*arguments, **named). What it raises there is raised here."""
        try:
            with self._lock:
                self._connection.send((function, arguments, named))
                for _ in range(self._unread):
                    self._connection.recv()
                self._unread = 0
                result, error = self._connection.recv()
        except (EOFError, OSError):
            return getattr(importlib.import_module(self._module), function)(*arguments, **named)
        if error is not None:
            raise error
        return result


def _serve(module: str, connection: Connection) -> None:
    """Answers calls until the other end is closed."""
    library = importlib.import_module(module)
    with connection, suppress(EOFError, OSError):
        while True:
            function, arguments, named = connection.recv()
            answer: tuple[Any, Exception | None]
            try:
                answer = getattr(library, function)(*arguments, **named), None
            except Exception as error:
                answer = None, error
            connection.send(answer)


if __name__ == "__main__":
    _serve(sys.argv[1], Connection(int(sys.argv[2])))
