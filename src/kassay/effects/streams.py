# SPDX-License-Identifier: GPL-2.0-only
"""The standard streams of a command, which may be closed, or whose reader may end first."""

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STDERR = 2


def set_up() -> None:
    """Give the process streams that never end a command. A stream that pytest or a caller replaced stays as it is."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:  # a closed stream: no file may get its number
        os.set_inheritable(number, True)  # programs that kassay starts need them, too
    os.close(number)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 # open until the process ends
    if sys.stdout is sys.__stdout__:
        sys.stdout = _stream(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _stream(_STDERR, sys.stderr)


def _stream(number: int, former: object) -> io.TextIOWrapper:
    encoding = former.encoding if isinstance(former, io.TextIOWrapper) else "utf-8"
    raw = _ForgivingStream(number, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding,
        errors="replace",  # a terminal that cannot show ◄ still gets the answer
        line_buffering=number == _STDERR or raw.isatty(),
    )  # fmt: skip


class _ForgivingStream(io.FileIO):
    """Standard output or standard error. Text for a reader that has ended is dropped. So is progress that cannot be
    written; an answer that cannot be written is an error."""

    _failed = False

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            again, self._failed = self._failed, True  # Python writes the same bytes once more at its end
            if not (again or self.fileno() == _STDERR or isinstance(error, BrokenPipeError)):
                raise
        return memoryview(data).nbytes
