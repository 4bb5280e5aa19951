# SPDX-License-Identifier: GPL-2.0-only
"""`kassay predict --scale`: throughput by number of CPUs."""

from collections.abc import Sequence
from pathlib import Path

from kassay import __version__
from kassay.commands._show import say_answer
from kassay.labs.predict.commands._traced import traced_sides
from kassay.labs.predict.contention.scale import Wanted, check_counts, counts_from, scaled
from kassay.labs.predict.contention.scale_model import ScaleReport
from kassay.labs.predict.contention.scale_report import SCALE


def show_scale(
    directory: Path, cpus: Sequence[str], counts: str, scale_as: str, shared: tuple[str, ...], form_name: str
) -> None:  # fmt: skip
    """Answers for every kernel and setting of the directory, in its primary metrics."""
    form = SCALE.form(form_name)
    with traced_sides(directory, cpus) as given:
        numbers = counts_from(counts, given.timings)
        check_counts(given.timings, numbers)
        wanted = Wanted(numbers, scale_as, shared)
        found = scaled(given.sides, given.traces, given.replays(), given.timings, wanted, given.tell)
    report = ScaleReport(scale_as=scale_as, shared=shared, answers=found, kassay_version=__version__)
    say_answer(report, form)
