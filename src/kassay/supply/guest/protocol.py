# SPDX-License-Identifier: GPL-2.0-only
"""The result stream of a guest: bytes -> GuestReport. The frames are defined in guest/emit.h.

A stream is either complete and undamaged, or refused with the reason; nothing is guessed.

History of the stream: 1 - frames, sections, crc32 over name and payload.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from kassay.model.guest import GuestReport
from kassay.supply.guest._records import assemble
from kassay.supply.guest.program_output import OUTPUT

_HEADER = re.compile(rb"KASSAY ([a-z]{1,16}) ([!-~]{1,320}) (0|[1-9]\d{0,8}) ([0-9a-f]{8})\n")
_OUTPUT = f"after:{OUTPUT}/output"
_ANNOUNCED = re.compile(r"section=([a-z]{1,32}) records=(\d{1,9})")


class StreamError(Exception):
    """A stream without a report. kind: a word of model.run.OUTCOMES; detail: one line."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Frame(NamedTuple):
    """One frame, its checksum verified."""

    kind: str
    name: str
    payload: bytes


def parse(stream: bytes) -> GuestReport:
    """Reads one run's whole stream.

    Raises StreamError: "no-boot" (empty), "torn-output" (cut, damaged, or anything between
    the frames), "guest-error" (the guest says why). A check that is not "ok" is in the
    report; see outcome().
    """
    if not stream:
        raise StreamError("no-boot", "the guest wrote nothing")
    all_frames = tuple(frames(stream))
    stages = [frame.name for frame in all_frames if frame.kind == "stage"]
    sections = _sections([frame for frame in all_frames if frame.kind != "stage"])
    for section in sections.values():
        for frame in section:
            if frame.kind == "error":
                raise StreamError("guest-error", _text(frame.payload))
    if "workload" not in sections:
        raise StreamError("torn-output", f"no result; the last stage was {stages[-1] if stages else 'none'}")
    if stages and stages[-1] != "done":
        raise StreamError("torn-output", f"the stream ends in stage {stages[-1]}, before done")
    if "boot" in sections and not stages:
        raise StreamError("torn-output", "the stream of a boot without stages")
    try:
        return assemble((f.kind, f.name, _text_of(f)) for name in sections for f in sections[name])
    except ValueError as error:
        raise StreamError("torn-output", str(error)) from error


def outcome(report: GuestReport) -> tuple[str, str]:
    """(word of OUTCOMES, detail) of a report that could be read."""
    return ("ok", "") if report.check == "ok" else ("check-failed", report.check)


def frames(stream: bytes) -> Iterator[Frame]:
    """Frame by frame. Raises StreamError where something is cut, damaged or between them."""
    at = 0
    while at < len(stream):
        header = _HEADER.match(stream, at)
        if header is None:
            raise StreamError("torn-output", f"no frame at byte {at}: {stream[at : at + 40]!r}")
        end = header.end() + int(header.group(3))
        payload = stream[header.end() : end]
        if stream[end : end + 1] != b"\n":
            raise StreamError("torn-output", f"the frame at byte {at} is cut or longer than announced")
        summed = b" ".join(header.groups()[:3]) + b"\n"
        if zlib.crc32(payload, zlib.crc32(summed)) != int(header.group(4), 16):
            raise StreamError("torn-output", f"the frame at byte {at} is damaged: wrong checksum")
        yield Frame(header.group(1).decode(), unquote(header.group(2).decode()), payload)
        at = end + 1


def _sections(frames: Sequence[Frame]) -> dict[str, tuple[Frame, ...]]:
    """Frames by section; every count announced is checked."""
    sections: dict[str, tuple[Frame, ...]] = {}
    rest = list(frames)
    while rest:
        name, count = _announced(rest[0], "begin")
        if len(rest) < count + 2 or rest[count + 1].payload != rest[0].payload:
            raise StreamError("torn-output", f"section {name}: {count} records were announced, and no end follows them")
        _announced(rest[count + 1], "end")
        if name in sections:
            raise StreamError("torn-output", f"section {name} appears twice")
        sections[name] = tuple(rest[1 : count + 1])
        del rest[: count + 2]
    return sections


def _announced(frame: Frame, kind: str) -> tuple[str, int]:
    match = _ANNOUNCED.fullmatch(_text(frame.payload))
    if frame.kind != kind or match is None:
        raise StreamError("torn-output", f"a frame {frame.kind!r} where {kind!r} should be")
    return match.group(1), int(match.group(2))


def _text_of(frame: Frame) -> str:
    """The payload as text. Bytes of a program's output that are no UTF-8 stay as surrogates: its hash may be asked."""
    return frame.payload.decode("utf-8", "surrogateescape") if frame.name == _OUTPUT else _text(frame.payload)


def _text(payload: bytes) -> str:
    return payload.decode("utf-8", "replace")
