# SPDX-License-Identifier: GPL-2.0-only
"""kassay history: an archive of experiments; a metric over kernels and dates, and where it may have changed."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from kassay.clocks import clocks, listed
from kassay.commands import Command
from kassay.commands._options import ClusterOption
from kassay.commands._set_words import name_and_value
from kassay.commands._show import say, showing
from kassay.errors import BadInput
from kassay.registry import names
from kassay.report.listing import LISTING_FORMATS, ListedAnswer, ListedTable, listing_format

if TYPE_CHECKING:
    from kassay.model.records import Setting

_app = typer.Typer(
    no_args_is_help=True,
    help="Keep experiments in an archive, see a metric over kernels and dates, and find where it may have changed. "
    "What is found is nominated, and called a change only after a fresh pair was measured.",
)

_Archive = Annotated[
    Path | None, Option(metavar="PATH", help="The archive's file.", show_default="history.duckdb in the data directory")
]
_Format = Annotated[str, Option("--format", help=f"{listed(names(LISTING_FORMATS))}.")]
_Metric = Annotated[
    str | None, Argument(help="METRIC or WORKLOAD.METRIC; without it the metrics that verdicts are about.")
]
_Workload = Annotated[str | None, Option(help="Only this workload.")]
_Set = Annotated[
    list[str] | None, Option("--set", metavar="NAME=VALUE", help="Only series with this setting or condition.")
]
_Clock = Annotated[str | None, Option(help=f"Only this clock: {listed(clocks())}.")]
_Arch = Annotated[str | None, Option(help="Only this architecture.")]
_Cpus = Annotated[int | None, Option(help="Only machines with so many CPUs.")]
_Memory = Annotated[str | None, Option(help="Only machines with so much memory, e.g. 2GiB.")]
_Machine = Annotated[
    str | None, Option(metavar="WORDS", help="Only series whose machine or host contains these words.")
]
_Over = Annotated[str, Option(help="kernels (a point each, by release) or dates (a point for each session).")]


@_app.command("add")
def _add(
    directories: Annotated[list[Path], Argument(metavar="DIR...", help="Run directories, own or imported.")],
    archive: _Archive = None,
) -> int:
    """Add run directories, own or imported, with what was timed beside them. Adding one again adds what is new."""
    from kassay.history.add import add
    from kassay.history.archive import writing
    from kassay.history.gather import gather
    from kassay.journal.directory import BESIDE

    with showing() as tell:
        timed = [directory / BESIDE for directory in directories if (directory / BESIDE / "plan.json").exists()]
        sources = [*directories, *timed]
        batches = [gather(directory, tell) for directory in sources]
        with writing(_path(archive), tell) as open_archive:
            added = [add(open_archive, batch) for batch in batches]
    for directory, new in zip(sources, added, strict=True):
        say(f"{directory}: {new.runs} runs and {new.samples} values added, {new.known} runs were there before\n")
    return 0


@_app.command("show")
def _show(
    metric: _Metric = None, workload: _Workload = None, set_: _Set = None, clock: _Clock = None, arch: _Arch = None,
    cpus: _Cpus = None, memory: _Memory = None, machine: _Machine = None, over: _Over = "kernels",
    archive: _Archive = None, format_: _Format = "terminal",
) -> int:  # fmt: skip
    """Show a metric over kernels or dates, each point against the one before.

    Values of different settings, machines, clocks, units or guest programs never stand in one series.

    Example: kassay history show mprotect_toggle.iteration --set size=64MiB
    """
    from kassay.history import texts
    from kassay.history.archive import reading
    from kassay.history.query import apart, lines

    form = listing_format(format_)
    wanted = _wanted(metric, workload, set_, clock, arch, cpus, memory, machine, over)
    with showing() as tell, reading(_path(archive), tell) as open_archive:
        found_lines = lines(open_archive, wanted)
    different = apart([line.series for line in found_lines])
    titles = [texts.heading(line.series, different[line.series.id]) for line in found_lines]
    tables = [
        ListedTable(title, texts.COLUMNS, texts.point_rows(line), (2, 3, 4, 5))
        for title, line in zip(titles, found_lines, strict=True)
    ]
    values = [row for line in found_lines for row in texts.point_values(line)]
    say(form.render(ListedAnswer(tables, texts.POINT_FIELDS, values, texts.show_object(found_lines))))
    return 0


@_app.command("points")
def _points(
    metric: _Metric = None, workload: _Workload = None, set_: _Set = None, clock: _Clock = None, arch: _Arch = None,
    cpus: _Cpus = None, memory: _Memory = None, machine: _Machine = None, over: _Over = "kernels",
    archive: _Archive = None, format_: _Format = "terminal",
) -> int:  # fmt: skip
    """Nominate the points at which a metric may have changed, to be confirmed before anyone is told."""
    from kassay.history import texts
    from kassay.history.archive import reading
    from kassay.history.nominations import confirmations, nominations, too_short
    from kassay.history.query import apart, lines

    form = listing_format(format_)
    wanted = _wanted(metric, workload, set_, clock, arch, cpus, memory, machine, over)
    with showing() as tell, reading(_path(archive), tell) as open_archive:
        found_lines, confirmed = lines(open_archive, wanted), confirmations(open_archive)
    by_series = {line.series.id: nominations(line, confirmed) for line in found_lines}
    nominated = [nomination for of_series in by_series.values() for nomination in of_series]
    different = apart([line.series for line in found_lines])
    tables = []
    for line in found_lines:
        title = texts.heading(line.series, different[line.series.id])
        rows = [texts.nomination_row(nomination) for nomination in by_series[line.series.id]]
        empty = too_short(line) or "nothing to nominate"
        tables.append(ListedTable(title, texts.NOMINATION_COLUMNS, rows, (3, 4), empty))
    open_ = next((nomination.id for nomination in nominated if nomination.confirmation is None), "")
    whole = texts.points_object(nominated, [(line.series, why) for line in found_lines if (why := too_short(line))])
    values = [texts.nomination_values(nomination) for nomination in nominated]
    next_step = f"next: kassay history confirm {open_}  (measures a fresh pair)" if open_ else ""
    say(form.render(ListedAnswer(tables, texts.NOMINATION_FIELDS, values, whole, next_step)))
    return 0


@_app.command("confirm")
def _confirm(
    nomination: Annotated[
        str, Argument(metavar="ID", help="Of a nominated point, as `kassay history points` names it.")
    ],
    out: Annotated[
        Path | None, Option(help="Directory of the fresh pair.", show_default="kassay-out/confirm-ID")
    ] = None,
    archive: _Archive = None,
    over: _Over = "kernels",
    cluster: ClusterOption = "",
) -> int:
    """Measure both sides of a nominated point again, interleaved, and keep what came of it."""
    from kassay.commands._history_confirm import confirm

    outcome = confirm(nomination, out, _path(archive), dates=_dates(over), cluster=cluster)
    say(f"{outcome.nomination}: {outcome.outcome}: {outcome.words}\n")
    if outcome.directory:
        say(f"report: kassay report {quote(outcome.directory)}\n")
    return 0


@_app.command("sql")
def _sql(
    query: Annotated[str, Argument(help="One SELECT over the views that docs/history.md describes.")],
    archive: _Archive = None,
    format_: _Format = "terminal",
) -> int:
    """Ask the archive in SQL: reads only, and only the archive. Views: experiments, kernels, series, runs, samples,
    points, sessions, confirmations.

    Example: kassay history sql "SELECT metric, count(*) FROM points JOIN series USING (series) GROUP BY metric"
    """
    from kassay.history.archive import reading
    from kassay.history.texts import field_text

    form = listing_format(format_)
    with showing() as tell, reading(_path(archive), tell) as open_archive:
        columns, rows = open_archive.asked(query)
    shown = ListedTable(f"{len(rows)} rows", columns, [[field_text(value) for value in row] for row in rows])
    say(form.render(ListedAnswer((shown,), columns, rows, [dict(zip(columns, row, strict=True)) for row in rows])))
    return 0


def _path(archive: Path | None) -> Path:
    from kassay.history.archive import default_path

    return archive if archive is not None else default_path()


def _dates(over: str) -> bool:
    if over not in ("kernels", "dates"):
        raise BadInput(f"--over: unknown {over!r}", "write kernels or dates")
    return over == "dates"


def _wanted(metric: str | None, workload: str | None, settings: list[str] | None, clock: str | None, arch: str | None,
            cpus: int | None, memory: str | None, machine: str | None, over: str) -> Any:  # fmt: skip
    from kassay.history.query import SeriesFilter
    from kassay.model.units import parse_bytes

    try:
        size = None if memory is None else parse_bytes(memory)
    except ValueError as error:
        raise BadInput(f"--memory: {error}") from error
    return SeriesFilter(metric=metric, workload=workload, settings=tuple(map(_setting, settings or ())), clock=clock,
                  arch=arch, cpus=cpus, memory_bytes=size, machine=machine, dates=_dates(over))  # fmt: skip


def _setting(text: str) -> "Setting":
    from kassay.model.records import Setting

    name, value = name_and_value(text)
    return Setting(name=name, value=value)


COMMAND = Command(name="history", order=80, run=_app)
