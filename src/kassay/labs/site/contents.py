# SPDX-License-Identifier: GPL-2.0-only
"""A history -> Site. Only exact counts stand in the matrix; every value comes from a comparison of two kernels."""

from collections.abc import Iterable
from pathlib import Path

from kassay import __version__
from kassay.effects import clock
from kassay.errors import BadInput
from kassay.labs.site.kernels import site_kernels
from kassay.labs.site.model import Site, SiteKernel, SiteStatus
from kassay.labs.site.rows import Comparison, comparisons, rows_of
from kassay.labs.site.sources import source_names
from kassay.labs.site.steps import steps_of
from kassay.labs.site.values import cells_of, functions_of, shown_series, workloads_of
from kassay.model.progress import Progress, Tell, silent
from kassay.tools.history.archive import Archive, reading


def read_site(history: Path, *, title: str = "", address: str = "", tell: Tell = silent) -> Site:
    """Everything that the pages show, with the state that the history itself knows.

    Raises BadInput if there is no history, or if it holds no comparison of exact counts.
    """
    with reading(history, tell) as archive:
        if not archive.has_comparisons or not (found := comparisons(archive)):
            raise BadInput(
                f"{history}: no comparison of exact counts", "add run directories again: kassay history add DIR..."
            )
        site = _site(archive, found, title, address, tell)
    if not site.steps:
        raise BadInput(
            f"{history}: no comparison of two kernels of one line, the older one first",
            "the site shows kernels of the archive by release, and builds of a git tree by commit",
        )
    return site


def _site(archive: Archive, found: tuple[Comparison, ...], title: str, address: str, tell: Tell) -> Site:
    kernels = site_kernels(archive, found)
    series = rows_of(archive, found, kernels)
    names = source_names(archive)
    steps = steps_of(found, kernels, series, names)
    tell(Progress(stage="site", subject="history", text=f"{len(steps)} comparisons of {len(series)} series"))
    shown = shown_series(found, kernels, series)
    functions = functions_of(archive, kernels, series, names, shown)
    return Site(
        title=title or "Costs of Linux memory management", address=address, made_utc=clock.utc_now(),
        kassay_version=__version__, kernels=tuple(kernels.values()), workloads=workloads_of(archive, series.values()),
        series=tuple({(one.arch, one.key): one for one in series.values()}.values()),
        cells=cells_of(archive, found, kernels, series, shown), steps=steps, functions=functions,
        status=_status(kernels.values()),
    )  # fmt: skip


def _status(kernels: Iterable[SiteKernel]) -> SiteStatus:
    """The state that follows from the history alone: the newest kernel of each line."""
    newest = {kernel.arch: (kernel.arch, kernel.key, kernel.measured_utc[:10]) for kernel in kernels if kernel.column}
    return SiteStatus(last_kernel=tuple(newest.values()))
