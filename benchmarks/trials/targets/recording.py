# SPDX-License-Identifier: GPL-2.0-only
"""The recorder's output of a guest: page events, and sizes of system calls."""

from collections.abc import Iterator
from pathlib import Path

from tests.recording.written import Happened, written

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import mended_frames
from kassay.labs.notice.sizes import Commands, call_sizes
from kassay.tools.recording.pages import PagesError
from kassay.tools.recording.recorded import About, page_trace

_ABOUT = About("debian:6.12", "6.12.117", "x86_64", "page_fault", 4096, 1 << 30, 5)


def _seeds(made: Path | None) -> Iterator[bytes]:
    events = [Happened(2000, "kmem/mm_page_alloc", (5000, 0, 0, 1)), Happened(4000, "kmem/mm_page_free", (5000, 0))]
    yield written([events], counts=[10])


def _run(data: bytes) -> None:
    stream = mended_frames(data)
    try:
        page_trace(stream, _ABOUT)
    except PagesError:
        call_sizes(stream, Commands(rounds=1), 4096)


TARGET = Target("recordings of guests", _seeds, _run, longest=1 << 17)
