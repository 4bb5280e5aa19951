# SPDX-License-Identifier: GPL-2.0-only
"""Texts of /proc and /sys as a guest ships them."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import artifacts_of, files, text_of
from kassay.model.configuration import configured
from kassay.supply.guest import _procfs as procfs
from kassay.supply.guest import protocol
from kassay.supply.guest.program_output import values_in
from kassay.tools.recording.zoneinfo import read_zoneinfo

_PARSERS = (
    procfs.smaps, procfs.numa_maps, procfs.span, procfs.pairs, procfs.meminfo, procfs.chosen, procfs.swap_devices,
    procfs.quiescence, procfs.tasks, procfs.own_pids, procfs.interrupts, procfs.schedstat, procfs.placed,
    procfs.page_lists, read_zoneinfo, values_in, configured,
)  # fmt: skip
_LONGEST = 1 << 10
"""Seventeen parsers read each text, and longer ones have only more lines of the same."""


def _seeds(made: Path | None) -> Iterator[bytes]:
    streams = (*files("guest/*.stream"), *artifacts_of(made, "stream_sha256"))
    texts = {frame.payload for stream in streams for frame in protocol.frames(stream) if frame.kind == "file"}
    yield from sorted({text[:_LONGEST] for text in texts})
    yield b'{"benchmarks":[{"name":"a","real_time":1.5,"time_unit":"ns"}]}'
    yield b"N0=12 start 0x1000 length 4096\n7f0000000000 default anon=3 N0=3\n"


def _run(data: bytes) -> None:
    text = text_of(data)
    for parser in _PARSERS:
        parser(text)


TARGET = Target("/proc texts", _seeds, _run, longest=_LONGEST)
