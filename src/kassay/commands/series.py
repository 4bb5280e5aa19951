# SPDX-License-Identifier: GPL-2.0-only
"""kassay series: a patch series, patch by patch."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import Measuring, with_options


@with_options
def _series(
    workload: Annotated[
        str,
        Argument(
            help="What to run; `kassay workloads` lists them.", show_default=False, autocompletion=complete.workloads
        ),
    ] = "",
    *,
    base: Annotated[str, Option(help="Sources without the series: build:TREE[@REV][,cc=gcc-12][,config=...].")],
    patches: Annotated[Path, Option(help="A mailbox as `b4 am` leaves it, a diff, or a directory of patches.")],
    alone: Annotated[bool, Option("--alone", help="Also each patch alone on base.")] = False,
    hunks: Annotated[bool, Option("--hunks", help="Also the whole series without each hunk.")] = False,
    annotations: Annotated[
        bool,
        Option(
            "--annotations", help="Also without each __always_inline, likely() etc. it adds, and each alone on base."
        ),
    ] = False,
    options: Measuring,
) -> int:
    """What does each patch of a series do to WORKLOAD?

    Builds and measures base, the patches cumulatively, and the whole series without each one; the answer is a table
    for a cover letter. Kernels that are the same are measured once. The same command again resumes.

    Example: kassay series mprotect_toggle --base build:~/linux@v7.0 --patches ./series.mbx --annotations
    """
    from kassay.commands._answer import measure_and_answer
    from kassay.commands._experiment import directory_for, experiments_from
    from kassay.commands._show import showing
    from kassay.guest import catalog
    from kassay.report.formats import format_named

    format_named(options.format_)
    if not (options.program or options.suite):
        catalog.check_name(workload)
    from kassay.series import rows
    from kassay.series.variants import Asked

    asked = Asked(alone=alone, hunks=hunks, annotations=annotations)
    with showing() as tell:
        series_rows = rows.rows_of(base, patches, asked, options.arch, tell)
        series_rows = rows.built(series_rows, options.arch, tell, rows.image_of(options.flavour, tell))
    refs = [row.ref for row, _ in rows.placed(series_rows)]
    counts, times = experiments_from("series", workload, [refs[0], refs[-1]], options)
    experiment = rows.experiment_of(series_rows, counts)
    directory = directory_for(experiment, options.out, options.fresh)
    rows.keep(directory, series_rows)
    timed = times and rows.experiment_of(series_rows, times)
    return measure_and_answer(experiment, directory, options.format_, options.exit_code, timed, options.cluster)


COMMAND = Command(name="series", order=22, run=_series)
