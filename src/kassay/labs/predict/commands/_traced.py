# SPDX-License-Identifier: GPL-2.0-only
"""The recorded sides of a directory, for what-if questions on its traces."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kassay import answers
from kassay.commands._show import showing
from kassay.errors import BadInput
from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.labs.predict.predictions import Replays, Traces, asked_timings, found_timings, replays_of
from kassay.labs.predict.timing import Timing
from kassay.model.finding import Finding, Side
from kassay.model.progress import Tell
from kassay.model.reason_texts import reason_text


class TracedSides(NamedTuple):
    """The recorded sides of a directory, with the timings to replay them with."""

    timings: Mapping[str, Timing]
    sides: Sequence[tuple[Finding, Side]]
    """Every kernel and setting, in the primary metrics."""
    traces: Traces
    tell: Tell

    def replays(self) -> Replays:
        """Whole replays of all sides on all CPUs."""
        return replays_of(
            self.traces.directory, [self.traces.of(*one) for one in self.sides], self.timings, self.tell
        )  # fmt: skip


@contextmanager
def traced_sides(directory: Path, cpus: Sequence[str]) -> Iterator[TracedSides]:
    """Raises BadInput for a directory without traces, and for a CPU that is not known."""
    folder = open_directory(directory)
    experiment = folder.plan.experiment
    if not (cpus or experiment.predict):
        raise BadInput(
            f"{directory}: it was not made with --predict", "measure anew with --predict CPU, in another --out"
        )
    if cpus:
        timings = asked_timings(cpus, experiment.arch, directory)
    else:
        timings, lacking = found_timings(experiment.predict or (), experiment.arch, directory)
        if lacking:
            assert lacking[0].refused is not None
            raise BadInput(f"{lacking[0].cpu}: {reason_text(lacking[0].refused)}", "name another one with --cpu")
    with showing() as tell:
        records = folder.records()
        traces = Traces(folder, records, collect(folder, records, tell))
        sides = {
            (finding.point, side.kernel): (finding, side)
            for finding in answers.findings(directory) if finding.primary for side in finding.sides
        }  # fmt: skip
        yield TracedSides(timings, tuple(sides.values()), traces, tell)
