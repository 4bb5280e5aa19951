# SPDX-License-Identifier: GPL-2.0-only
"""The stream of a boot as init would write it (frames of guest/emit.h), made from the output of the scripts."""

import re
import zlib
from collections.abc import Iterable
from urllib.parse import quote

_STAGES = ("ready", "quiet", "measuring", "done")


def with_boot(stream: bytes, files: Iterable[tuple[str, str]], uptime_s: float) -> bytes:
    """A workload's own stream as that of a boot. files: path and text of what was read there. uptime_s: when the
    workload began. An empty stream stays empty: there is no result."""
    if not stream:
        return b""
    frames = [_frame("file", f"boot:{path}", text.encode()) for path, text in files]
    announced = f"section=boot records={len(frames)}".encode()
    section = b"".join((_frame("begin", "-", announced), *frames, _frame("end", "-", announced)))
    at = str(int(uptime_s * 1e9)).encode()
    ready, quiet, measuring, done = (_frame("stage", name, at) for name in _STAGES)
    return ready + section + quiet + measuring + stream + done


def _frame(kind: str, name: str, payload: bytes) -> bytes:
    words = f"{kind} {quote(name, safe='!-~/:_.')} {len(payload)}".encode()
    crc = zlib.crc32(payload, zlib.crc32(words + b"\n"))
    return b"KASSAY " + words + b" %08x\n" % crc + payload + b"\n"


_BEGINS = b"kassay: run begins"


def since_the_run(log: bytes) -> bytes:
    """The kernel log with all lines before the run indented, so that what drivers say while a machine starts is not
    taken for something that happened in the run."""
    lines = log.splitlines(keepends=True)
    begun = next((index for index, line in enumerate(lines) if _BEGINS in line), 0)
    return b"".join((*(b"  " + line for line in lines[:begun]), *lines[begun:]))


def captured(text: str) -> tuple[tuple[str, str], ...]:
    """Path and text of each file in what state.sh printed."""
    lines_by_path: dict[str, list[str]] = {}
    for path, line in re.findall(r"^file\t([^\t\n]+)\t(.*)$", text, re.MULTILINE):
        lines_by_path.setdefault(path, []).append(line)
    return tuple((path, "\n".join(lines) + "\n") for path, lines in lines_by_path.items())
