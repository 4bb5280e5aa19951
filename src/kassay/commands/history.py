# SPDX-License-Identifier: GPL-2.0-only
"""kassay history: an archive of experiments; a metric over kernels and dates, and where it may have changed."""

from dataclasses import dataclass
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from kassay.commands import Command
from kassay.commands._options import ClusterOption, format_option
from kassay.commands._set_option import name_and_value
from kassay.commands._show import say, say_answer, showing
from kassay.commands._with_options import option, with_options
from kassay.errors import BadInput
from kassay.report.answers import answer_formats
from kassay.supply.clocks import clocks, listed

if TYPE_CHECKING:
    from kassay.tools.history.query import SeriesFilter

_app = typer.Typer(
    no_args_is_help=True,
    help="Keep results in an archive, show a metric over kernels or dates, and find where it changed. A point is "
    "called a change only after both of its sides were measured again.",
)

_Archive = Annotated[
    Path | None,
    Option(
        metavar="PATH",
        help="File of the history. stock is the one that kassay brings: the kernels of the Debian archive.",
        show_default="history.duckdb in the data directory",
    ),
]
_Format = Annotated[str, format_option(answer_formats("csv"))]
_Metric = Annotated[
    str | None,
    Argument(
        metavar="[METRIC]",
        help="METRIC, WORKLOAD.METRIC, or WORKLOAD for its primary one. Without it: all primary metrics.",
    ),
]
_Over = Annotated[
    str,
    Option(
        metavar="AXIS",
        help="kernels: one point per kernel, by release. dates: each kernel by itself, one point per directory.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """Options: which series of the archive, and over what."""

    workload: str | None = option(None, "NAME", "Only this workload.")
    set_: list[str] | None = option(None, "NAME=VALUE", "Only series with this setting or condition.", "--set")
    clock: str | None = option(None, "CLOCK", f"Only this clock: {listed(clocks())}.")
    arch: str | None = option(None, "ARCH", "Only this architecture.")
    cpus: int | None = option(None, "N", "Only machines with this number of CPUs.")
    memory: str | None = option(None, "SIZE", "Only machines with this much memory, e.g. 2GiB.")
    machine: str | None = option(None, "WORDS", "Only series whose machine or host contains WORDS.")
    over: _Over = "kernels"

    def filter(self, metric: str | None) -> "SeriesFilter":
        """The series of a metric. Raises BadInput."""
        from kassay.commands._inputs import size_in
        from kassay.model.records import Setting
        from kassay.tools.history.query import SeriesFilter

        size = None if self.memory is None else size_in(self.memory, "--memory")
        given = map(name_and_value, self.set_ or ())
        return SeriesFilter(
            metric=metric, workload=self.workload, clock=self.clock, arch=self.arch, cpus=self.cpus, memory_bytes=size,
            settings=tuple(Setting(name=name, value=value) for name, value in given), machine=self.machine,
            dates=_dates(self.over),
        )  # fmt: skip


@_app.command("add")
def _add(
    directories: Annotated[
        list[Path], Argument(metavar="DIR...", help="Run directories, measured or imported, or a bisection.")
    ],
    archive: _Archive = None,
) -> int:
    """Add run directories to the archive.

    Adding a directory again adds only what is new. If a directory holds no runs, the others are still added.
    The runs of a bisection are those of its boots and of its last comparison.
    """
    from kassay.commands._inputs import check_writable_place
    from kassay.journal.directory import run_directories
    from kassay.model.texts import counted
    from kassay.tools.history.add import add
    from kassay.tools.history.archive import writing
    from kassay.tools.history.gather import gather
    from kassay.tools.history.packed import refuse_packed

    refuse_packed(_path(archive))
    check_writable_place(_path(archive))
    refused: list[BadInput] = []
    for directory in [one for given in directories for one in run_directories(given)]:
        try:
            with showing() as tell:
                batch = gather(directory, tell)
                with writing(_path(archive), tell) as open_archive:
                    new = add(open_archive, batch)
        except BadInput as error:
            refused.append(error)
        else:
            runs, values, known = counted(new.runs, "run"), counted(new.samples, "value"), counted(new.known, "run")
            say(f"{directory}: {runs} and {values} added, {known} added before\n")
    if refused:
        raise BadInput("\n".join(error.what for error in refused), refused[0].remedy)
    return 0


@_app.command("show")
@with_options
def _show(
    metric: _Metric = None, *, choosing: Choosing, archive: _Archive = None, format_: _Format = "terminal"
) -> int:
    """Show a metric over kernels or dates, with the change at each point.

    One series holds values of the same settings, machine, clock, unit and guest program only.

    Example: kassay history show mprotect_toggle.iteration --set size=64MiB
    """
    from kassay.commands._listing import LISTING, ListedAnswer, ListedTable
    from kassay.tools.history import texts
    from kassay.tools.history.archive import reading
    from kassay.tools.history.query import apart, lines

    form = LISTING.form(format_)
    wanted = choosing.filter(metric)
    with showing() as tell, reading(_path(archive), tell) as open_archive:
        found_lines = lines(open_archive, wanted)
    different = apart([line.series for line in found_lines])
    tables = []
    for line in found_lines:
        title = texts.heading(line, different[line.series.id])
        tables.append(ListedTable(title, texts.COLUMNS, texts.point_rows(line), (2, 3, 4, 5)))
    values = [row for line in found_lines for row in texts.point_values(line)]
    say_answer(ListedAnswer(tables, texts.POINT_FIELDS, values, texts.show_object(found_lines)), form)
    return 0


@_app.command("points")
@with_options
def _points(
    metric: _Metric = None, *, choosing: Choosing, archive: _Archive = None, format_: _Format = "terminal"
) -> int:
    """List the points at which a metric may have changed.

    These are nominations. `kassay history confirm` decides on them.
    """
    from kassay.commands._listing import LISTING, ListedAnswer, ListedTable
    from kassay.tools.history import texts
    from kassay.tools.history.archive import reading
    from kassay.tools.history.nominations import known, left_out, nominations, too_short
    from kassay.tools.history.packed import is_packed
    from kassay.tools.history.query import apart, lines

    form = LISTING.form(format_)
    wanted = choosing.filter(metric)
    with showing() as tell, reading(_path(archive), tell) as open_archive:
        found_lines, facts = lines(open_archive, wanted), known(open_archive)
    by_line = [nominations(line, facts) for line in found_lines]
    nominated = [nomination for of_line in by_line for nomination in of_line]
    different = apart([line.series for line in found_lines])
    tables = []
    for line, of_line in zip(found_lines, by_line, strict=True):
        title = texts.heading(line, different[line.series.id])
        rows = [texts.nomination_row(nomination) for nomination in of_line]
        title += f"; {note}" if rows and (note := left_out(line)) else ""
        empty = too_short(line) or left_out(line) or "nothing to nominate"
        tables.append(ListedTable(title, texts.NOMINATION_COLUMNS, rows, (3, 4), empty))
    open_ = next((one.id for one in nominated if one.confirmation is None and not one.refusal), "")
    again = ["kassay", "history", "confirm", open_, *(("--archive", str(archive)) if archive is not None else ())]
    whole = texts.points_object(nominated, [(line.series, why) for line in found_lines if (why := too_short(line))])
    values = [texts.nomination_values(nomination) for nomination in nominated]
    next_step = (
        f"next: {join(again)}  # measures a fresh pair"
        if open_ and not (wanted.dates or is_packed(_path(archive)))
        else ""
    )
    say_answer(ListedAnswer(tables, texts.NOMINATION_FIELDS, values, whole, next_step), form)
    return 0


@_app.command("confirm")
def _confirm(
    nomination: Annotated[str, Argument(metavar="ID", help="ID of the point in `kassay history points`.")],
    out: Annotated[
        Path | None, Option(metavar="DIR", help="Directory for the new runs.", show_default="kassay-out/confirm-ID")
    ] = None,
    archive: _Archive = None,
    over: _Over = "kernels",
    cluster: ClusterOption = "",
) -> int:
    """Measure both sides of a nominated point again, and record whether it is a change."""
    from kassay.commands._history_confirm import confirm

    outcome = confirm(nomination, out, _path(archive), dates=_dates(over), cluster=cluster)
    say(f"{outcome.nomination}: {outcome.outcome}: {outcome.words}\n")
    if outcome.directory:
        say(f"report: kassay report {quote(outcome.directory)}\n")
    return 0


@_app.command("pack")
def _pack(
    out: Annotated[Path, Argument(metavar="FILE", help="File to write, e.g. history.duckdb.zst.")],
    archive: _Archive = None,
) -> int:
    """Write the archive as one small file, to hand on or to keep in git.

    Every other command reads such a file with --archive, and none changes it. Paths of run directories are left out.
    """
    from kassay.commands._inputs import check_writable_place
    from kassay.tools.history.archive import reading
    from kassay.tools.history.packed import SUFFIX, pack

    if out.suffix != SUFFIX:
        raise BadInput(f"{out}: a packed history ends with {SUFFIX}", f"write {out}{SUFFIX}")
    check_writable_place(out)
    with showing() as tell, reading(_path(archive), tell) as open_archive:
        size = pack(open_archive.path, out, tell)
    say(f"{out}: {size / 1e6:.2f} MB\n")
    return 0


@_app.command("sql")
def _sql(
    query: Annotated[
        str, Argument(metavar="QUERY", help="One SELECT statement. docs/reference/history.md lists the views.")
    ],
    archive: _Archive = None,
    format_: _Format = "terminal",
) -> int:
    """Query the archive in SQL. The archive is only read.

    The views are experiments, kernels, series, runs, samples, points, sessions, confirmations, comparisons, functions
    and workloads.

    Example: kassay history sql "SELECT metric, count(*) FROM points JOIN series USING (series) GROUP BY metric"
    """
    from kassay.commands._listing import LISTING, ListedAnswer, ListedTable
    from kassay.model.texts import counted
    from kassay.tools.history.archive import reading
    from kassay.tools.history.texts import field_text

    form = LISTING.form(format_)
    with showing() as tell, reading(_path(archive), tell) as open_archive:
        columns, rows = open_archive.asked(query)
    shown = ListedTable(counted(len(rows), "row"), columns, [[field_text(value) for value in row] for row in rows])
    say_answer(ListedAnswer((shown,), columns, rows), form)
    return 0


def _path(archive: Path | None) -> Path:
    from kassay.tools.history.archive import default_path
    from kassay.tools.history.packed import named

    return named(archive) if archive is not None else default_path()


def _dates(over: str) -> bool:
    if over not in ("kernels", "dates"):
        raise BadInput(f"--over: unknown {over!r}", "write kernels or dates")
    return over == "dates"


COMMAND = Command(name="history", order=80, run=_app)
