# SPDX-License-Identifier: GPL-2.0-only
"""The console of a guest."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import artifacts_of
from kassay.run.outcome import classify

_KERNEL = b"""[    1.5] Kernel panic - not syncing: no init
[    1.6][  T1] Oops: 0000 [#1] SMP
Out of memory: Killed process 12 (page_fault) total-vm:1kB
"""


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield _KERNEL
    yield from artifacts_of(made, "console_sha256")


def _run(data: bytes) -> None:
    classify(console=data, stream_problem=None, status=1, timed_out=False, machine_words="")


TARGET = Target("consoles of guests", _seeds, _run)
