# SPDX-License-Identifier: GPL-2.0-only
"""Where experiments stand, as one page that renews itself: the experiment filling in, a cell for each kernel."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from kassay import __version__
from kassay.model.progress import CellCount
from kassay.model.status import STATES, Attempt, RunStatus, ValueSoFar
from kassay.model.texts import one_line
from kassay.model.units import format_change, format_duration, format_numbers
from kassay.report.answer_form import template

_PACKAGE = "kassay.tools.watch"
_WORDS = {
    "preparing": "Being prepared", "measuring": "Measuring", "stopped": "Stopped", "measured": "All runs are made",
    "answered": "Done", "damaged": "Damaged",
}  # fmt: skip


def page(statuses: Sequence[RunStatus], directory: str, *, listed: bool, every_s: float) -> str:
    """The whole page. listed: a row for each, instead of everything about each. every_s: how often it renews itself."""
    script = str(template("watch.js", _PACKAGE).render(every_ms=round(every_s * 1000)))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return template("watch.html.j2", _PACKAGE).render(
        title=_title(statuses), main=part(statuses, directory, listed=listed), script=script, digest=digest,
        kassay_version=__version__, refresh=max(2, round(every_s)),
    )  # fmt: skip


def part(statuses: Sequence[RunStatus], directory: str, *, listed: bool) -> str:
    """The part of the page that is renewed."""
    shown = [_shown(status) for status in statuses]
    return template("watch_part.html.j2", _PACKAGE).render(
        directory=one_line(directory), shown=shown, listed=listed, title=_title(statuses),
        preparing=STATES["preparing"],
        ended="yes" if statuses and all(status.state == "answered" for status in statuses) else "",
    )  # fmt: skip


def _title(statuses: Sequence[RunStatus]) -> str:
    """The title of the browser tab: runs made of runs planned."""
    cells = [cell for status in statuses for cell in status.counts.cells]
    made, planned = sum(cell.ok for cell in cells), sum(cell.planned for cell in cells)
    return f"{made}/{planned} kassay watch" if planned else "kassay watch"


def _shown(status: RunStatus) -> Mapping[str, Any]:
    """One experiment in words."""
    cells = status.counts.cells
    planned, made = sum(cell.planned for cell in cells), sum(cell.ok for cell in cells)
    lost, failed = sum(cell.lost for cell in cells), sum(cell.failed for cell in cells)
    return {
        "status": status, "word": _WORDS[status.state], "meaning": STATES[status.state],
        "title": one_line(status.title), "headline": _headline(status, made, planned), "made": made,
        "planned": planned, "done": _share(made, planned), "lost": _share(lost, planned), "failed": failed,
        "left": _left(status), "grid": _grid(status), "kernels": tuple(map(one_line, status.counts.kernels)),
        "hosts": _hosts(status), "last": [_attempt(status, attempt) for attempt in status.last],
        "failures": [_attempt(status, attempt) for attempt in status.failures], "link": quote(status.name, safe=""),
        "verdict": one_line(status.verdict), "machine": one_line(status.machine), "again": one_line(status.again),
    }  # fmt: skip


def _share(runs: int, planned: int) -> float:
    """Per cent of the planned runs."""
    return 100 * runs / planned if planned else 0.0


def _headline(status: RunStatus, made: int, planned: int) -> str:
    parts = [f"{made} of {planned} runs"]
    if status.unneeded and made < planned:
        parts.append("all is decided, the others are not needed")
    elif left := _left(status):
        parts.append(left)
    return ", ".join(parts)


def _left(status: RunStatus) -> str:
    if not status.owed or status.unneeded or status.state != "measuring" or status.counts.left_s is None:
        return ""
    return f"about {format_duration(status.counts.left_s)} left"


def _grid(status: RunStatus) -> list[Mapping[str, Any]]:
    """A row for each point, with a cell for each kernel; None if the point has no such cell."""
    counts = {(cell.point, cell.kernel): cell for cell in status.counts.cells}
    values = {(value.point, value.kernel): value for value in status.values}
    rows: list[Mapping[str, Any]] = []
    for index, (point, unit) in enumerate(zip(status.counts.points, status.units, strict=True)):
        of_row = [(counts.get((index, k)), values.get((index, k))) for k in range(len(status.counts.kernels))]
        texts = format_numbers([value.value if value else None for _, value in of_row])
        cells = [_cell(count, value, text) for (count, value), text in zip(of_row, texts, strict=True)]
        rows.append({"point": one_line(point), "unit": one_line(f"{unit.metric}, {unit.unit}"), "cells": cells})
    return rows


def _cell(count: CellCount | None, value: ValueSoFar | None, text: str) -> Mapping[str, Any] | None:
    """done, lost: runs that succeeded and that were lost, in per cent of those planned."""
    if count is None:
        return None
    failed = f", {count.failed} failed" if count.failed else ""
    hosts = ", ".join(one_line(host or "this host") for host in count.hosts) if any(count.hosts) else ""
    return {
        "value": text if value else "", "mark": value.verdict if value else "",
        "change": format_change(value.change) if value and value.change is not None else "",
        "runs": f"{count.ok} of {count.planned}{failed}", "hosts": hosts,
        "done": _share(count.ok, count.planned), "lost": _share(count.lost, count.planned),
    }  # fmt: skip


def _hosts(status: RunStatus) -> list[Mapping[str, str]]:
    most = max((host.ok for host in status.counts.hosts), default=0)
    cpus = {host.host: host.cpu for host in status.hosts}
    return [
        {
            "name": one_line(host.host or "this host"), "cpu": one_line(cpus.get(host.host) or "-"),
            "ok": str(host.ok), "failed": str(host.failed),
            "seconds": "-" if host.seconds is None else f"{host.seconds:.1f} s",
            "last": host.last_utc or "-", "share": f"{_share(host.ok, most):.0f}",
        }
        for host in status.counts.hosts
    ]  # fmt: skip


def _attempt(status: RunStatus, attempt: Attempt) -> Mapping[str, str]:
    return {
        "point": one_line(status.counts.points[attempt.point]),
        "kernel": one_line(status.counts.kernels[attempt.kernel]), "host": one_line(attempt.host or "this host"),
        "outcome": attempt.outcome, "detail": one_line(attempt.detail), "seconds": f"{attempt.seconds:.1f} s",
        "started": attempt.started_utc,
    }  # fmt: skip
