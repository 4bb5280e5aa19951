# SPDX-License-Identifier: GPL-2.0-only
"""A trace on CPUs, as the core model answers, without the names of functions."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from kassay.labs.predict.core import Replayed, replay
from kassay.labs.predict.static import program_text
from kassay.labs.predict.timing import Timing
from kassay.labs.predict.trace import Trace


def replays(data: bytes, trace: Trace, *timings: Timing) -> Iterator[Replayed]:
    """The replay on each CPU. trace: what `data` holds."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "trace"
        path.write_bytes(data)
        for timing in timings:
            text, _ = program_text(trace, timing, lambda address: 0)
            yield replay(timing.params_text(), text, path)
