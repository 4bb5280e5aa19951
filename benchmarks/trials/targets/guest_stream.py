# SPDX-License-Identifier: GPL-2.0-only
"""The stream of a guest's results, and what is read out of the files in it."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import REFUSALS, Target
from benchmarks.trials.targets._inputs import artifacts_of, files, mended_frames
from kassay.supply.guest import audit, program_output, protocol


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield from files("guest/*.stream")
    yield from artifacts_of(made, "stream_sha256")


def _run(data: bytes) -> None:
    report = protocol.parse(mended_frames(data))
    for moment in ("boot", "before", "after"):
        audit.fields(report, moment)
    audit.foreign(report)
    audit.online(report)
    audit.tasks_left_out(report)
    program_output.printed(program_output.with_printed_operations(report))
    for path in (program_output.RESULTS, program_output.RESULTS_OF_OTHERS):
        program_output.call_results(report, path)


TARGET = Target("results of guests", _seeds, _run, (*REFUSALS, protocol.StreamError))
