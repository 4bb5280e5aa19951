# SPDX-License-Identifier: GPL-2.0-only
"""The part of QEMU's machine protocol (docs/interop/qmp-spec) that saving and restoring needs.

qemu.qmp 0.0.6 was tried and refused. Its synchronous client waits without limit for the greeting, needs an event loop
per thread, and raises EOFError when it is closed after QEMU ended. The code around it would be 40 lines.
"""

import json
import socket
from collections.abc import Sequence
from typing import Any

from kassay.errors import KassayError


class QmpError(KassayError):
    """QEMU refused a command, or went away."""


class Qmp:
    """A synchronous client on one end of a socket pair; the other end is QEMU's."""

    def __init__(self, end: socket.socket, timeout_s: float) -> None:
        self._socket = end
        self._socket.settimeout(timeout_s)
        self._lines = end.makefile("rb")
        self._events: list[str] = []
        self._read()  # the greeting
        self.command("qmp_capabilities")

    def command(self, name: str, arguments: dict[str, Any] | None = None, fds: Sequence[int] = ()) -> Any:
        """Sends one command, with open files if it takes any, and returns its answer."""
        message = json.dumps({"execute": name, "arguments": arguments or {}}).encode()
        try:
            socket.send_fds(self._socket, [message], list(fds))
        except OSError as error:
            raise QmpError(f"QEMU ended before {name}") from error
        while True:
            answer = self._read()
            if "event" in answer:
                self._events.append(answer["event"])
            elif "return" in answer:
                return answer["return"]
            else:
                problem = answer.get("error", answer)
                description = problem.get("desc", problem) if isinstance(problem, dict) else problem
                raise QmpError(f"QEMU: {name}: {description}")

    def wait_for(self, event: str) -> None:
        """Returns when the event has come."""
        while event not in self._events:
            answer = self._read()
            if "event" in answer:
                self._events.append(answer["event"])

    def _read(self) -> dict[str, Any]:
        try:
            line = self._lines.readline()
        except TimeoutError as error:
            raise QmpError("QEMU does not answer") from error
        except OSError as error:
            raise QmpError("QEMU ended") from error
        if not line:
            raise QmpError("QEMU ended")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise QmpError("QEMU ended in the middle of a word") from error
        if not isinstance(answer, dict):
            raise QmpError(f"QEMU answered {line[:40]!r}")
        return answer
