# SPDX-License-Identifier: GPL-2.0-only
"""kassay series: a patch series, patch by patch."""

from pathlib import Path
from typing import Annotated

from typer import Option

from kassay.commands import Command
from kassay.commands._options import Measuring, Workloads
from kassay.commands._with_options import with_options
from kassay.errors import BadInput


def _series(
    workload: Workloads = "",
    *,
    base: Annotated[
        str, Option(metavar="REF", help="Sources without the series: build:TREE[@REV][,cc=gcc-12][,config=...].")
    ],
    patches: Annotated[Path, Option(metavar="PATH", help="Mailbox from `b4 am`, a diff, or a directory of patches.")],
    alone: Annotated[bool, Option("--alone", help="Measure each patch alone on base, too.")] = False,
    hunks: Annotated[bool, Option("--hunks", help="Measure the series without each hunk, too.")] = False,
    annotations: Annotated[
        bool,
        Option(
            "--annotations",
            help="Measure the series without each __always_inline, likely() and similar that it adds, and each of "
            "them alone.",
        ),
    ] = False,
    options: Measuring,
) -> int:
    """What does each patch of a series do to WORKLOAD?

    kassay builds and measures the base, the base with the first patch, the first two and so on, and the whole series
    without each patch. The answer is a table for a cover letter. Identical kernels are measured once. The same command
    again resumes.

    Example: kassay series mprotect_toggle --base build:~/linux@v7.0 --patches ./series.mbx --annotations
    """
    from kassay.commands._answer import measure_and_answer, show_commands
    from kassay.commands._experiment import checked_from, directory_for, experiments_from
    from kassay.commands._show import showing
    from kassay.tools.series import rows
    from kassay.tools.series.variants import Asked

    if options.match:
        raise BadInput("--match preempt: the kernels of a series have one configuration", "leave it out")
    asked = Asked(alone=alone, hunks=hunks, annotations=annotations)
    counts, times = checked_from("series", workload, rows.ends_of(base, patches, options.arch), options)
    if options.plan:  # of base and the whole series; the other kernels get the same commands
        return show_commands(times or counts, directory_for(counts, options.out, options.fresh), options.reach)
    with showing() as tell:
        series_rows = rows.rows_of(base, patches, asked, options.arch, tell)
        series_rows = rows.built(series_rows, options.arch, tell, rows.image_of(options.flavour, tell))
    refs = [row.ref for row, _ in rows.placed(series_rows)]
    counts, times = experiments_from("series", workload, [refs[0], refs[-1]], options)
    experiment = rows.experiment_of(series_rows, counts)
    directory = directory_for(experiment, options.out, options.fresh)
    rows.keep(directory, series_rows, experiment)
    timed = times and rows.experiment_of(series_rows, times)
    return measure_and_answer(
        experiment, directory, options.format_, options.passing, timed, options.cluster, options.reach
    )


COMMAND = Command(name="series", order=22, run=with_options(_series, without=("debug_symbols",)))
